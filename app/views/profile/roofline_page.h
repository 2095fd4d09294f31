// RooflinePage: operators by their arithmetic intensity and the rate they reached, under the roof of this machine's measured
// peaks. GUI thread.
#pragma once

#include "profile_page.h"

class QLabel;
class QStackedWidget;

namespace atelier::app {

class EmptyState;
class FigurePlot;

class RooflinePage : public ProfilePage {
  Q_OBJECT
 public:
  RooflinePage(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  FigurePlot& plot() { return *m_plot; }
  bool isEmpty() const;
  QString note() const;
  std::vector<Picture> pictures() override;

 protected:
  void fill() override;

 private:
  void chooseSelected();
  void showPeaks();

  QStackedWidget* m_pages = nullptr;
  QWidget* m_full = nullptr;
  FigurePlot* m_plot = nullptr;
  QLabel *m_peaks = nullptr, *m_help = nullptr;
  EmptyState* m_empty = nullptr;
};

}  // namespace atelier::app
