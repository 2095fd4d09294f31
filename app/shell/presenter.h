// Presenter: what presenter mode adds to the window: keys and remotes that lead through the steps, a jump to any step of any
// lab, a blank screen, the timer, the trainer's notes on the other screen (or beside, when asked for), and a mouse pointer that
// goes away. While it is active it hears every key of the window and of the notes before their widgets do, and leaves to them
// what is meant for them. Screens may come and go. Leaving drops the scratch session of a jump. GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QVector>

#include <memory>
#include <optional>

#include "app/models/lesson_clock.h"
#include "presenter_rules.h"

class QAction;
class QKeyEvent;
class QWidget;

namespace atelier::app {

struct Desktop;
class MainWindow;
class PresenterChooser;
class PresenterNotes;

class Presenter : public QObject {
  Q_OBJECT
 public:
  static constexpr int kPointerStays = 3000;  // milliseconds

  // REQUIRES: the desktop outlives the window, whose part this is.
  Presenter(const Desktop& desktop, MainWindow& window);
  ~Presenter() override;

  void setActive(bool active);  // the window's mode has changed
  bool active() const { return m_active; }
  bool blank() const;
  bool pointerHidden() const { return m_pointerHidden; }
  const LessonClock& clock() const { return m_clock; }
  PresenterNotes* notes() const { return m_notes.get(); }  // null until first shown
  PresenterChooser* chooser() const;                       // null when closed

  void page(int direction);
  void jump();
  void setBlank(bool blank);
  void toggleNotes();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildActions();
  bool takeKey(QWidget& widget, QKeyEvent& key);
  bool takeBlankKey(QKeyEvent& key);
  bool leaves(const QWidget& widget) const;
  void obey(PresenterCommand command);
  void followLab();
  void placeNotes();
  void showPointer();
  bool isOurs(const QWidget& widget) const;

  const Desktop& m_desktop;
  MainWindow& m_window;
  LessonClock m_clock;
  QVector<QAction*> m_actions;  // enabled while active
  QWidget* m_blank = nullptr;   // black, over all of the window
  std::unique_ptr<PresenterNotes> m_notes;
  QPointer<PresenterChooser> m_chooser;
  QTimer m_pointer;
  std::optional<bool> m_notesWanted;  // by hand; nothing: where there is a second screen
  bool m_active = false, m_pointerHidden = false;
  bool m_tabbed = false;  // the focus was moved by Tab since the last press
};

}  // namespace atelier::app
