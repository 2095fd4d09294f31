// ResultCard: what the step's experiment has shown: the one number that matters, the sentence with its interval, the naive
// stopwatch where it was tried, and the checks with sign, name and sentence. GUI thread.
#pragma once

#include <QWidget>

class QGridLayout;
class QLabel;

namespace atelier::app {

class LearnModel;

class ResultCard : public QWidget {
  Q_OBJECT
 public:
  explicit ResultCard(LearnModel& model, QWidget* parent = nullptr);
  void refresh();

 private:
  void showResult();
  void showNaive();
  void showChecks();

  LearnModel& m_model;
  QWidget *m_card = nullptr, *m_naive = nullptr;
  QLabel *m_big = nullptr, *m_unit = nullptr, *m_sentence = nullptr, *m_details = nullptr;
  QGridLayout* m_naiveGrid = nullptr;
  QGridLayout* m_checks = nullptr;
};

}  // namespace atelier::app
