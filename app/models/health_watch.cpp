#include "health_watch.h"

#include <variant>

namespace atelier::app {

HealthWatch::HealthWatch(RunDesk& desk, QObject* parent) : QObject(parent), m_desk(desk) {
  connect(&m_desk, &RunDesk::started, this, &HealthWatch::begin);
  connect(&m_desk, &RunDesk::event, this, [this](int, const wire::RunEvent& event) { take(event); });
  connect(&m_desk, &RunDesk::ended, this, &HealthWatch::end);
  connect(&m_tick, &LiveTick::look, this, &HealthWatch::changed);
}

void HealthWatch::begin() {
  m_health = {};
  m_gradients = {};
  m_live = true;
  m_label = m_desk.current() ? m_desk.current()->job.label : QString();
  m_tick.start();
  Q_EMIT changed();
}

void HealthWatch::take(const wire::RunEvent& event) {
  if (const auto* sampled = std::get_if<wire::HealthSampled>(&event.body)) m_health = sampled->health;
  else if (const auto* gradients = std::get_if<wire::GradientsSampled>(&event.body)) m_gradients = gradients->gradients;
  else return;
  m_tick.note();
}

void HealthWatch::end() {
  m_live = false;
  m_tick.stop();
  Q_EMIT changed();
}

}  // namespace atelier::app
