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
  m_live = true;
  m_label = m_desk.current() ? m_desk.current()->job.label : QString();
  m_tick.start();
  Q_EMIT changed();
}

void HealthWatch::take(const wire::RunEvent& event) {
  const auto* sampled = std::get_if<wire::HealthSampled>(&event.body);
  if (!sampled) return;
  m_health = sampled->health;
  m_tick.note();
}

void HealthWatch::end() {
  m_live = false;
  m_tick.stop();
  Q_EMIT changed();
}

}  // namespace atelier::app
