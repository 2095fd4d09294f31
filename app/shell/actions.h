// Actions: everything that can be done by a key is a QAction with an id. Its texts are the catalog's "action.<id>" (and, where
// there is one, "action.<id>.help"); the command palette and the list of keys show all actions of the window and of the view
// in front. GUI thread.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>

#include <functional>
#include <string>

namespace atelier::app {

class Words;

// Owned by `owner`, which the shortcut needs visible. Texts follow the language.
QAction* makeAction(QWidget* owner, const Words& words, const std::string& id, const QList<QKeySequence>& keys,
                    std::function<void()> act);

// The enabled actions made so on the widget and on all of its visible children, in the order of their texts.
QList<QAction*> actionsOf(const QWidget& widget);

}  // namespace atelier::app
