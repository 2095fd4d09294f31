// PredictionCard: the learner commits to a number, or to one of some choices, before the experiment; afterwards it stands
// against what was measured. GUI thread.
#pragma once

#include <QLineEdit>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QPushButton;

namespace atelier::app {

class LearnModel;

class PredictionCard : public QWidget {
  Q_OBJECT
 public:
  explicit PredictionCard(LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  bool wanted() const;  // a prediction is asked for and not given yet
  QPushButton* commitButton() const { return m_commit; }

 private:
  void commit();
  std::optional<double> typed() const;
  QString rangeText() const;
  QString unitText() const;
  QString saidText() const;
  void offerChoices();

  LearnModel& m_model;
  QLabel *m_title = nullptr, *m_unit = nullptr, *m_hint = nullptr, *m_said = nullptr;
  QLineEdit* m_field = nullptr;
  QComboBox* m_choice = nullptr;
  QPushButton* m_commit = nullptr;
  std::string m_place;  // visit, lab and step that the field's text belongs to
};

}  // namespace atelier::app
