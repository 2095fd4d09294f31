// What can be said of any widget without knowing it: the texts it shows, whether they are words and whole, whether it can be
// named and reached by the keyboard. Each function gives a line for each fault; none is none.
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSet>
#include <QTabBar>
#include <QWidget>
#include <QtTest>

namespace atelier::app::testing {

inline QString describe(const QWidget& widget) {
  return QString::fromLatin1(widget.metaObject()->className()) + QLatin1Char(' ') + widget.objectName() +
         QStringLiteral(" in ") +
         (widget.parentWidget() ? QString::fromLatin1(widget.parentWidget()->metaObject()->className()) : QString());
}

// A part of a widget of Qt's: the field in a spin box, the button of a line edit.
inline bool isInner(const QWidget& widget) {
  const auto* parent = widget.parentWidget();
  return widget.objectName().startsWith(QLatin1String("qt_")) || qobject_cast<const QAbstractSpinBox*>(parent) ||
         qobject_cast<const QComboBox*>(parent) || qobject_cast<const QLineEdit*>(parent);
}

// The widget itself and all that is shown in it.
inline QList<QWidget*> shownIn(QWidget& top) {
  QList<QWidget*> all{&top};
  for (auto* widget : top.findChildren<QWidget*>())
    if (widget->isVisibleTo(&top) && widget->window() == top.window() && !isInner(*widget)) all.append(widget);
  return all;
}

inline QStringList headerTexts(const QHeaderView& header) {
  QStringList texts;
  for (int i = 0; header.model() && i < header.count(); ++i)
    if (!header.isSectionHidden(i)) texts << header.model()->headerData(i, header.orientation()).toString();
  return texts;
}

// All that a person reads on the widget or hears of it; of what it holds nothing.
inline QStringList textsOf(const QWidget& widget) {
  QStringList texts{widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()};
  if (widget.isWindow()) texts << widget.windowTitle();
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) texts << label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) texts << button->text();
  if (const auto* group = qobject_cast<const QGroupBox*>(&widget)) texts << group->title();
  if (const auto* field = qobject_cast<const QLineEdit*>(&widget)) texts << field->placeholderText();
  if (const auto* header = qobject_cast<const QHeaderView*>(&widget)) texts << headerTexts(*header);
  if (const auto* box = qobject_cast<const QComboBox*>(&widget))
    for (int i = 0; i < box->count(); ++i) texts << box->itemText(i);
  if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
    for (int i = 0; i < tabs->count(); ++i) texts << tabs->tabText(i);
  for (const auto* action : widget.actions()) texts << action->text() << action->toolTip();
  return texts;
}

// An id on the screen is a text that is missing. Names of files and of PyTorch's things look like ids and are none.
inline QStringList rawIds(QWidget& top) {
  static const QRegularExpression id(QStringLiteral("^[a-z]+(\\.[a-z_]+)+$"));
  static const QRegularExpression other(QStringLiteral("^(torch|nn)\\.|\\.(atelier|csv|json|jsonl|md|pdf|png|py|svg|toml)$"));
  QStringList faults;
  for (const auto* widget : shownIn(top))
    for (const auto& text : textsOf(*widget))
      if (id.match(text).hasMatch() && !other.match(text).hasMatch()) faults << text + QStringLiteral(": ") + describe(*widget);
  faults.removeDuplicates();
  return faults;
}

inline bool isControl(const QWidget& widget) {
  return !widget.isWindow() && widget.isEnabled() && (widget.focusPolicy() & Qt::TabFocus) == Qt::TabFocus &&
         !widget.focusProxy();
}

inline QStringList unnamedControls(QWidget& top) {
  QStringList faults;
  for (auto* widget : shownIn(top)) {
    if (!isControl(*widget)) continue;
    auto* accessible = QAccessible::queryAccessibleInterface(widget);
    if (!accessible || accessible->text(QAccessible::Name).trimmed().isEmpty()) faults << describe(*widget);
  }
  return faults;
}

// A button of an exclusive group is reached when one of its group is: the arrows do the rest.
inline bool isReached(const QWidget& widget, const QSet<const QWidget*>& reached) {
  if (reached.contains(&widget)) return true;
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  if (!button || !(button->autoExclusive() || button->group())) return false;
  for (const auto* other : reached)
    if (other->parentWidget() == widget.parentWidget() && qobject_cast<const QAbstractButton*>(other)) return true;
  return false;
}

// Presses Tab until it comes round. REQUIRES: the window is active.
inline QStringList unreachedControls(QWidget& window) {
  QSet<const QWidget*> reached;
  window.setFocus();
  constexpr int kMost = 600;
  const QWidget* before = nullptr;
  for (int i = 0; i < kMost; ++i) {
    auto* focus = QApplication::focusWidget() ? QApplication::focusWidget() : &window;
    QTest::keyClick(focus, Qt::Key_Tab);
    const auto* now = QApplication::focusWidget();
    if (now == before && now) return {QStringLiteral("Tab does not leave ") + describe(*now)};
    before = now;
    // Twice round: the first turn may have begun in the middle.
    if (now && reached.contains(now) && i > 2 * reached.size()) break;
    if (now) reached.insert(now);
  }
  QStringList faults;
  for (const auto* widget : shownIn(window))
    if (isControl(*widget) && widget->isVisible() && !isReached(*widget, reached)) faults << describe(*widget);
  return faults;
}

// Texts on one line that have less room than they need and were not shortened.
inline QStringList cutTexts(QWidget& top) {
  QStringList faults;
  for (const auto* widget : shownIn(top)) {
    QString text;
    if (const auto* label = qobject_cast<const QLabel*>(widget); label && !label->wordWrap()) text = label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) text = button->text();
    if (text.isEmpty() || text.contains(QChar(0x2026)) || widget->size().isEmpty()) continue;
    if (widget->sizeHint().width() > widget->width() + 1)
      faults << QStringLiteral("%1 (%2 of %3): %4")
                    .arg(text)
                    .arg(widget->width())
                    .arg(widget->sizeHint().width())
                    .arg(describe(*widget));
  }
  return faults;
}

}  // namespace atelier::app::testing
