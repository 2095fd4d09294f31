#include "empty_state.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kIcon = 40, kSpacing = 8, kLongestLine = 72;

// A text's width follows its font, which presenter mode changes.
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

EmptyState::EmptyState(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_column(new QVBoxLayout(this)) {
  setProperty("role", "plain");
  setAttribute(Qt::WA_StyledBackground);
  m_column->setSpacing(kSpacing);
  m_column->addStretch(1);
  m_column->addWidget(m_icon = makeLabel("plain", this));
  m_column->addWidget(m_title = makeLabel("h2", this));
  m_text = makeLabel("soft", this);
  m_text->installEventFilter(new ColumnWidth(m_text));
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(m_text, 100);
  row->addStretch(1);
  m_column->addLayout(row);
  m_column->addStretch(1);
  for (auto* label : {m_icon, m_title, m_text}) label->setAlignment(Qt::AlignHCenter);
  connect(&theme, &Theme::changed, this, &EmptyState::restyle);
  restyle();
}

void EmptyState::setTexts(const QString& title, const QString& text) {
  m_title->setText(title);
  showText(m_text, text);
}

void EmptyState::addBelow(QWidget* widget) {
  // Above the stretch at the end.
  m_column->insertSpacing(m_column->count() - 1, kSpacing);
  m_column->insertWidget(m_column->count() - 1, widget, 0, Qt::AlignHCenter);
}

void EmptyState::restyle() {
  m_icon->setPixmap(m_theme.pixmap(QStringLiteral("chart"), m_theme.tokens().soft, m_theme.px(kIcon)));
}

}  // namespace atelier::app
