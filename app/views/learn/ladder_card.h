// LadderCard: the ladder that the present step stands on, as a plot that grows with each rung. Hidden where there is none, and
// before the first race. GUI thread.
#pragma once

#include <QWidget>

namespace atelier::app {

class FigurePlot;
class LearnModel;
class Theme;

class LadderCard : public QWidget {
  Q_OBJECT
 public:
  LadderCard(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);
  void refresh();
  void restyle();
  FigurePlot* plot() const { return m_plot; }

 private:
  const Theme& m_theme;
  LearnModel& m_model;
  FigurePlot* m_plot = nullptr;
};

}  // namespace atelier::app
