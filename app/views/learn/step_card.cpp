#include "step_card.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/learn_model.h"
#include "app/shell/theme.h"
#include "error_card.h"
#include "knob_widget.h"
#include "ladder_card.h"
#include "markdown_view.h"
#include "parts.h"
#include "prediction_card.h"
#include "quiz_card.h"
#include "replay_controls.h"
#include "result_card.h"
#include "run_controls.h"
#include "run_strip.h"

namespace atelier::app {

namespace {

// kRing: of the scroll area's focus; all else keeps in line with what stands inside of it. kScrolling: ring, bar and the air
// beside it.
constexpr int kRing = 2, kLeft = 24 - kRing, kRight = 12, kScrolling = 24;

}  // namespace

StepCard::StepCard(const Theme& theme, LearnModel& model, QWidget* parent) : QWidget(parent), m_theme(theme), m_model(model) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kLeft, 20, kRight, 16);
  column->setSpacing(12);
  buildHead(column);
  buildBody(column);
  buildFoot(column);
  m_menu->setObjectName(QStringLiteral("learn.menu"));
  m_prediction->setObjectName(QStringLiteral("learn.prediction"));
  m_run->setObjectName(QStringLiteral("learn.run"));
  m_next->setObjectName(QStringLiteral("learn.next"));
  restyle();
}

void StepCard::buildHead(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->addWidget(m_menu = new QToolButton(this));
  row->addWidget(m_overline = makeLabel("overline", this), 1);
  m_menu->setFocusPolicy(Qt::StrongFocus);
  m_menu->hide();
  column->addLayout(row);
  column->addWidget(m_title = makeLabel("h1", this));
  m_overline->setContentsMargins(kRing, 0, 0, 0);
  m_title->setContentsMargins(kRing, 0, 0, 0);
  connect(m_menu, &QToolButton::clicked, this, &StepCard::menuAsked);
}

void StepCard::buildBody(QVBoxLayout* column) {
  m_scroll = new QScrollArea(this);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::StrongFocus);
  m_scroll->setProperty("role", "reading");
  m_content = makePanel("plain");
  auto* body = new QVBoxLayout(m_content);
  body->setContentsMargins(0, 0, 8, 0);
  body->setSpacing(12);
  m_notice = makePanel("notice", m_content);
  auto* notice = new QHBoxLayout(m_notice);
  notice->addWidget(m_noticeText = makeLabel("body", m_notice), 1);
  notice->addWidget(m_dismiss = makeButton("link", m_notice), 0, Qt::AlignTop);
  body->addWidget(m_notice);
  body->addWidget(m_body = new MarkdownView(m_theme, m_content));
  body->addWidget(m_copyCode = makeButton("link", m_content), 0, Qt::AlignLeft);
  body->addWidget(m_prediction = new PredictionCard(m_model, m_content));
  body->addWidget(m_knobs = new KnobWidget(m_theme, m_model, m_content));
  body->addWidget(m_error = new ErrorCard(m_theme, m_model, m_content));
  body->addWidget(m_result = new ResultCard(m_model, m_content));
  body->addWidget(m_ladder = new LadderCard(m_theme, m_model, m_content));
  body->addWidget(m_hints = new MarkdownView(m_theme, m_content));
  body->addWidget(m_solution = new MarkdownView(m_theme, m_content));
  body->addWidget(m_quiz = new QuizCard(m_theme, m_model, m_content));
  body->addStretch(1);
  m_scroll->setWidget(m_content);
  column->addWidget(m_scroll, 1);
  // Below what scrolls: however long the text, the run and its progress stay in sight.
  auto* run = new QHBoxLayout;
  run->setContentsMargins(kRing, 0, 12, 0);
  run->addWidget(m_run = new RunControls(m_theme, m_model, this));
  column->addLayout(run);
  auto* replay = new QHBoxLayout;
  replay->setContentsMargins(kRing, 0, 12, 0);
  replay->addWidget(m_replay = new ReplayControls(m_theme, m_model, this));
  column->addLayout(replay);
  column->addWidget(m_strip = new RunStrip(m_theme, m_model, this));
  connect(m_dismiss, &QPushButton::clicked, &m_model, &LearnModel::dismissNotices);
  connect(m_copyCode, &QPushButton::clicked, this, [this] {
    const auto& session = *m_model.session();
    const auto body = QString::fromStdString(session.body(session.step(), m_model.language()));
    QGuiApplication::clipboard()->setText(MarkdownView::code(body));
    m_copyCode->setText(m_model.text("app.step.code_copied"));
  });
}

