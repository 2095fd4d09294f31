// SegmentSwitch: a row of joined buttons of which one is chosen; the arrow keys move within it. GUI thread.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QToolButton;

namespace atelier::app {

class SegmentSwitch : public QWidget {
  Q_OBJECT
 public:
  SegmentSwitch(int segments, QWidget* parent = nullptr);

  void setTexts(const QStringList& texts);
  int current() const;
  void setCurrent(int segment);  // told as chosen() when it is another
  QToolButton* button(int segment) const { return m_buttons[segment]; }

 Q_SIGNALS:
  void chosen(int segment);

 private:
  QList<QToolButton*> m_buttons;
};

}  // namespace atelier::app
