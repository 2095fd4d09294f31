// SweepPage: one to three keys swept over their values: set-up on the left, the sweep on the right. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/sweep_model.h"
#include "app/shell/view.h"

namespace atelier::app {

class SweepLive;
class SweepSetup;
class SetupColumn;

class SweepPage : public QWidget {
  Q_OBJECT
 public:
  explicit SweepPage(const Desktop& desktop, QWidget* parent = nullptr);

  // The spec that all points share.
  void setSpec(const nlohmann::json& spec);
  // A sweep on record; false, and told on the page, when that can't be.
  bool openSweep(const QString& id);
  SweepModel& model() { return m_model; }
  SweepSetup& setup() { return *m_setup; }
  SweepLive& live() { return *m_live; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  const Desktop& m_desktop;
  SweepModel m_model;
  SweepSetup* m_setup = nullptr;
  SweepLive* m_live = nullptr;
  SetupColumn* m_side = nullptr;
};

}  // namespace atelier::app
