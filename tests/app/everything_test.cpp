// All of the window, as someone would use it who tries everything: every view in both languages and all themes, every action,
// every button. Nothing crashes; no text is missing or cut; every control has a name and is reached by Tab.
#include <QAbstractButton>
#include <QDialog>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QTimer>
#include <QtTest>

#include "app/shell/actions.h"
#include "look_over.h"
#include "whole_window.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

constexpr int kGlance = 40;       // milliseconds between looks for what has opened
constexpr int kMostClicks = 600;  // in one place
constexpr int kRest = 30'000;     // for what was started to come to its end

// Each language and each theme once.
const QList<QPair<const char*, Theme::Mode>> kLooks{
    {"en", Theme::Mode::Light}, {"fr", Theme::Mode::Dark}, {"fr", Theme::Mode::Contrast}};

QString allLines(const QString& where, const QStringList& faults) {
  return where + QStringLiteral(":\n  ") + faults.join(QStringLiteral("\n  "));
}

// Windows of Qt's own making, with Qt's texts.
bool isForeign(const QWidget& widget) {
  return qobject_cast<const QFileDialog*>(&widget) || qobject_cast<const QMenu*>(&widget) ||
         QString::fromLatin1(widget.metaObject()->className()).startsWith(QLatin1String("QPrint"));
}

// Closes whatever opens over the window, after looking it over.
class Closer : public QObject {
 public:
  explicit Closer(QWidget& window) : m_window(window) {
    m_timer.setInterval(kGlance);
    QObject::connect(&m_timer, &QTimer::timeout, this, &Closer::closeTop);
    m_timer.start();
  }
  const QStringList& faults() const { return m_faults; }
  int closed() const { return m_closed; }
  // All that is open beside the window.
  void closeAll() {
    for (int i = 0; i < 20 && closeTop(); ++i) QTest::qWait(1);
  }

 private:
  static QWidget* top(const QWidget& window) {
    if (auto* popup = QApplication::activePopupWidget()) return popup;
    if (auto* modal = QApplication::activeModalWidget()) return modal;
    for (auto* widget : QApplication::topLevelWidgets())
      if (widget != &window && widget->isVisible() &&
          (widget->windowType() == Qt::Dialog || widget->windowType() == Qt::Window))
        return widget;
    return nullptr;
  }
  bool closeTop() {
    auto* widget = top(m_window);
    if (!widget) return false;
    ++m_closed;
    if (!isForeign(*widget)) lookOver(*widget);
    if (auto* dialog = qobject_cast<QDialog*>(widget)) dialog->reject();
    else widget->close();
    // One that asks before it goes has shown its question by now; one that stays is hidden.
    if (widget == top(m_window)) widget->hide();
    return true;
  }
  void lookOver(QWidget& widget) {
    const bool message = qobject_cast<QMessageBox*>(&widget) != nullptr;
    m_faults << rawIds(widget);
    if (!message) m_faults << unnamedControls(widget);
    m_faults.removeDuplicates();
  }

  QWidget& m_window;
  QTimer m_timer;
  QStringList m_faults;
  int m_closed = 0;
};

// The same button in another state of its figures is the same button.
QString keyOf(const QAbstractButton& button) {
  auto key = describe(button) + QLatin1Char('|') + button.text() + QLatin1Char('|') + button.accessibleName();
  return key.remove(QRegularExpression(QStringLiteral("[0-9]")));
}

}  // namespace

class EverythingTest : public QObject {
  Q_OBJECT

 public Q_SLOTS:
  void takeUrl(const QUrl&) { ++m_opened; }

 private:
  int m_opened = 0;

