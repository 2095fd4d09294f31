// JobBar: a job that a page has submitted: what it does now, how far it is, pause and stop. Hidden when there is none. GUI
// thread.
#pragma once

#include <QWidget>

#include "app/models/job_watch.h"
#include "app/shell/view.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace atelier::app {

class JobBar : public QWidget {
  Q_OBJECT
 public:
  JobBar(const Desktop& desktop, JobWatch& job, QWidget* parent = nullptr);

  QPushButton* stopButton() const { return m_stop; }
  // Stands before what the job does: "Point 3 of 12".
  void setPrefix(const QString& prefix);

 private:
  void refresh();
  void tick();
  QString state() const;

  const Theme& m_theme;
  const Words& m_words;
  JobWatch& m_job;
  QPushButton *m_pause = nullptr, *m_stop = nullptr;
  QProgressBar* m_bar = nullptr;
  QLabel *m_left = nullptr, *m_state = nullptr;
  QString m_prefix;
};

}  // namespace atelier::app
