#include "presenter_rules.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextEdit>

namespace atelier::app {

namespace {

bool isArrow(int key) {
  return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
}

bool isTypedIn(const QWidget& focus) {
  if (const auto* text = qobject_cast<const QTextEdit*>(&focus)) return !text->isReadOnly();
  if (const auto* text = qobject_cast<const QPlainTextEdit*>(&focus)) return !text->isReadOnly();
  if (const auto* box = qobject_cast<const QComboBox*>(&focus)) return box->isEditable();
  return qobject_cast<const QLineEdit*>(&focus) || qobject_cast<const QAbstractSpinBox*>(&focus);
}

bool movesByArrows(const QWidget& focus) {
  const bool slider = qobject_cast<const QAbstractSlider*>(&focus) && !qobject_cast<const QScrollBar*>(&focus);
  return slider || qobject_cast<const QAbstractItemView*>(&focus) || qobject_cast<const QComboBox*>(&focus) ||
         focus.property("role").toString() == QLatin1String("plot");
}

}  // namespace

std::optional<PresenterCommand> presenterCommand(int key, Qt::KeyboardModifiers modifiers) {
  if (modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return std::nullopt;
  const bool shift = modifiers.testFlag(Qt::ShiftModifier);
  switch (key) {
    case Qt::Key_Space:
      return shift ? PresenterCommand::Back : PresenterCommand::Next;
    case Qt::Key_PageDown:
    case Qt::Key_Right:
    case Qt::Key_Down:
      return PresenterCommand::Next;
    case Qt::Key_PageUp:
    case Qt::Key_Left:
    case Qt::Key_Up:
      return PresenterCommand::Back;
    case Qt::Key_B:
    case Qt::Key_Period:
      return PresenterCommand::Blank;
    case Qt::Key_G:
      return PresenterCommand::Jump;
    case Qt::Key_T:
      return PresenterCommand::Timer;
    case Qt::Key_N:
      return PresenterCommand::Notes;
    case Qt::Key_Escape:
      return PresenterCommand::Leave;
    default:
      return std::nullopt;
  }
}

bool keepsKey(const QWidget& focus, int key, bool tabbed) {
  // The keys of a remote are the presenter's wherever the focus is.
  if (key == Qt::Key_PageDown || key == Qt::Key_PageUp || key == Qt::Key_Escape) return false;
  if (isTypedIn(focus)) return true;
  const bool button = qobject_cast<const QAbstractButton*>(&focus);
  if (isArrow(key)) return movesByArrows(focus) || (button && tabbed);
  if (key == Qt::Key_Space) return tabbed && (button || movesByArrows(focus));
  return false;
}

std::optional<int> notesScreen(int screens, int window) {
  if (screens < 2) return std::nullopt;
  return window == 0 ? 1 : 0;
}

}  // namespace atelier::app