  // `most`: of kLooks; what is done rather than seen takes long, and is the same in every theme.
  static void looks(int most = static_cast<int>(kLooks.size())) {
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("mode");
    for (const auto& [language, mode] : kLooks.mid(0, most))
      QTest::addRow("%s %s", language, qPrintable(Theme::modeName(mode)))
          << QString::fromLatin1(language) << static_cast<int>(mode);
  }
  static void sizes() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QSize>("size");
    for (const char* language : {"en", "fr"})
      for (const QSize size : {QSize(1280, 720), QSize(1440, 900)})
        QTest::addRow("%s %d", language, size.width()) << QString::fromLatin1(language) << size;
  }
  // What was started ends, and the window is as it was.
  static void rest(WholeWindow& whole, Closer& closer) {
    closer.closeAll();
    whole.desk.clear();
    if (whole.desk.busy()) whole.desk.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!whole.desk.busy(), kRest);
    whole.window->setPresenting(false);
    closer.closeAll();
    whole.bringBack();
    QVERIFY(whole.window->isVisible());
  }
  static QPointer<QAbstractButton> nextButton(WholeWindow& whole, QSet<QString>& clicked) {
    for (auto* button : whole.window->findChildren<QAbstractButton*>()) {
      if (!button->isVisible() || !button->isEnabled() || button->window() != whole.window.get() || isInner(*button)) continue;
      const auto key = keyOf(*button);
      if (clicked.contains(key)) continue;
      clicked.insert(key);
      return button;
    }
    return nullptr;
  }

 private Q_SLOTS:
  void initTestCase() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QVERIFY2(!fullSchema().options().empty(), "atelier-engine does not describe itself");
    openNothing(this);
  }
  void cleanupTestCase() {
    for (const auto& scheme : {QStringLiteral("file"), QStringLiteral("http"), QStringLiteral("https")})
      QDesktopServices::unsetUrlHandler(scheme);
  }

  void everyTextIsThereAndEveryControlHasAName_data() { looks(); }
  void everyTextIsThereAndEveryControlHasAName() {
    QFETCH(QString, language);
    QFETCH(int, mode);
    WholeWindow whole;
    QVERIFY(whole.ready);
    whole.show({1440, 900});
    // Both are changed while the window stands: what does not follow shows the other language's words or an id.
    whole.words.setLanguage(language.toStdString());
    whole.theme.setMode(static_cast<Theme::Mode>(mode));
    for (const auto& place : places()) {
      place.go(whole);
      whole.settle();
      const auto ids = rawIds(*whole.window), unnamed = unnamedControls(*whole.window);
      QVERIFY2(ids.isEmpty(), qPrintable(allLines(QLatin1String(place.name), ids)));
      QVERIFY2(unnamed.isEmpty(), qPrintable(allLines(QLatin1String(place.name), unnamed)));
    }
  }

  void everyControlIsReachedByTab() {
    WholeWindow whole;
    QVERIFY(whole.ready);
    whole.show({1440, 900});
    whole.window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(whole.window.get()));
    for (const auto& place : places()) {
      place.go(whole);
      whole.settle();
      const auto unreached = unreachedControls(*whole.window);
      QVERIFY2(unreached.isEmpty(), qPrintable(allLines(QLatin1String(place.name), unreached)));
    }
  }

  void noTextIsCut_data() { sizes(); }
  void noTextIsCut() {
    QFETCH(QString, language);
    QFETCH(QSize, size);
    WholeWindow whole(language.toStdString());
    QVERIFY(whole.ready);
    whole.show(size);
    for (const auto& place : places()) {
      place.go(whole);
      whole.settle();
      QCOMPARE(whole.window->size(), size);
      const auto cut = cutTexts(*whole.window);
      QVERIFY2(cut.isEmpty(), qPrintable(allLines(QLatin1String(place.name), cut)));
    }
  }

  void everyActionCanBeTriggered_data() { looks(2); }
  void everyActionCanBeTriggered() {
    QFETCH(QString, language);
    QFETCH(int, mode);
    WholeWindow whole(language.toStdString(), static_cast<Theme::Mode>(mode));
    QVERIFY(whole.ready);
    whole.show({1440, 900});
    Closer closer(*whole.window);
    QSet<QString> triggered;
    const bool first = language == QLatin1String("en") && static_cast<Theme::Mode>(mode) == Theme::Mode::Light;
    for (const bool presenting : {false, true})
      for (const auto& place : places()) {
        // Presenter mode is for labs; each change to it restyles the whole window.
        if (presenting && !QString::fromLatin1(place.name).startsWith(QLatin1String("learn"))) continue;
        whole.window->setPresenting(presenting);
        place.go(whole);
        whole.settle();
        QList<QPointer<QAction>> actions;
        for (auto* action : actionsOf(*whole.window)) actions.append(action);
        for (const auto& action : actions) {
          if (!action || action->objectName() == QLatin1String("quit")) continue;
          // Once in each place in the first look; once at all in the others.
          const auto key = action->objectName() + (presenting ? QStringLiteral(" presenting") : QString());
          if (!first && triggered.contains(key)) continue;
          triggered.insert(key);
          QVERIFY2(!action->text().isEmpty() && !action->text().startsWith(QLatin1String("action.")),
                   qPrintable(action->objectName()));
          action->trigger();
          whole.settle(1);
          closer.closeAll();
          if (presenting) whole.window->setPresenting(true);
        }
        rest(whole, closer);
        whole.words.setLanguage(language.toStdString());
      }
    QVERIFY2(closer.faults().isEmpty(), qPrintable(allLines(QStringLiteral("dialogs"), closer.faults())));
    // Enough of them to be sure that they were found.
    for (const char* id : {"present", "learn.run", "palette", "settings", "help"})
      QVERIFY2(triggered.contains(QLatin1String(id)), id);
    QVERIFY(closer.closed() > 0);
  }

  void everyButtonCanBeClicked_data() { looks(2); }
  void everyButtonCanBeClicked() {
    QFETCH(QString, language);
    QFETCH(int, mode);
    WholeWindow whole(language.toStdString(), static_cast<Theme::Mode>(mode));
    QVERIFY(whole.ready);
    whole.show({1440, 900});
    Closer closer(*whole.window);
    QSet<QString> clicked;
    for (const auto& place : places()) {
      int clicks = 0;
      for (; clicks < kMostClicks; ++clicks) {
        // A click may have led elsewhere, or started what has to end first.
        rest(whole, closer);
        place.go(whole);
        const auto button = nextButton(whole, clicked);
        if (!button) break;
        button->click();
        whole.settle();
      }
      QVERIFY2(clicks < kMostClicks, place.name);
      const auto ids = rawIds(*whole.window);
      QVERIFY2(ids.isEmpty(), qPrintable(allLines(QLatin1String(place.name), ids)));
    }
    rest(whole, closer);
    QVERIFY2(closer.faults().isEmpty(), qPrintable(allLines(QStringLiteral("dialogs"), closer.faults())));
    QVERIFY(clicked.size() > 20);
  }
};

QTEST_MAIN(EverythingTest)
#include "everything_test.moc"
