// The action that shows the experiment of the Learn view's present step as PyTorch; of a race, each variant. GUI thread.
#pragma once

#include "app/shell/view.h"

class QAction;

namespace atelier::app {

// Owned by `owner`.
QAction* makeScriptAction(const Desktop& desktop, QWidget* owner);

}  // namespace atelier::app
