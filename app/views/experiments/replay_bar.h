// ReplayBar: plays, pauses and moves through a replay: play, from block to block, a slider over its time, speed, all at once,
// whether pauses are left out. In one row, or in two where there is no room. It only shows: the Replay holds the logic.
// GUI thread.
#pragma once

#include <QWidget>

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QToolButton;

namespace atelier::app {

class Replay;
class Theme;
class Words;

class ReplayBar : public QWidget {
  Q_OBJECT
 public:
  // REQUIRES: the replay outlives the bar.
  ReplayBar(const Theme& theme, const Words& words, Replay& replay, QWidget* parent = nullptr);

  void refresh();  // texts, state
  void tick();     // the position only; cheap
  QPushButton* playButton() const { return m_play; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void showSpeeds();
  void moveTo(int place);
  QToolButton* makeTool(void (Replay::*act)());
  void arrange();

  const Theme& m_theme;
  const Words& m_words;
  Replay& m_replay;
  QBoxLayout* m_rows = nullptr;
  QPushButton* m_play = nullptr;
  QToolButton *m_back = nullptr, *m_next = nullptr, *m_end = nullptr;
  QSlider* m_slider = nullptr;
  QLabel* m_time = nullptr;
  QComboBox* m_speed = nullptr;
  QCheckBox* m_pauses = nullptr;
};

}  // namespace atelier::app
