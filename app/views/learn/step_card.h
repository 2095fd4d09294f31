// StepCard: one step of a lab from top to bottom: where one is, the text, prediction, knobs, run, result, checks, hints,
// solution, quiz; below it the way on. Exactly one button is primary: the next thing to do. GUI thread.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace atelier::app {

class ErrorCard;
class KnobWidget;
class LadderCard;
class LearnModel;
class MarkdownView;
class PredictionCard;
class QuizCard;
class ReplayControls;
class ResultCard;
class RunControls;
class RunStrip;
class Theme;

class StepCard : public QWidget {
  Q_OBJECT
 public:
  StepCard(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);

  void refresh();
  void tick();
  void restyle();
  void setMenuVisible(bool visible);  // the button that opens the course where it has no panel
  bool isMenu(const QWidget* widget) const;
  // A page key of a presenter: scrolls the step, and past its end shows the next one (its start, the one before).
  void page(int direction);

 Q_SIGNALS:
  void menuAsked();

 private:
  void buildHead(QVBoxLayout* column);
  void buildBody(QVBoxLayout* column);
  void buildFoot(QVBoxLayout* column);
  void showText();
  void showHelp();
  void reveal(QWidget* part);
  void revealResult();
  void showNotices();
  void showFoot();
  void choosePrimary();
  void next();
  void makeReport();
  bool atEnd() const;

  const Theme& m_theme;
  LearnModel& m_model;
  QToolButton* m_menu = nullptr;
  QLabel *m_overline = nullptr, *m_title = nullptr, *m_noticeText = nullptr;
  QWidget *m_notice = nullptr, *m_content = nullptr;
  QPushButton *m_dismiss = nullptr, *m_copyCode = nullptr, *m_hint = nullptr, *m_solve = nullptr, *m_back = nullptr,
              *m_next = nullptr;
  QScrollArea* m_scroll = nullptr;
  MarkdownView *m_body = nullptr, *m_hints = nullptr, *m_solution = nullptr;
  PredictionCard* m_prediction = nullptr;
  KnobWidget* m_knobs = nullptr;
  RunControls* m_run = nullptr;
  ReplayControls* m_replay = nullptr;
  RunStrip* m_strip = nullptr;
  ErrorCard* m_error = nullptr;
  ResultCard* m_result = nullptr;
  LadderCard* m_ladder = nullptr;
  QuizCard* m_quiz = nullptr;
  int m_ticks = 0;
  bool m_wasRunning = false;
  QString m_place;  // lab and step shown; the text scrolls to its top when it changes
};

}  // namespace atelier::app
