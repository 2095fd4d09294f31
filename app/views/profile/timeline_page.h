// TimelinePage: the trace over time, below it its call stacks as an icicle, beside it what is known of what is selected. A
// search dims the rest; tracks can be left out. GUI thread.
#pragma once

#include <QTimer>

#include "profile_page.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QSplitter;
class QToolButton;

namespace atelier::app {

class EventDetails;
class FlamePlot;
class TimelinePlot;

class TimelinePage : public ProfilePage {
  Q_OBJECT
 public:
  TimelinePage(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  TimelinePlot& timeline() { return *m_timeline; }
  FlamePlot& flame() { return *m_flame; }
  EventDetails& details() { return *m_details; }
  QLineEdit& searchField() { return *m_search; }
  QMenu& tracks() { return *m_trackMenu; }
  void showSelected();  // zooms so that it is in view
  void takeSearchFocus();
  void setFlameShown(bool shown);
  bool flameShown() const;
  std::vector<Picture> pictures() override;

 protected:
  void fill() override;
  void release() override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void buildBar(QHBoxLayout& row);
  void buildActions();
  void showTrace(TraceDocument::ContentPtr content);
  void fillTracks();
  void search();
  void step(int direction);
  void showMatches(std::size_t matches);
  void restyle();

  TraceDocument::ContentPtr m_shown;
  QTimer m_typing;
  QLineEdit* m_search = nullptr;
  QLabel* m_matches = nullptr;
  QToolButton *m_back = nullptr, *m_next = nullptr, *m_tracks = nullptr;
  QPushButton *m_flameButton = nullptr, *m_fit = nullptr, *m_whole = nullptr;
  QMenu* m_trackMenu = nullptr;
  QSplitter *m_across = nullptr, *m_down = nullptr;
  TimelinePlot* m_timeline = nullptr;
  FlamePlot* m_flame = nullptr;
  EventDetails* m_details = nullptr;
};

}  // namespace atelier::app
