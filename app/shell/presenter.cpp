#include "presenter.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QScreen>
#include <QWidget>
#include <QWindow>

#include <utility>

#include "actions.h"
#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "main_window.h"
#include "presenter_chooser.h"
#include "presenter_notes.h"

namespace atelier::app {

namespace {

bool isModifier(int key) {
  return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta || key == Qt::Key_AltGr;
}

// Of a widget, or of the native window that hears the mouse first.
const QWindow* windowOf(QObject* watched) {
  if (const auto* window = qobject_cast<QWindow*>(watched)) return window;
  const auto* widget = qobject_cast<QWidget*>(watched);
  return widget ? widget->window()->windowHandle() : nullptr;
}

// A key that the widget with the focus has no use for goes on to its parents: it was meant for that widget all the same.
const QWidget& focusIn(const QWidget& widget) {
  const auto* focus = QApplication::focusWidget();
  return focus && widget.isAncestorOf(focus) ? *focus : widget;
}

}  // namespace

Presenter::Presenter(const Desktop& desktop, MainWindow& window)
    : QObject(&window), m_desktop(desktop), m_window(window), m_clock(this), m_blank(new QWidget(&window)) {
  m_blank->setProperty("role", "blank");
  m_blank->setAttribute(Qt::WA_StyledBackground);
  m_blank->setCursor(Qt::BlankCursor);
  m_blank->hide();
  m_pointer.setSingleShot(true);
  m_pointer.setInterval(kPointerStays);
  connect(&m_pointer, &QTimer::timeout, this, [this] {
    if (std::exchange(m_pointerHidden, true)) return;
    QGuiApplication::setOverrideCursor(Qt::BlankCursor);
  });
  connect(&m_desktop.learn, &LearnModel::changed, this, &Presenter::followLab);
  // Told before a screen has gone: only once Qt has moved its windows can they be placed anew.
  const auto soon = [this] { QTimer::singleShot(0, this, &Presenter::placeNotes); };
  connect(qApp, &QGuiApplication::screenAdded, this, soon);
  connect(qApp, &QGuiApplication::screenRemoved, this, soon);
  buildActions();
}

Presenter::~Presenter() {
  if (m_active) qApp->removeEventFilter(this);
  showPointer();
}

void Presenter::buildActions() {
  const auto& words = m_desktop.words;
  const auto add = [&](const char* id, const QList<QKeySequence>& keys, PresenterCommand command) {
    m_actions.append(makeAction(&m_window, words, id, keys, [this, command] { obey(command); }));
  };
  add("presenter.jump", {Qt::Key_G}, PresenterCommand::Jump);
  add("presenter.blank", {Qt::Key_B, Qt::Key_Period}, PresenterCommand::Blank);
  add("presenter.timer", {Qt::Key_T}, PresenterCommand::Timer);
  add("presenter.notes", {Qt::Key_N}, PresenterCommand::Notes);
  add("presenter.leave", {}, PresenterCommand::Leave);
  for (auto* action : m_actions) action->setEnabled(false);
}

void Presenter::setActive(bool active) {
  if (active == m_active) return;
  m_active = active;
  for (auto* action : m_actions) action->setEnabled(active);
  m_desktop.learn.setPresenting(active);
  m_notesWanted.reset();
  m_tabbed = false;
  if (active) {
    qApp->installEventFilter(this);
    followLab();
    m_pointer.start();
  } else {
    qApp->removeEventFilter(this);
    setBlank(false);
    if (m_chooser) m_chooser->close();
    m_clock.reset();
    m_pointer.stop();
    showPointer();
  }
  placeNotes();
}

void Presenter::followLab() {
  const auto* session = m_desktop.learn.session();
  if (session) m_clock.setLab(session->lab().id, session->lab().minutes);
}

PresenterChooser* Presenter::chooser() const {
  return m_chooser;
}

bool Presenter::blank() const {
  return m_blank->isVisibleTo(&m_window);
}

void Presenter::setBlank(bool blank) {
  m_blank->setAccessibleName(m_desktop.words.text("presenter.blanked"));
  m_blank->setGeometry(m_window.rect());
  m_blank->setVisible(blank);
  if (blank) m_blank->raise();
}

void Presenter::page(int direction) {
  if (auto* view = m_window.current()) view->page(direction);
}

void Presenter::jump() {
  if (m_chooser) return m_chooser->raise();
  m_chooser = new PresenterChooser(m_desktop, &m_window);
  m_chooser->setAttribute(Qt::WA_DeleteOnClose);
  connect(m_chooser, &PresenterChooser::chosen, this, [this](const QString& lab, int step) {
    if (m_desktop.learn.jump(lab.toStdString(), step)) m_window.showView("learn");
  });
  m_chooser->open();
}

void Presenter::toggleNotes() {
  m_notesWanted = !(m_notes && m_notes->isVisible());
  placeNotes();
}

void Presenter::placeNotes() {
  const auto screens = QGuiApplication::screens();
  const auto place = notesScreen(static_cast<int>(screens.size()), static_cast<int>(screens.indexOf(m_window.screen())));
  if (!m_active || !m_notesWanted.value_or(place.has_value())) {
    if (m_notes) m_notes->hide();
    return;
  }
  if (!m_notes) {
    m_notes = std::make_unique<PresenterNotes>(m_desktop, m_clock);
    connect(m_notes.get(), &PresenterNotes::closedByHand, this, [this] { m_notesWanted = false; });
  }
  auto* screen = place ? screens.at(*place) : nullptr;
  // Where the trainer has put it, it stays.
  if (screen && (!m_notes->isVisible() || m_notes->screen() == m_window.screen())) {
    m_notes->setGeometry(screen->availableGeometry());
    m_notes->showMaximized();
  } else if (!screen) {
    m_notes->showNormal();
  }
  m_window.activateWindow();
}

void Presenter::obey(PresenterCommand command) {
  switch (command) {
    case PresenterCommand::Next:
    case PresenterCommand::Back:
      m_tabbed = false;
      return page(command == PresenterCommand::Next ? 1 : -1);
    case PresenterCommand::Blank:
      return setBlank(!blank());
    case PresenterCommand::Jump:
      return jump();
    case PresenterCommand::Timer:
      return m_clock.toggle();
    case PresenterCommand::Notes:
      return toggleNotes();
    case PresenterCommand::Leave:
      return m_window.setPresenting(false);
  }
}

bool Presenter::isOurs(const QWidget& widget) const {
  const auto* window = widget.window();
  return window == &m_window || (m_notes && window == m_notes.get());
}

// Esc closes first what is open in the window (the course's drawer, say) and then reaches the window, which leaves. From where
// it would not get there it leaves at once: a plot takes it for its cursor, and a remote's Esc must work.
bool Presenter::leaves(const QWidget& widget) const {
  return widget.window() != &m_window || widget.property("role").toString() == QLatin1String("plot");
}

bool Presenter::takeBlankKey(QKeyEvent& key) {
  const bool held = key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
  if (held || isModifier(key.key())) return false;
  key.accept();
  if (key.type() == QEvent::KeyPress) setBlank(false);
  return true;
}

bool Presenter::takeKey(QWidget& widget, QKeyEvent& key) {
  if (!isOurs(widget) || QApplication::activePopupWidget() || QApplication::activeModalWidget()) return false;
  if (blank()) return takeBlankKey(key);
  if (key.key() == Qt::Key_Tab || key.key() == Qt::Key_Backtab) m_tabbed = true;
  const auto command = presenterCommand(key.key(), key.modifiers());
  if (!command || keepsKey(focusIn(widget), key.key(), m_tabbed)) return false;
  if (command == PresenterCommand::Leave && !leaves(widget)) return false;
  // Long notes are read on with the arrows.
  const bool reads = m_notes && widget.window() == m_notes.get() && (key.key() == Qt::Key_Up || key.key() == Qt::Key_Down);
  if (reads) return false;
  key.accept();
  // An override that is taken comes back as the press itself, past all shortcuts; a key held down doesn't run through the lab.
  if (key.type() == QEvent::KeyPress && !key.isAutoRepeat()) obey(*command);
  return true;
}

void Presenter::showPointer() {
  if (std::exchange(m_pointerHidden, false)) QGuiApplication::restoreOverrideCursor();
}

bool Presenter::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
      if (auto* widget = qobject_cast<QWidget*>(watched)) return takeKey(*widget, *static_cast<QKeyEvent*>(event));
      break;
    case QEvent::MouseButtonPress:
      m_tabbed = false;
      if (watched == m_blank) setBlank(false);
      break;
    case QEvent::MouseMove:
      showPointer();
      // Over the notes the trainer points at things.
      if (const auto* window = windowOf(watched); window && window == m_window.windowHandle()) m_pointer.start();
      else m_pointer.stop();
      break;
    case QEvent::Resize:
      if (watched == &m_window && blank()) m_blank->setGeometry(m_window.rect());
      break;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace atelier::app