void StepCard::buildFoot(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(kRing, 0, 12, 0);
  row->setSpacing(8);
  row->addWidget(m_hint = makeButton("", this));
  row->addWidget(m_solve = makeButton("", this));
  row->addStretch(1);
  row->addWidget(m_back = makeButton("", this));
  row->addWidget(m_next = makeButton("", this));
  column->addLayout(row);
  connect(m_hint, &QPushButton::clicked, this, [this] {
    m_model.nextHint();
    reveal(m_hints);
  });
  connect(m_solve, &QPushButton::clicked, this, [this] {
    m_model.showSolution();
    reveal(m_solution);
  });
  connect(m_back, &QPushButton::clicked, this, [this] { m_model.go(-1); });
  connect(m_next, &QPushButton::clicked, this, &StepCard::next);
}

void StepCard::restyle() {
  m_menu->setIcon(m_theme.icon(QStringLiteral("menu"), m_theme.tokens().soft));
  m_copyCode->setIcon(m_theme.icon(QStringLiteral("copy"), m_theme.tokens().accent));
  for (auto* view : {m_body, m_hints, m_solution}) view->restyle();
  m_ladder->restyle();
  // No wider than a line may be: on a wide screen the plots get the room.
  setMaximumWidth(m_theme.lineWidth() + kLeft + kRight + m_theme.px(kScrolling));
  refresh();
}

void StepCard::setMenuVisible(bool visible) {
  m_menu->setVisible(visible);
}

bool StepCard::isMenu(const QWidget* widget) const {
  return widget == m_menu;
}

void StepCard::page(int direction) {
  auto* bar = m_scroll->verticalScrollBar();
  const int line = bar->singleStep();
  const bool end = direction > 0 ? bar->value() >= bar->maximum() : bar->value() <= bar->minimum();
  if (end) m_model.go(direction);
  else bar->setValue(bar->value() + direction * std::max(line, bar->pageStep() - 2 * line));
}

bool StepCard::atEnd() const {
  return m_model.session() && !m_model.canGo(1);
}

void StepCard::refresh() {
  const bool any = m_model.session() != nullptr;
  m_content->setEnabled(any);
  showText();
  showNotices();
  m_prediction->refresh();
  m_knobs->refresh();
  m_run->refresh();
  m_replay->refresh();
  m_error->refresh();
  m_result->refresh();
  m_ladder->refresh();
  showHelp();
  m_quiz->refresh();
  m_strip->refresh();
  showFoot();
  choosePrimary();
  revealResult();
}

void StepCard::tick() {
  // Half as often is enough for a bar and a countdown; each change of text lays the card out again.
  if (++m_ticks % 2 != 0) return;
  m_run->tick();
  m_strip->tick();
}

void StepCard::showText() {
  const auto* session = m_model.session();
  name(m_menu, m_model.text("app.course.open"));
  m_menu->setToolTip(m_model.text("app.course.open"));
  if (!session) {
    m_overline->clear();
    m_title->setText(m_model.text("app.step.no_lab"));
    m_body->setText(m_model.text("app.step.no_lab_text"));
    m_copyCode->hide();
    return;
  }
  const auto& step = session->step();
  const auto& lab = session->lab();
  name(m_scroll, QString::fromStdString(step.title));
  const auto at = m_model.format().integer(session->index() + 1);
  const auto all = m_model.format().integer(static_cast<std::int64_t>(lab.steps.size()));
  m_overline->setText(m_model.text(wire::Message{"app.step.overline", {{"lab", lab.number}, {"step", at}, {"steps", all}}}));
  m_title->setText(QString::fromStdString(step.title));
  const auto body = QString::fromStdString(session->body(step, m_model.language()));
  m_body->setText(body);
  m_copyCode->setText(m_model.text("app.step.copy_code"));
  m_copyCode->setVisible(!MarkdownView::code(body).isEmpty());
  const auto place = QString::fromStdString(session->lab().id + "/" + step.id);
  if (place != m_place) m_scroll->verticalScrollBar()->setValue(0);
  m_place = place;
}

