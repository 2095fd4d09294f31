// ReplayPanel: recorded runs played anew: the plots with the mark that nothing of it is measured here, where and when it was
// recorded, the bar that plays it, and at the end what it came to. It reads in the background; while it reads, and when there
// is nothing to play, it says so. A page for a tab or a dialog. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/redraw_pacer.h"
#include "app/models/replay.h"

class QLabel;
class QPushButton;
class QStackedLayout;

namespace atelier::app {

struct Desktop;
class PlotColumn;
class ReplayBar;

class ReplayPanel : public QWidget {
  Q_OBJECT
 public:
  // REQUIRES: the desktop outlives the panel.
  ReplayPanel(const Desktop& desktop, QWidget* parent);

  // An id of a run, a race or a sweep, or an archive file; see findRecording(). A run of a race brings the whole race.
  void load(const QString& what);
  // In a window of its own, that goes when it is closed.
  static void open(const Desktop& desktop, const QString& what, QWidget* parent);

  Replay& player() { return m_player; }
  bool loading() const { return m_loading; }
  // Shown when there is nothing to play: why, and what to do.
  QString problem() const;

 protected:
  bool event(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void buildHead(QWidget* page);
  void buildBody();
  void buildActions();
  void take(wire::Result<Recording> read);
  void refresh();
  void draw();
  void showResult();
  void makeReport();
  void tellReport(const QString& sentence, bool failed);
  void tellProblem();

  const Desktop& m_desktop;
  Replay m_player;
  RedrawPacer m_pacer;
  wire::Error m_error;
  QString m_what;
  int m_reading = 0;
  bool m_loading = false;
  QStackedLayout* m_pages = nullptr;
  QWidget *m_waitPage = nullptr, *m_playPage = nullptr;
  QLabel *m_problemTitle = nullptr, *m_problemText = nullptr;
  QLabel *m_title = nullptr, *m_mark = nullptr, *m_recorded = nullptr, *m_result = nullptr, *m_told = nullptr;
  QPushButton* m_report = nullptr;
  PlotColumn* m_plots = nullptr;
  ReplayBar* m_bar = nullptr;
};

}  // namespace atelier::app
