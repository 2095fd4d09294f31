// What the palette offers: the actions at hand, labs and their steps, recorded runs, settings. Made anew each time it opens.
// GUI thread.
#pragma once

#include <QVector>

#include <functional>
#include <vector>

#include "app/models/palette_model.h"
#include "core/registry/registry.h"
#include "view.h"

namespace atelier::app {

// Of the window and the view in front, without `except`.
QVector<PaletteItem> actionItems(const QWidget& window, const Words& words, const QString& except);
// Labs opened lately, then all labs, then all steps. `show` brings the Learn view to the front.
QVector<PaletteItem> labItems(const Desktop& desktop, const std::function<void()>& show);
QVector<PaletteItem> runItems(const std::vector<registry::RunRecord>& runs, const Words& words,
                              const std::function<void(const QString&)>& show);
// A run's name, or what it ran where it has none.
QString runTitle(const registry::RunRecord& run);

}  // namespace atelier::app
