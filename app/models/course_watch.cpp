#include "course_watch.h"

#include <QGuiApplication>

#include "labs/reload.h"
#include "learn_model.h"
#include "run_desk.h"

namespace atelier::app {

CourseWatch::CourseWatch(LearnModel& model, const RunDesk& desk, QObject* parent)
    : QObject(parent), m_model(model), m_desk(desk), m_stamp(lab::courseStamp(model.courseFolder())) {
  connect(&m_timer, &QTimer::timeout, this, [this] {
    if (QGuiApplication::applicationState() == Qt::ApplicationActive) look();
  });
  m_timer.start(kPeriod);
}

bool CourseWatch::look() {
  if (m_desk.busy()) return false;
  const auto stamp = lab::courseStamp(m_model.courseFolder());
  if (stamp == m_stamp) return false;
  m_stamp = stamp;
  m_model.reloadCourse();
  return true;
}

}  // namespace atelier::app
