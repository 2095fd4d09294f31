// LessonClock: how long a lab has been taught, against the minutes that it is planned for. It stands still until it is started,
// and begins anew with each lab. GUI thread.
#pragma once

#include <QObject>

#include <cstdint>
#include <functional>
#include <string>

namespace atelier::app {

class LessonClock : public QObject {
  Q_OBJECT
 public:
  using Clock = std::function<std::int64_t()>;  // monotonic nanoseconds

  explicit LessonClock(QObject* parent = nullptr);
  explicit LessonClock(Clock clock, QObject* parent = nullptr);

  // Another lab begins at zero, and goes on going when the one before did.
  void setLab(const std::string& lab, int minutes);
  void toggle();
  void reset();  // to zero, stopped

  bool going() const { return m_going; }
  std::int64_t elapsedSeconds() const;
  std::int64_t plannedSeconds() const { return m_planned; }

 Q_SIGNALS:
  void changed();  // started, stopped, another lab; not each second

 private:
  Clock m_clock;
  std::string m_lab;
  std::int64_t m_planned = 0;              // seconds
  std::int64_t m_before = 0, m_since = 0;  // nanoseconds
  bool m_going = false;
};

}  // namespace atelier::app
