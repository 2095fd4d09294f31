#include "parts.h"

#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScrollArea>
#include <QStyle>
#include <QTableView>
#include <QToolButton>
#include <QVariant>

namespace atelier::app {

namespace {

class WheelGuard : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* watched, QEvent* event) override {
    const auto* field = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::Wheel || !field || field->hasFocus()) return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
  }
};

}  // namespace

QLabel* makeLabel(const char* role, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setProperty("role", role);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setTextFormat(Qt::PlainText);
  return label;
}

QPushButton* makeButton(const char* role, QWidget* parent) {
  auto* button = new QPushButton(parent);
  button->setProperty("role", role);
  button->setFocusPolicy(Qt::StrongFocus);
  button->setAutoDefault(false);
  return button;
}

QWidget* makePanel(const char* role, QWidget* parent) {
  auto* panel = new QWidget(parent);
  panel->setProperty("role", role);
  panel->setAttribute(Qt::WA_StyledBackground);
  return panel;
}

void setRole(QWidget* widget, const QString& role) {
  if (widget->property("role").toString() == role) return;
  widget->setProperty("role", role);
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
}

void showText(QLabel* label, const QString& text) {
  label->setText(text);
  label->setVisible(!text.isEmpty());
}

void name(QWidget* widget, const QString& accessible) {
  widget->setAccessibleName(accessible);
}

void clearLayout(QLayout* layout) {
  while (auto* item = layout->takeAt(0)) {
    if (auto* widget = item->widget()) {
      widget->hide();
      widget->deleteLater();
    }
    if (auto* inner = item->layout()) clearLayout(inner);
    delete item;
  }
}

void guardWheel(QWidget* field) {
  field->setFocusPolicy(Qt::StrongFocus);
  field->installEventFilter(new WheelGuard(field));
}

void makeQuiet(QScrollArea& scroll) {
  scroll.setWidgetResizable(true);
  scroll.setFrameShape(QFrame::NoFrame);
  scroll.setFocusPolicy(Qt::NoFocus);
}

void makeQuiet(QTableView& table) {
  table.verticalHeader()->hide();
  table.setShowGrid(false);
  table.setTabKeyNavigation(false);
  table.setWordWrap(false);
  table.horizontalHeader()->setHighlightSections(false);
}

QToolButton* makeMenuButton(QMenu* menu, const char* objectName, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setFocusPolicy(Qt::StrongFocus);
  button->setObjectName(QLatin1String(objectName));
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(menu);
  return button;
}

}  // namespace atelier::app
