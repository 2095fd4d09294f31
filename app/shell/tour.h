// Tour: the first look around: five cards beside the real parts of the Learn view. It covers nothing that is needed, can be
// left at any moment, waits while something is measured, and is remembered as seen once it was ended or skipped. GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace atelier::app {

struct Desktop;

class Tour : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kStops = 5;

  Tour(const Desktop& desktop, QWidget* window);
  ~Tour() override;

  // Whether it was seen to its end, or skipped.
  static bool seen(const Desktop& desktop);
  void start();
  void finish();
  bool active() const { return m_active; }
  int stop() const { return m_stop; }
  // What the present card points at; null where that is not on the screen: the card then stands in the middle.
  QWidget* target() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void go(int stop);
  void follow();  // measured or not, elsewhere or not
  void place();
  QPoint cornerBeside(const QRect& target) const;
  void retext();

  const Desktop& m_desktop;
  QPointer<QWidget> m_frame;  // the line around what is pointed at
  QLabel *m_count = nullptr, *m_title = nullptr, *m_text = nullptr;
  QPushButton *m_skip = nullptr, *m_back = nullptr, *m_next = nullptr;
  int m_stop = 0;
  bool m_active = false;
};

}  // namespace atelier::app
