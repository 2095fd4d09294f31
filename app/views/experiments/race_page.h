// RacePage: two to four variants raced by interleaved blocks: set-up on the left, the race on the right. GUI thread.
#pragma once

#include <QWidget>

#include <nlohmann/json.hpp>
#include <vector>

#include "app/models/race_model.h"
#include "app/shell/view.h"

namespace atelier::app {

class RaceLive;
class RaceSetup;
class SetupColumn;

class RacePage : public QWidget {
  Q_OBJECT
 public:
  explicit RacePage(const Desktop& desktop, QWidget* parent = nullptr);

  // The variants to be raced, A first; see RaceModel::setSpecs().
  void setSpecs(std::vector<nlohmann::json> specs);
  // A race on record, by its id or that of one of its runs; false when there is none (told on the page).
  bool openRace(const QString& id);
  RaceModel& model() { return m_model; }
  RaceSetup& setup() { return *m_setup; }
  RaceLive& live() { return *m_live; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  const Desktop& m_desktop;
  RaceModel m_model;
  RaceSetup* m_setup = nullptr;
  RaceLive* m_live = nullptr;
  SetupColumn* m_side = nullptr;
};

}  // namespace atelier::app