// What has just appeared is scrolled into sight, once it has its place.
void StepCard::reveal(QWidget* part) {
  QTimer::singleShot(0, part, [this, part] { m_scroll->ensureWidgetVisible(part, 0, 8); });
}

void StepCard::revealResult() {
  const bool running = m_model.running();
  if (m_wasRunning && !running) reveal(m_model.failure() ? static_cast<QWidget*>(m_error) : m_result);
  m_wasRunning = running;
}

void StepCard::showNotices() {
  QStringList lines;
  for (const auto& message : m_model.notices()) lines << m_model.text(message);
  m_notice->setVisible(!lines.isEmpty());
  m_noticeText->setText(lines.join(QLatin1Char('\n')));
  m_dismiss->setText(m_model.text("app.notice.dismiss"));
}

void StepCard::showHelp() {
  const auto* session = m_model.session();
  QStringList hints;
  QString solution;
  if (session) {
    hints = m_model.hintsShown();
    const auto& step = session->step();
    if (session->progress(step.id).solution_shown) solution = QString::fromStdString(step.solution);
  }
  const auto heading = [this](const char* id) { return QStringLiteral("**") + m_model.text(id) + QStringLiteral("** "); };
  QStringList parts;
  for (const auto& hint : hints) parts << heading("app.step.hint_heading") + hint;
  m_hints->setVisible(!parts.isEmpty());
  m_hints->setText(parts.join(QStringLiteral("\n\n")));
  m_solution->setVisible(!solution.isEmpty());
  m_solution->setText(solution.isEmpty() ? solution : heading("app.step.solution_heading") + solution);
}

void StepCard::showFoot() {
  const auto* session = m_model.session();
  const auto* step = session ? &session->step() : nullptr;
  const auto hints = step ? static_cast<int>(step->hints.size()) : 0;
  const int shown = step ? session->progress(step->id).hints_shown : 0;
  m_hint->setVisible(hints > 0);
  m_hint->setEnabled(shown < hints);
  m_hint->setText(m_model.text(shown == 0 ? "app.step.hint" : "app.step.another_hint"));
  const bool solvable = step && (!step->solution.empty() || !step->solution_knobs.empty());
  m_solve->setVisible(solvable);
  m_solve->setEnabled(solvable && !session->progress(step->id).solution_shown && !m_model.running());
  m_solve->setText(m_model.text("app.step.solution"));
  m_solve->setToolTip(m_model.text("app.step.solution_note"));
  m_back->setText(m_model.text("app.step.back"));
  m_back->setEnabled(m_model.canGo(-1));
  m_next->setText(m_model.text(atEnd() ? "app.step.report" : "app.step.next"));
  m_next->setEnabled(session && !(atEnd() && m_model.running()));
}

void StepCard::choosePrimary() {
  const auto* session = m_model.session();
  QPushButton* primary = m_next;
  if (session) {
    const auto& step = session->step();
    if (m_model.running()) primary = nullptr;
    else if (m_prediction->wanted()) primary = m_prediction->commitButton();
    else if (step.experiment && !session->progress(step.id).outcome && !session->obstacle(step.id))
      primary = m_run->runButton();
  }
  for (auto* button : {m_prediction->commitButton(), m_run->runButton(), m_next})
    setRole(button, button == primary ? QStringLiteral("primary") : QString());
  const auto& tokens = m_theme.tokens();
  m_run->runButton()->setIcon(
      m_theme.icon(QStringLiteral("play"), primary == m_run->runButton() ? tokens.onAccent : tokens.text));
}

void StepCard::next() {
  if (atEnd()) makeReport();
  else m_model.go(1);
}

}  // namespace atelier::app
