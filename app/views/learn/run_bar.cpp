#include "run_bar.h"

#include <QBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <cmath>

#include "app/models/learn_model.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kBarSteps = 1000, kOneRow = 440;

}  // namespace

RunBar::RunBar(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_rows(new QBoxLayout(QBoxLayout::LeftToRight, this)) {
  setProperty("role", "plain");
  m_rows->setContentsMargins(0, 0, 0, 0);
  m_rows->setSpacing(8);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(m_pause = makeButton("", this));
  buttons->addWidget(m_stop = makeButton("", this));
  buttons->addStretch(1);
  auto* progress = new QHBoxLayout;
  progress->setSpacing(12);
  progress->addWidget(m_bar = new QProgressBar(this), 1);
  progress->addWidget(m_left = makeLabel("soft", this));
  m_rows->addLayout(buttons);
  m_rows->addLayout(progress, 1);
  m_left->setWordWrap(false);
  m_bar->setRange(0, kBarSteps);
  m_bar->setTextVisible(false);
  connect(m_pause, &QPushButton::clicked, &m_model, &LearnModel::togglePause);
  connect(m_stop, &QPushButton::clicked, &m_model, &LearnModel::stop);
}

void RunBar::refresh() {
  using State = LearnModel::RunState;
  const bool paused = m_model.runState() == State::Paused;
  m_pause->setText(m_model.text(paused ? "app.run.resume" : "app.run.pause"));
  m_pause->setIcon(m_theme.icon(paused ? QStringLiteral("play") : QStringLiteral("pause")));
  m_stop->setText(m_model.text("app.run.stop"));
  m_stop->setIcon(m_theme.icon(QStringLiteral("stop")));
  m_stop->setEnabled(m_model.running() && m_model.runState() != State::Stopping);
  name(m_bar, m_model.text("app.run.progress"));
  arrange();
  tick();
}

void RunBar::tick() {
  if (!isVisibleTo(parentWidget()) || !m_model.running()) return;
  const auto& progress = m_model.progress();
  m_pause->setEnabled(m_model.canPause());
  m_bar->setValue(static_cast<int>(std::lround(progress.share() * kBarSteps)));
  const auto left = m_model.runState() == LearnModel::RunState::Stopping ? std::nullopt : progress.secondsLeft();
  const auto time = left ? m_model.format().duration(std::ceil(*left)) : std::string();
  showText(m_left, left ? m_model.text(wire::Message{"app.run.left", {{"time", time}}}) : QString());
}

bool RunBar::holdsFocus() const {
  return m_pause->hasFocus() || m_stop->hasFocus();
}

void RunBar::arrange() {
  const bool oneRow = width() >= m_theme.px(kOneRow) && m_theme.scale() <= 1;
  m_rows->setDirection(oneRow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void RunBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace atelier::app
