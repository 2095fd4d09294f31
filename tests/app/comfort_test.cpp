// What is at hand in the whole window: the tour, help and its keys, Esc, what is kept of the layout, the texts for support.
#include <QAction>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QtTest>

#include "app/models/support.h"
#include "app/shell/actions.h"
#include "app/shell/comfort.h"
#include "app/shell/keys_sheet.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/main_window.h"
#include "app/shell/palette.h"
#include "app/shell/tour.h"
#include "comfort_fixture.h"

using namespace atelier;
using namespace atelier::app;

namespace {

QStringList textsOf(const QWidget& widget) {
  QStringList all;
  for (const auto* label : widget.findChildren<QLabel*>())
    if (label->isVisibleTo(&widget)) all << label->text();
  return all;
}

}  // namespace

class ComfortTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyActionHasATextInBothLanguages() {
    Workplace place;
    MainWindow window(place.desktop);
    for (const char* language : {"en", "fr"}) {
      place.words.setLanguage(language);
      int seen = 0;
      for (const auto* action : window.findChildren<QAction*>()) {
        if (!action->property("action-id").isValid()) continue;
        ++seen;
        QVERIFY2(!action->text().startsWith(QLatin1String("action.")), qPrintable(action->text()));
      }
      QVERIFY(seen > 15);
    }
  }

  void theTourPointsAtRealPartsAndIsRemembered() {
    Workplace place;
    MainWindow window(place.desktop);
    window.resize(1440, 860);
    window.show();
    auto* tour = window.findChild<Tour*>();
    QVERIFY(tour);
    QVERIFY(!tour->active());  // nothing is remembered here: it would come each time
    tour->start();
    for (int stop = 0; stop < Tour::kStops; ++stop) {
      QCOMPARE(tour->stop(), stop);
      QVERIFY2(tour->target(), qPrintable(QString::number(stop)));
      QVERIFY(tour->isVisible());
      QVERIFY(window.rect().contains(tour->geometry()));
      for (const auto& text : textsOf(*tour)) QVERIFY2(!text.startsWith(QLatin1String("tour.")), qPrintable(text));
      QPushButton* next = nullptr;
      for (auto* button : tour->findChildren<QPushButton*>())
        if (button->property("role") == QLatin1String("primary")) next = button;
      QVERIFY(next);
      next->click();
    }
    QVERIFY(!tour->active());
    QVERIFY(Tour::seen(place.desktop));
    tour->start();  // again from the help
    QCOMPARE(tour->stop(), 0);
    QVERIFY(tour->isVisible());
    tour->finish();
  }

  void theTourGivesWayToAMeasurement() {
    Workplace place;
    MainWindow window(place.desktop);
    window.show();
    auto* tour = window.findChild<Tour*>();
    tour->start();
    QVERIFY(tour->isVisible());
    place.desk.submit({{}, QStringLiteral("a run"), QStringLiteral("test")});
    QVERIFY(place.desk.busy());
    QVERIFY(!tour->isVisible());
    QVERIFY(tour->active());
    QTRY_VERIFY_WITH_TIMEOUT(!place.desk.busy(), kPatience);  // there is no engine
    QVERIFY(tour->isVisible());
  }

  void escapeClosesWhatIsOnTop() {
    Workplace place;
    MainWindow window(place.desktop);
    window.show();
    auto* tour = window.findChild<Tour*>();
    auto* palette = window.findChild<Palette*>();
    tour->start();
    palette->open();
    QVERIFY(palette->isVisible());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!palette->isVisible());
    QVERIFY(tour->active());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!tour->active());
  }

  void thePaletteOffersActionsLabsAndSettings() {
    Workplace place;
    MainWindow window(place.desktop);
    window.show();
    auto* palette = window.findChild<Palette*>();
    palette->open();
    auto& model = palette->model();
    const auto ids = [&] {
      QStringList all;
      for (int row = 0; row < model.rowCount(); ++row) all << model.index(row, 0).data(PaletteModel::IdRole).toString();
      return all;
    };
    model.setQuery(place.words.text("action.theme"));
    QCOMPARE(ids().value(0), QStringLiteral("action:theme"));
    model.run(0);
    QVERIFY(place.theme.mode() == Theme::Mode::Dark);
    model.setQuery(QStringLiteral("1.1"));
    QVERIFY(ids().contains(QStringLiteral("lab:measure-first")));
    model.setQuery(place.words.text("settings.budget"));
    QVERIFY(ids().contains(QStringLiteral("setting:run/memory_budget")));
  }

  void theKeysAreThoseOfTheActions() {
    Workplace place;
    MainWindow window(place.desktop);
    window.show();
    KeysSheet sheet(place.words);
    sheet.setActions(actionsOf(window));
    const auto texts = textsOf(sheet);
    QVERIFY(texts.contains(place.words.text("action.palette")));
    QVERIFY(texts.join(QLatin1Char(' ')).contains(QKeySequence(Qt::Key_F5).toString(QKeySequence::NativeText)));
    QVERIFY(!texts.contains(place.words.text("action.language")));   // it has no key
    QVERIFY(!texts.contains(place.words.text("action.page.next")));  // it does nothing now
  }

  void helpIsThereInBothLanguages() {
    Workplace place;
    QWidget window;
    Help help(place.desktop, &window);
    for (const char* language : {"en", "fr"}) {
      place.words.setLanguage(language);
      for (const auto page : {Help::Keys, Help::Figures, Help::Authors, Help::About}) {
        help.showPage(page);
        QVERIFY(help.page() == page);
        for (const auto& text : textsOf(help)) QVERIFY2(!text.startsWith(QLatin1String("help.")), qPrintable(text));
      }
    }
    help.close();
  }

  void theTextForSupportTellsNothingAboutThePerson() {
    const auto catalog = wire::Catalog::builtIn("en");
    SupportFacts facts;
    facts.version = QStringLiteral("1.0");
    facts.machine = {{"cpu", "Example CPU"}, {"cores", 4}, {"hostname", "annas-laptop"}};
    facts.learner = QStringLiteral("Anna Muster");
    facts.home = QDir::homePath() + QStringLiteral("/share/atelier");
    facts.last_error =
        wire::Error{wire::ExitCode::Failed, {"settings.not_kept", {{"file", facts.home.toStdString() + "/x of Anna Muster"}}}};
    const auto text = supportText(facts, catalog);
    QVERIFY(text.contains(QLatin1String("Example CPU")));
    QVERIFY(text.contains(QLatin1String("settings.not_kept")));
    QVERIFY(text.contains(QLatin1String("$ATELIER_HOME")));
    QVERIFY(!text.contains(QLatin1String("Anna"), Qt::CaseInsensitive));
    QVERIFY(!text.contains(QLatin1String("hostname")));
    QVERIFY(!text.contains(QDir::homePath()));
  }

  void aKilledWindowComesBackAsItWas() {
    const QTemporaryDir folder;
    const auto ini = folder.filePath(QStringLiteral("window.ini"));
    QString lab;
    {
      Workplace place(ini);
      place.settings.set(QStringLiteral("tour/seen"), true);
      MainWindow window(place.desktop);
      window.show();
      QVERIFY(place.learn.open("measure-first"));
      window.resize(1111, 777);
      QTRY_VERIFY_WITH_TIMEOUT(place.settings.value(QStringLiteral("window/geometry")).isValid(), kPatience);
      // Read by another while the first lives: no closing is needed.
      const Settings killed(ini);
      QCOMPARE(killed.value(QStringLiteral("learn/lab")).toString(), QStringLiteral("measure-first"));
      QCOMPARE(LayoutKeeper::recentLabs(killed), QStringList{QStringLiteral("measure-first")});
    }
    Workplace place(ini);
    MainWindow window(place.desktop);
    QVERIFY(!place.settings.value(QStringLiteral("window/geometry")).toByteArray().isEmpty());
    QCOMPARE(place.learn.session()->lab().id, std::string("measure-first"));
  }

  void splittersAreKept() {
    Settings settings{QString()};
    const auto key = QStringLiteral("test/splitter");
    const auto build = [&](QSplitter& splitter) {
      splitter.addWidget(new QWidget);
      splitter.addWidget(new QWidget);
      splitter.resize(400, 100);
      LayoutKeeper::keep(settings, &splitter, key);
    };
    QSplitter first;
    build(first);
    first.show();
    first.setSizes({300, 100});
    Q_EMIT first.splitterMoved(300, 1);
    QSplitter second;
    build(second);
    second.show();
    QVERIFY(second.sizes().first() > second.sizes().last());
  }

  void unreadableSettingsAreToldInTheWindow() {
    const QTemporaryDir folder;
    const auto ini = folder.filePath(QStringLiteral("window.ini"));
    QFile file(ini);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no settings at all\n");
    file.close();
    Workplace place(ini);
    const MainWindow window(place.desktop);
    QCOMPARE(place.learn.notices().size(), std::size_t{1});
    QCOMPARE(place.learn.notices().front().id, std::string("settings.damaged"));
  }
};

QTEST_MAIN(ComfortTest)
#include "comfort_test.moc"
