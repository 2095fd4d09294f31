#include "actions.h"

#include <QWidget>

#include <algorithm>
#include <utility>

#include "app/models/words.h"

namespace atelier::app {
namespace {

constexpr auto kId = "action-id";

void retext(QAction& action, const Words& words) {
  const auto id = "action." + action.property(kId).toString().toStdString();
  action.setText(words.text(id));
  if (words.catalog().has(id + ".help")) action.setToolTip(words.text(id + ".help"));
}

}  // namespace

QAction* makeAction(QWidget* owner, const Words& words, const std::string& id, const QList<QKeySequence>& keys,
                    std::function<void()> act) {
  auto* action = new QAction(owner);
  action->setObjectName(QString::fromStdString(id));
  action->setProperty(kId, QString::fromStdString(id));
  action->setShortcuts(keys);
  retext(*action, words);
  QObject::connect(&words, &Words::changed, action, [action, &words] { retext(*action, words); });
  QObject::connect(action, &QAction::triggered, owner, [act = std::move(act)] { act(); });
  owner->addAction(action);
  return action;
}

QList<QAction*> actionsOf(const QWidget& widget) {
  QList<QAction*> all;
  for (auto* action : widget.findChildren<QAction*>()) {
    const auto* owner = qobject_cast<const QWidget*>(action->parent());
    if (action->property(kId).isValid() && action->isEnabled() && owner && owner->isVisibleTo(&widget)) all.append(action);
  }
  std::sort(all.begin(), all.end(),
            [](const QAction* a, const QAction* b) { return a->text().localeAwareCompare(b->text()) < 0; });
  return all;
}

}  // namespace atelier::app
