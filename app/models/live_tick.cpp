#include "live_tick.h"

#include <utility>

namespace atelier::app {

LiveTick::LiveTick(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  connect(&m_timer, &QTimer::timeout, this, [this] {
    m_timer.start(m_pacer.next());
    if (std::exchange(m_fresh, false)) Q_EMIT look();
  });
}

void LiveTick::start() {
  m_fresh = false;
  m_pacer.reset();
  m_timer.start(m_pacer.next());
}

bool LiveTick::stop() {
  m_timer.stop();
  return std::exchange(m_fresh, false);
}

}  // namespace atelier::app
