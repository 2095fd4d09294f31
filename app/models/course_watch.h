// CourseWatch: a course of one's own, read anew soon after one of its files was written, so that its author sees it as a
// learner would. It looks once a second, only while the window is in use, and never while something is measured. GUI thread.
#pragma once

#include <QObject>
#include <QTimer>

#include <cstdint>

namespace atelier::app {

class LearnModel;
class RunDesk;

class CourseWatch : public QObject {
  Q_OBJECT
 public:
  static constexpr int kPeriod = 1000;  // milliseconds

  CourseWatch(LearnModel& model, const RunDesk& desk, QObject* parent = nullptr);

  // What the timer does; true when the course was read anew.
  bool look();

 private:
  LearnModel& m_model;
  const RunDesk& m_desk;
  QTimer m_timer;
  std::uint64_t m_stamp = 0;
};

}  // namespace atelier::app
