// QuizCard: the questions of a step; an answer is judged at once and explained, and may be changed. GUI thread.
#pragma once

#include <QVector>
#include <QWidget>

#include <string>

class QButtonGroup;
class QLabel;
class QVBoxLayout;

namespace atelier::lab {
struct Question;
}

namespace atelier::app {

class LearnModel;
class Theme;

class QuizCard : public QWidget {
  Q_OBJECT
 public:
  QuizCard(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);
  void refresh();

 private:
  struct Item {
    std::string id;
    int answer = 0;
    QButtonGroup* choices = nullptr;
    QLabel* verdict = nullptr;
    QLabel* explanation = nullptr;
  };
  void build();
  void addQuestion(const lab::Question& question);
  void judge();

  const Theme& m_theme;
  LearnModel& m_model;
  QVBoxLayout* m_column = nullptr;
  QVector<Item> m_items;
  std::string m_step, m_language;
};

}  // namespace atelier::app
