// RaceSetup: what is to be raced: the variants as cards, one of them in the form below, what all share (steps, blocks, stop
// when decided), and the button that starts. GUI thread.
#pragma once

#include <QWidget>

#include <array>

#include "app/models/race_model.h"
#include "app/shell/view.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace atelier::app {

class JobBar;
class SpecForm;
class VariantCard;

class RaceSetup : public QWidget {
  Q_OBJECT
 public:
  RaceSetup(const Desktop& desktop, RaceModel& model, QWidget* parent = nullptr);

  void run();
  void edit(std::size_t variant);
  SpecForm& form() { return *m_form; }
  QPushButton* runButton() const { return m_run; }

 private:
  void buildCards(QVBoxLayout& column);
  void buildShared(QVBoxLayout& column);
  void buildRun(QVBoxLayout& column);
  void takeSchema();
  void refresh();
  void showCards();
  void showShared();
  void showForm();
  QString variants() const;  // "A / B / C"

  const Desktop& m_desktop;
  RaceModel& m_model;
  std::size_t m_editing = 1;
  std::size_t m_shown = RaceModel::kMost;  // the variant that the form holds
  std::array<VariantCard*, RaceModel::kMost> m_cards{};
  QLabel *m_title = nullptr, *m_stepsLabel = nullptr, *m_blocksLabel = nullptr, *m_mistakes = nullptr;
  QPushButton *m_add = nullptr, *m_run = nullptr;
  QSpinBox *m_steps = nullptr, *m_blocks = nullptr;
  QCheckBox* m_stop = nullptr;
  SpecForm* m_form = nullptr;
  JobBar* m_bar = nullptr;
};

}  // namespace atelier::app
