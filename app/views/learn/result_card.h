// ResultCard: what the step's experiment has shown: the one number that matters, the sentence with its interval, the naive
// stopwatch where it was tried, and the checks with sign, name and sentence. GUI thread.
#pragma once

#include <QWidget>

#include <optional>

#include "labs/check.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace atelier::app {

class LearnModel;

class ResultCard : public QWidget {
  Q_OBJECT
 public:
  explicit ResultCard(LearnModel& model, QWidget* parent = nullptr);
  void refresh();

 Q_SIGNALS:
  void evidenceAsked(const QString& run);  // the whole profile of the step's run

 private:
  std::optional<lab::Outcome> outcome() const;
  void showResult();
  void showNaive();
  void showChecks();
  bool replayed() const;  // what is shown comes from a record, not from a measurement

  LearnModel& m_model;
  QWidget *m_card = nullptr, *m_naive = nullptr;
  QLabel *m_big = nullptr, *m_unit = nullptr, *m_sentence = nullptr, *m_details = nullptr, *m_mark = nullptr;
  QPushButton* m_evidence = nullptr;
  QGridLayout* m_naiveGrid = nullptr;
  QGridLayout* m_checks = nullptr;
};

}  // namespace atelier::app
