// DotPlot: a dot for each learner, along one figure (with its quartiles as a box behind the dots) or over two (with the line on
// which both are equal). Hovering, or the arrows, read one dot. It draws what a DotFigure says, in the theme's tokens; data
// don't move. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/class_figures.h"

class QCPItemRect;
class QCPItemStraightLine;
class QCPItemText;
class QCustomPlot;

namespace atelier::app {

class Theme;

class DotPlot : public QWidget {
  Q_OBJECT
 public:
  explicit DotPlot(const Theme& theme, QWidget* parent = nullptr);

  void setFigure(DotFigure figure);
  const DotFigure& figure() const { return m_figure; }
  void restyle();
  int read() const { return m_read; }  // the dot whose label is shown; -1: none

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build();
  void redraw();
  void drawDots();
  void setRanges();
  void readAt(const QPointF& pixel);
  void readDot(int dot);

  const Theme& m_theme;
  DotFigure m_figure;
  int m_read = -1;
  QCustomPlot* m_plot = nullptr;
  QCPItemRect* m_box = nullptr;
  QCPItemStraightLine *m_median = nullptr, *m_reference = nullptr, *m_diagonal = nullptr;
  QCPItemText* m_label = nullptr;
};

}  // namespace atelier::app
