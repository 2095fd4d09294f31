#include "tour.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <string>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/views/learn/parts.h"
#include "theme.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr auto kSeen = "tour/seen";
constexpr int kWidth = 320, kGap = 12, kFrame = 4, kRadius = 10;

// Names of the parts that a card may point at, the best first.
struct Stop {
  const char* id;
  std::array<const char*, 2> targets;
};
constexpr std::array<Stop, Tour::kStops> kAll{{{"course", {"learn.course", "learn.menu"}},
                                               {"prediction", {"learn.prediction", "learn.step"}},
                                               {"run", {"learn.run", "learn.step"}},
                                               {"plots", {"learn.plots", "learn.plots"}},
                                               {"report", {"learn.next", "learn.step"}}}};

// A line around a part, through which all clicks go.
class Frame : public QWidget {
 public:
  Frame(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.tokens().accent, m_theme.px(2)));
    const double inset = m_theme.px(2);
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), m_theme.px(kRadius), m_theme.px(kRadius));
  }

 private:
  const Theme& m_theme;
};

}  // namespace

Tour::Tour(const Desktop& desktop, QWidget* window)
    : QWidget(window), m_desktop(desktop), m_frame(new Frame(desktop.theme, window)) {
  setProperty("role", "popup");
  setAttribute(Qt::WA_StyledBackground);
  hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  column->addWidget(m_count = makeLabel("overline", this));
  column->addWidget(m_title = makeLabel("h2", this));
  column->addWidget(m_text = makeLabel("body", this));
  auto* row = new QHBoxLayout;
  column->addLayout(row);
  row->addWidget(m_skip = makeButton("link", this));
  row->addStretch(1);
  row->addWidget(m_back = makeButton("", this));
  row->addWidget(m_next = makeButton("primary", this));
  connect(m_skip, &QPushButton::clicked, this, &Tour::finish);
  connect(m_back, &QPushButton::clicked, this, [this] { go(m_stop - 1); });
  connect(m_next, &QPushButton::clicked, this, [this] { go(m_stop + 1); });
  connect(&desktop.words, &Words::changed, this, &Tour::retext);
  connect(&desktop.theme, &Theme::changed, this, &Tour::follow, Qt::QueuedConnection);
  connect(&desktop.desk, &RunDesk::changed, this, &Tour::follow);
  connect(&desktop.learn, &LearnModel::changed, this, &Tour::follow, Qt::QueuedConnection);
  window->installEventFilter(this);
}

Tour::~Tour() = default;

bool Tour::seen(const Desktop& desktop) {
  return desktop.settings.value(QLatin1String(kSeen), false).toBool();
}

void Tour::start() {
  m_active = true;
  go(0);
}

void Tour::finish() {
  m_active = false;
  hide();
  m_frame->hide();
  m_desktop.settings.set(QLatin1String(kSeen), true);
}

void Tour::go(int stop) {
  if (stop >= kStops) return finish();
  m_stop = std::max(0, stop);
  retext();
  follow();
}

// Never over a measurement: the card goes while one runs, and comes back after it.
void Tour::follow() {
  const bool shown = m_active && !m_desktop.desk.busy();
  setVisible(shown);
  m_frame->setVisible(shown && target());
  if (!shown) return;
  place();
  m_frame->raise();
  raise();
}

QWidget* Tour::target() const {
  for (const char* wanted : kAll[static_cast<std::size_t>(m_stop)].targets) {
    auto* found = parentWidget()->findChild<QWidget*>(QLatin1String(wanted));
    if (found && found->isVisible() && !found->visibleRegion().isEmpty()) return found;
  }
  return nullptr;
}

void Tour::place() {
  const auto& theme = m_desktop.theme;
  setFixedWidth(std::min(theme.px(kWidth), parentWidget()->width()));
  adjustSize();
  const auto* shown = target();
  if (!shown) {
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
    return;
  }
  const auto seenPart = shown->visibleRegion().boundingRect();
  const QRect area(shown->mapTo(parentWidget(), seenPart.topLeft()), seenPart.size());
  const int air = theme.px(kFrame);
  m_frame->setGeometry(area.adjusted(-air, -air, air, air).intersected(parentWidget()->rect()));
  move(cornerBeside(area));
}

// Right of it, left, below, above, where there is room; else inside its lower edge.
QPoint Tour::cornerBeside(const QRect& area) const {
  const auto window = parentWidget()->rect();
  const int gap = m_desktop.theme.px(kGap);
  const int x = std::clamp(area.left(), gap, std::max(gap, window.width() - width() - gap));
  const int y = std::clamp(area.top(), gap, std::max(gap, window.height() - height() - gap));
  if (area.right() + 2 * gap + width() <= window.right()) return {area.right() + gap, y};
  if (area.left() - 2 * gap - width() >= 0) return {area.left() - gap - width(), y};
  if (area.bottom() + 2 * gap + height() <= window.bottom()) return {x, area.bottom() + gap};
  if (area.top() - 2 * gap - height() >= 0) return {x, area.top() - gap - height()};
  return {x, std::max(gap, area.bottom() - height() - gap)};
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  // Once the window's own layout has moved its parts.
  if (watched == parent() && event->type() == QEvent::Resize && m_active) QTimer::singleShot(0, this, &Tour::follow);
  return QWidget::eventFilter(watched, event);
}

void Tour::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) finish();
  else QWidget::keyPressEvent(event);
}

void Tour::retext() {
  const auto& words = m_desktop.words;
  const auto id = std::string("tour.") + kAll[static_cast<std::size_t>(m_stop)].id;
  m_count->setText(words.text(
      wire::Message{"tour.count", {{"stop", words.format().integer(m_stop + 1)}, {"stops", words.format().integer(kStops)}}}));
  m_title->setText(words.text(id));
  m_text->setText(words.text(id + ".text"));
  m_skip->setText(words.text("tour.skip"));
  m_back->setText(words.text("app.step.back"));
  m_back->setEnabled(m_stop > 0);
  m_next->setText(words.text(m_stop + 1 == kStops ? "tour.end" : "app.step.next"));
  setAccessibleName(m_title->text());
  if (m_active) QTimer::singleShot(0, this, &Tour::follow);
}

}  // namespace atelier::app
