#include "run_controls.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

#include "app/models/learn_model.h"
#include "app/models/learn_texts.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kBarSteps = 1000;

}  // namespace

RunControls::RunControls(const Theme& theme, LearnModel& model, QWidget* parent) : QWidget(parent), m_theme(theme), m_model(model) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_run = makeButton("", this));
  row->addWidget(m_pause = makeButton("", this));
  row->addWidget(m_stop = makeButton("", this));
  row->addWidget(m_bar = new QProgressBar(this), 1);
  row->addWidget(m_left = makeLabel("soft", this));
  m_left->setWordWrap(false);
  m_bar->setRange(0, kBarSteps);
  m_bar->setTextVisible(false);
  column->addLayout(row);
  column->addWidget(m_state = makeLabel("soft", this));
  connect(m_run, &QPushButton::clicked, &m_model, &LearnModel::run);
  connect(m_pause, &QPushButton::clicked, &m_model, &LearnModel::togglePause);
  connect(m_stop, &QPushButton::clicked, &m_model, &LearnModel::stop);
}

QString RunControls::waiting() const {
  const auto* session = m_model.session();
  if (m_model.schema().options().empty()) return m_model.text("app.run.no_schema");
  const auto time = m_model.format().duration(session->step().experiment->seconds);
  return m_model.text(wire::Message{"app.run.about", {{"time", time}}});
}

void RunControls::refresh() {
  const auto* session = m_model.session();
  const bool has = session && session->step().experiment;
  setVisible(has);
  if (!has) return;
  using State = LearnModel::RunState;
  const auto state = m_model.runState();
  const bool runs = m_model.running(), again = session->progress(session->step().id).outcome.has_value();
  const bool race = session->step().experiment->verb == "race";
  const char* raceText = again ? "app.run.race_again" : "app.run.race";
  m_run->setText(m_model.text(race ? raceText : again ? "app.run.run_again" : "app.run.run"));
  m_run->setEnabled(m_model.canRun());
  m_pause->setText(m_model.text(state == State::Paused ? "app.run.resume" : "app.run.pause"));
  m_pause->setIcon(m_theme.icon(state == State::Paused ? QStringLiteral("play") : QStringLiteral("pause")));
  m_stop->setText(m_model.text("app.run.stop"));
  m_stop->setIcon(m_theme.icon(QStringLiteral("stop")));
  m_pause->setVisible(runs);
  m_stop->setVisible(runs);
  m_pause->setEnabled(state == State::Running || state == State::Paused);
  m_stop->setEnabled(state != State::Stopping);
  m_bar->setVisible(runs);
  m_bar->setAccessibleName(m_model.text("app.run.progress"));
  m_left->setVisible(runs);
  tick();
}

void RunControls::tick() {
  if (!isVisibleTo(parentWidget())) return;
  using State = LearnModel::RunState;
  const auto& progress = m_model.progress();
  if (!m_model.running()) {
    m_state->setText(waiting());
    return;
  }
  m_bar->setValue(static_cast<int>(std::lround(progress.share() * kBarSteps)));
  const auto left = progress.secondsLeft();
  const auto time = left ? m_model.format().duration(std::ceil(*left)) : std::string();
  m_left->setText(left ? m_model.text(wire::Message{"app.run.left", {{"time", time}}}) : QString());
  std::string phase = "app.phase.starting";
  if (m_model.runState() == State::Stopping)
    phase = "app.phase.stopping";
  else if (m_model.runState() == State::Paused)
    phase = "app.phase.paused";
  else if (!progress.phase().isEmpty())
    phase = "app.phase." + progress.phase().toStdString();
  auto line = m_model.text(phase);
  if (m_model.raceSoFar())
    line += QStringLiteral("  ") + LearnTexts(m_model.catalog(), m_model.format()).raceSoFar(*m_model.raceSoFar());
  m_state->setText(line);
}

}  // namespace atelier::app
