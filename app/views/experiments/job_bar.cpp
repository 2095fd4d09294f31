#include "job_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kBarSteps = 1000;

}  // namespace

JobBar::JobBar(const Desktop& desktop, JobWatch& job, QWidget* parent)
    : QWidget(parent), m_theme(desktop.theme), m_words(desktop.words), m_job(job) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_pause = makeButton("", this));
  row->addWidget(m_stop = makeButton("", this));
  row->addWidget(m_bar = new QProgressBar(this), 1);
  row->addWidget(m_left = makeLabel("soft", this));
  column->addLayout(row);
  column->addWidget(m_state = makeLabel("soft", this));
  m_left->setWordWrap(false);
  m_bar->setRange(0, kBarSteps);
  m_bar->setTextVisible(false);
  connect(m_pause, &QPushButton::clicked, &m_job, &JobWatch::togglePause);
  connect(m_stop, &QPushButton::clicked, &m_job, &JobWatch::stop);
  connect(&m_job, &JobWatch::stateChanged, this, &JobBar::refresh);
  connect(&m_job, &JobWatch::tick, this, &JobBar::tick);
  connect(&desktop.words, &Words::changed, this, &JobBar::refresh);
  connect(&desktop.theme, &Theme::changed, this, &JobBar::refresh);
  refresh();
}

void JobBar::setPrefix(const QString& prefix) {
  if (prefix == m_prefix) return;
  m_prefix = prefix;
  tick();
}

void JobBar::refresh() {
  const bool paused = m_job.state() == JobWatch::State::Paused;
  setVisible(!m_job.idle());
  m_pause->setText(m_words.text(paused ? "app.run.resume" : "app.run.pause"));
  m_pause->setIcon(m_theme.icon(paused ? QStringLiteral("play") : QStringLiteral("pause")));
  m_stop->setText(m_words.text(m_job.state() == JobWatch::State::Waiting ? "jobbar.take_out" : "app.run.stop"));
  m_stop->setIcon(m_theme.icon(QStringLiteral("stop")));
  m_stop->setEnabled(m_job.state() != JobWatch::State::Stopping);
  name(m_bar, m_words.text("app.run.progress"));
  tick();
}

QString JobBar::state() const {
  using State = JobWatch::State;
  switch (m_job.state()) {
    case State::Idle:
      return QString();
    case State::Waiting:
      return m_words.text("jobbar.waiting");
    case State::Paused:
      return m_words.text("app.phase.paused");
    case State::Stopping:
      return m_words.text("app.phase.stopping");
    default:
      break;
  }
  const auto& phase = m_job.progress().phase();
  const auto id = phase.isEmpty() ? std::string("app.phase.starting") : "app.phase." + phase.toStdString();
  return m_prefix.isEmpty() ? m_words.text(id) : m_prefix + QStringLiteral("  ·  ") + m_words.text(id);
}

void JobBar::tick() {
  if (m_job.idle()) return;
  const auto& progress = m_job.progress();
  m_pause->setEnabled(m_job.canPause());
  m_bar->setValue(static_cast<int>(std::lround(progress.share() * kBarSteps)));
  const bool goes = m_job.state() == JobWatch::State::Running || m_job.state() == JobWatch::State::Paused;
  const auto left = goes ? progress.secondsLeft() : std::nullopt;
  const auto time = left ? m_words.format().duration(std::ceil(*left)) : std::string();
  showText(m_left, left ? m_words.text(wire::Message{"app.run.left", {{"time", time}}}) : QString());
  showText(m_state, state());
}

}  // namespace atelier::app
