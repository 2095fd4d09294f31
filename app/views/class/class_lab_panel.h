// ClassLabPanel: one lab over all learners: gains over machines, predictions against reality, the share that passed each check,
// who is stuck and on what. GUI thread.
#pragma once

#include <QWidget>

#include <string>

class QComboBox;
class QGridLayout;
class QLabel;

namespace atelier::lab {
struct LabRollUp;
}

namespace atelier::app {

class ClassBook;
class DotPlot;
class Theme;
class Words;

class ClassLabPanel : public QWidget {
  Q_OBJECT
 public:
  ClassLabPanel(const Theme& theme, const ClassBook& book, const Words& words, QWidget* parent = nullptr);

  // By id; one that the class has not is the first that it has.
  void showLab(const std::string& lab);
  const std::string& labShown() const { return m_lab; }
  void refresh();
  void restyle();

 private:
  void fillSteps(const lab::LabRollUp& shown);
  void showGains(const lab::LabRollUp& shown);
  void showPredictions(const lab::LabRollUp& shown);
  void showChecks(const lab::LabRollUp& shown);
  void showStuck(const lab::LabRollUp& shown);

  const Theme& m_theme;
  const ClassBook& m_book;
  const Words& m_words;
  std::string m_lab;
  QLabel *m_title = nullptr, *m_summary = nullptr, *m_stuckTitle = nullptr, *m_stuck = nullptr, *m_gainsTitle = nullptr,
         *m_gainsText = nullptr, *m_predictionsTitle = nullptr, *m_predictionsText = nullptr, *m_checksTitle = nullptr;
  QComboBox *m_gainStep = nullptr, *m_predictionStep = nullptr;
  DotPlot *m_gains = nullptr, *m_predictions = nullptr;
  QGridLayout* m_checks = nullptr;
};

}  // namespace atelier::app
