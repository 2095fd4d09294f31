#include "parts.h"

#include <QEvent>
#include <QStyle>
#include <QVBoxLayout>
#include <QVariant>

namespace atelier::app {

namespace {

constexpr int kLongestLine = 72;

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

// Its width follows the font, which presenter mode changes.
class ColumnWidth : public QObject {
 public:
  explicit ColumnWidth(QLabel* text) : QObject(text), m_text(text) { fit(); }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
    return QObject::eventFilter(watched, event);
  }

 private:
  void fit() { m_text->setMaximumWidth(kLongestLine * m_text->fontMetrics().averageCharWidth()); }
  QLabel* m_text;
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

void addCentred(QVBoxLayout& column, QLabel* text) {
  text->setAlignment(Qt::AlignHCenter);
  text->installEventFilter(new ColumnWidth(text));
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(text, 100);
  row->addStretch(1);
  column.addLayout(row);
}

}  // namespace atelier::app
