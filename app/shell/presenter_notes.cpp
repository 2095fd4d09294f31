#include "presenter_notes.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTime>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/models/lesson_clock.h"
#include "app/models/words.h"
#include "app/views/learn/markdown_view.h"
#include "app/views/learn/parts.h"
#include "labs/instructor.h"
#include "theme.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr int kSecond = 1000, kWidth = 760, kHeight = 640;

// "7:05": minutes and seconds, as a stopwatch shows them in either language.
std::string stopwatch(std::int64_t seconds) {
  const auto rest = std::to_string(seconds % 60);
  return std::to_string(seconds / 60) + (rest.size() < 2 ? ":0" : ":") + rest;
}

}  // namespace

PresenterNotes::PresenterNotes(const Desktop& desktop, const LessonClock& clock)
    : QWidget(nullptr, Qt::Window), m_desktop(desktop), m_clock(clock) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  // The program ends with its main window, whatever else is open.
  setAttribute(Qt::WA_QuitOnClose, false);
  build();
  m_second.setInterval(kSecond);
  connect(&m_second, &QTimer::timeout, this, &PresenterNotes::tick);
  connect(&m_clock, &LessonClock::changed, this, &PresenterNotes::tick);
  connect(&m_desktop.learn, &LearnModel::changed, this, &PresenterNotes::refresh);
  connect(&m_desktop.words, &Words::changed, this, &PresenterNotes::refresh);
  connect(&m_desktop.theme, &Theme::changed, this, &PresenterNotes::restyle);
  restyle();
}

void PresenterNotes::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 16);
  column->setSpacing(12);
  auto* head = new QHBoxLayout;
  head->addWidget(m_overline = makeLabel("overline", this), 1);
  head->addWidget(m_time = makeLabel("h1", this));
  head->addWidget(m_day = makeLabel("soft", this));
  m_time->setWordWrap(false);
  m_day->setWordWrap(false);
  column->addLayout(head);
  column->addWidget(m_title = makeLabel("h1", this));
  auto* panel = makePanel("panel", this);
  auto* inside = new QVBoxLayout(panel);
  inside->setContentsMargins(16, 12, 8, 12);
  inside->addWidget(m_scroll = new QScrollArea(panel));
  auto* page = makePanel("plain");
  auto* text = new QVBoxLayout(page);
  text->setContentsMargins(0, 0, 8, 0);
  text->addWidget(m_view = new MarkdownView(m_desktop.theme, page));
  text->addStretch(1);
  m_scroll->setWidget(page);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setProperty("role", "reading");
  m_scroll->setFocusPolicy(Qt::StrongFocus);
  column->addWidget(panel, 1);
  column->addWidget(m_next = makeLabel("h2", this));
  column->addWidget(m_keys = makeLabel("soft", this));
}

void PresenterNotes::restyle() {
  // Begun at a size that fits beside the window; a screen of its own makes it larger.
  if (!isVisible()) resize(m_desktop.theme.px(kWidth), m_desktop.theme.px(kHeight));
  m_view->restyle();
  refresh();
}

void PresenterNotes::refresh() {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("presenter.notes.title"));
  m_keys->setText(words.text("presenter.keys"));
  const auto* session = m_desktop.learn.session();
  if (!session) {
    m_view->setText(m_markdown = words.text("presenter.notes.no_lab"));
    return;
  }
  const auto& lab = session->lab();
  const auto& step = session->step();
  const auto number = words.format().integer(session->index() + 1);
  const auto count = words.format().integer(static_cast<std::int64_t>(lab.steps.size()));
  m_overline->setText(
      words.text(wire::Message{"app.step.overline", {{"lab", lab.number}, {"step", number}, {"steps", count}}}));
  m_title->setText(QString::fromStdString(step.title));
  const auto notes = lab::instructorNotes(lab, step.id);
  m_markdown = QString::fromStdString(notes.step.empty() ? notes.general : notes.step);
  if (m_markdown.isEmpty()) m_markdown = words.text("presenter.notes.none");
  m_view->setText(m_markdown);
  name(m_scroll, words.text("presenter.notes.title"));
  const auto after = static_cast<std::size_t>(session->index()) + 1;
  m_next->setText(after < lab.steps.size() ? words.text(wire::Message{"presenter.next", {{"title", lab.steps[after].title}}})
                                           : words.text("presenter.last"));
  const auto place = QString::fromStdString(lab.id + "/" + step.id);
  if (place != m_place) m_scroll->verticalScrollBar()->setValue(0);
  m_place = place;
  tick();
}

void PresenterNotes::tick() {
  const auto& words = m_desktop.words;
  const auto elapsed = m_clock.elapsedSeconds(), planned = m_clock.plannedSeconds();
  const auto minutes = words.format().integer(planned / 60);
  const bool over = planned > 0 && elapsed > planned;
  const wire::Message said =
      over ? wire::Message{"presenter.time.over",
                           {{"elapsed", stopwatch(elapsed)}, {"minutes", minutes}, {"over", stopwatch(elapsed - planned)}}}
           : wire::Message{"presenter.time", {{"elapsed", stopwatch(elapsed)}, {"minutes", minutes}}};
  m_time->setText(words.text(said));
  m_day->setText(QTime::currentTime().toString(QStringLiteral("HH:mm")));
}

QString PresenterNotes::notes() const {
  return m_markdown;
}

QString PresenterNotes::next() const {
  return m_next->text();
}

QString PresenterNotes::time() const {
  return m_time->text();
}

void PresenterNotes::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_second.start();
  refresh();
}

void PresenterNotes::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  m_second.stop();
}

void PresenterNotes::closeEvent(QCloseEvent* event) {
  event->accept();
  Q_EMIT closedByHand();
}

}  // namespace atelier::app
