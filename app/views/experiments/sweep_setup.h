// SweepSetup: what is to be swept: one to three axes, the spec that all points share, how many points that is and about how
// long they take, and the button that starts. GUI thread.
#pragma once

#include <QWidget>

#include <array>

#include "app/models/sweep_model.h"
#include "app/shell/view.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace atelier::app {

class AxisEditor;
class JobBar;
class SpecForm;

class SweepSetup : public QWidget {
  Q_OBJECT
 public:
  SweepSetup(const Desktop& desktop, SweepModel& model, QWidget* parent = nullptr);

  void run();
  void addAxis();
  SpecForm& form() { return *m_form; }
  QPushButton* runButton() const { return m_run; }
  QString estimate() const;  // "12 points, about 3 min"

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void buildAxes(QVBoxLayout& column);
  void takeSchema();
  void takeAxes(std::size_t without);  // from the editors; kMostAxes: all
  void refresh();
  void showProgress();

  const Desktop& m_desktop;
  SweepModel& m_model;
  std::array<AxisEditor*, SweepModel::kMostAxes> m_axes{};
  QLabel *m_title = nullptr, *m_base = nullptr, *m_mistakes = nullptr, *m_estimate = nullptr;
  QPushButton *m_add = nullptr, *m_run = nullptr;
  SpecForm* m_form = nullptr;
  JobBar* m_bar = nullptr;
};

}  // namespace atelier::app
