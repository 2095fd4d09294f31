// PresenterNotes: the trainer's own window, on the second screen or beside: the instructor's notes of the step in large type,
// what comes next, the lab's timer against its planned minutes, the time of day, and the keys. It only shows. GUI thread.
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QScrollArea;

namespace atelier::app {

struct Desktop;
class LessonClock;
class MarkdownView;

class PresenterNotes : public QWidget {
  Q_OBJECT
 public:
  // A window of its own. REQUIRES: desktop and clock outlive it.
  PresenterNotes(const Desktop& desktop, const LessonClock& clock);

  QString notes() const;  // Markdown, as shown
  QString next() const;
  QString time() const;

 Q_SIGNALS:
  void closedByHand();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void build();
  void refresh();
  void restyle();
  void tick();

  const Desktop& m_desktop;
  const LessonClock& m_clock;
  QTimer m_second;
  QString m_markdown, m_place;
  QLabel *m_overline = nullptr, *m_title = nullptr, *m_next = nullptr, *m_time = nullptr, *m_day = nullptr, *m_keys = nullptr;
  QScrollArea* m_scroll = nullptr;
  MarkdownView* m_view = nullptr;
};

}  // namespace atelier::app
