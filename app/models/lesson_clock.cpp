#include "lesson_clock.h"

#include <chrono>
#include <utility>

namespace atelier::app {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

LessonClock::LessonClock(QObject* parent) : LessonClock(steadyNanoseconds, parent) {}

LessonClock::LessonClock(Clock clock, QObject* parent) : QObject(parent), m_clock(std::move(clock)) {}

void LessonClock::setLab(const std::string& lab, int minutes) {
  const bool another = std::exchange(m_lab, lab) != lab;
  const auto planned = static_cast<std::int64_t>(minutes) * 60;
  if (std::exchange(m_planned, planned) == planned && !another) return;
  if (another) {
    m_before = 0;
    m_since = m_clock();
  }
  Q_EMIT changed();
}

void LessonClock::toggle() {
  if (m_going) m_before += m_clock() - m_since;
  m_since = m_clock();
  m_going = !m_going;
  Q_EMIT changed();
}

void LessonClock::reset() {
  m_before = 0;
  m_going = false;
  Q_EMIT changed();
}

std::int64_t LessonClock::elapsedSeconds() const {
  return (m_before + (m_going ? m_clock() - m_since : 0)) / kSecond;
}

}  // namespace atelier::app
