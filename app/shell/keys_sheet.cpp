#include "keys_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QMap>
#include <QVBoxLayout>

#include "app/models/words.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

QString keysOf(const QAction& action) {
  QStringList all;
  for (const auto& key : action.shortcuts()) all << key.toString(QKeySequence::NativeText);
  return all.join(QStringLiteral("  ·  "));
}

}  // namespace

KeysSheet::KeysSheet(const Words& words, QWidget* parent) : QWidget(parent), m_words(words), m_column(new QVBoxLayout(this)) {
  setProperty("role", "plain");
  m_column->setContentsMargins(0, 0, 8, 0);
}

// The view that an action belongs to, or the window.
QString KeysSheet::groupOf(const QAction& action) const {
  const auto* owner = qobject_cast<const QWidget*>(action.parent());
  const auto tab = "app.tab." + action.objectName().section(QLatin1Char('.'), 0, 0).toStdString();
  const bool ofView = owner && !owner->isWindow() && m_words.catalog().has(tab);
  return m_words.text(ofView ? tab : "keys.window");
}

void KeysSheet::setActions(const QList<QAction*>& actions) {
  clearLayout(m_column);
  auto* sheet = makePanel("plain", this);
  m_grid = new QGridLayout(sheet);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(24);
  m_grid->setVerticalSpacing(8);
  m_grid->setColumnStretch(0, 1);
  m_column->addWidget(sheet);
  m_column->addStretch(1);
  QMap<QString, QList<QAction*>> groups;
  for (auto* action : actions)
    if (!action->shortcuts().isEmpty()) groups[groupOf(*action)].append(action);
  const auto window = m_words.text("keys.window");
  addGroup(window, groups.value(window));
  for (auto group = groups.cbegin(); group != groups.cend(); ++group)
    if (group.key() != window) addGroup(group.key(), group.value());
  auto* hint = makeLabel("soft");
  hint->setText(m_words.text("keys.palette"));
  m_grid->addWidget(hint, m_grid->rowCount(), 0, 1, 2);
}

void KeysSheet::addGroup(const QString& title, const QList<QAction*>& actions) {
  if (actions.isEmpty()) return;
  auto* heading = makeLabel("overline");
  heading->setText(title.toUpper());
  m_grid->addWidget(heading, m_grid->rowCount(), 0, 1, 2);
  for (const auto* action : actions) {
    const int row = m_grid->rowCount();
    auto* what = makeLabel("body");
    auto* keys = makeLabel("key");
    what->setText(action->text());
    keys->setText(keysOf(*action));
    keys->setWordWrap(false);
    m_grid->addWidget(what, row, 0);
    m_grid->addWidget(keys, row, 1, Qt::AlignRight);
  }
}

}  // namespace atelier::app
