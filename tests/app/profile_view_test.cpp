// The Profile view on a run that was profiled: its pages, what is selected in them, traces from elsewhere, what is missing or
// damaged, both languages, a small window.
#include <QAction>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>
#include <QtTest>

#include <algorithm>
#include <fstream>

#include "app/plots/figure_plot.h"
#include "app/plots/flame_plot.h"
#include "app/plots/time_plot.h"
#include "app/plots/timeline_plot.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/profile/break_panel.h"
#include "app/views/profile/compare_page.h"
#include "app/views/profile/diagnosis_page.h"
#include "app/views/profile/event_details.h"
#include "app/views/profile/finding_card.h"
#include "app/views/profile/health_page.h"
#include "app/views/profile/memory_page.h"
#include "app/views/profile/operators_page.h"
#include "app/views/profile/plan_panel.h"
#include "app/views/profile/roofline_page.h"
#include "app/views/profile/timeline_page.h"
#include "app/views/profile/trace_table_view.h"
#include "look_over.h"
#include "profile_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;
using trace::testing::find;

namespace {

bool isRelu(const TraceRow& row) {
  return row.cells.first().text.contains(QLatin1String("relu"));
}

struct Droppable : ProfileView {
  using ProfileView::dropEvent;
  using ProfileView::ProfileView;
};

}  // namespace

class ProfileViewTest : public QObject {
  Q_OBJECT

 private:
  static void nothingIsAnId(QWidget& widget) {
    const auto ids = rawIds(widget);
    QVERIFY2(ids.isEmpty(), qPrintable(ids.join(QLatin1Char('\n'))));
    for (const auto* label : widget.findChildren<QLabel*>())
      QVERIFY2(!label->text().contains(QLatin1String("profileview.")) && !label->text().contains(QLatin1Char('{')),
               qPrintable(label->text()));
  }

 private Q_SLOTS:
  void anEmptyViewSaysWhatToDo() {
    Room room(false);
    auto* view = room.view.get();
    const auto labels = view->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text() == room.text("profileview.empty");
    }));
    for (const char* id : {"profile.export_chrome", "profile.export_csv", "profile.export_pictures"})
      QVERIFY(!view->action(id)->isEnabled());
    // Health is also that of a run that goes: its page is there.
    view->setPage(ProfileView::Health);
    QVERIFY(view->health().isVisible());
    QVERIFY(view->health().breaker().breakButton()->isEnabled());
    view->setPage(ProfileView::Compare);
    QVERIFY(!view->compare().isVisible());
  }

  void aRecordedRunIsOpenedWithItsDiagnosis() {
    Room room;
    QCOMPARE(room.view->page(), ProfileView::Diagnosis);
    const auto& cards = room.view->diagnosis().cards();
    QCOMPARE(cards.size(), std::size_t{2});
    QVERIFY(cards[0]->applyButton()->isVisible() && cards[0]->applyButton()->isEnabled());
    QVERIFY(cards[0]->showButton()->isVisible());
    QVERIFY(cards[1]->applyButton()->isHidden());
    QVERIFY(cards[1]->showButton()->isHidden());
    QVERIFY(cards[0]->accessibleName().contains(QStringLiteral("66")));
    QCOMPARE(room.view->diagnosis().panel().table().rowCount(), 1);
    QVERIFY(room.view->plan().base().contains("precision"));
  }

  void aCardShowsItsEventInTheTimeline() {
    Room room;
    room.view->diagnosis().cards()[0]->showButton()->click();
    QCOMPARE(room.view->page(), ProfileView::Timeline);
    QCOMPARE(room.view->selection().event(), find(room.content().trace, "aten::conv2d"));
    const auto& timeline = room.view->timeline().timeline();
    QVERIFY(timeline.viewTo() - timeline.viewFrom() < static_cast<double>(kTraceNs) / 2);
    QVERIFY(room.view->timeline().details().text().contains(QStringLiteral("features.0")));
  }

  void theTimelineIsSearchedAndItsTracksAreChosen() {
    Room room;
    room.view->setPage(ProfileView::Timeline);
    auto& page = room.view->timeline();
    QTest::keyClicks(&page.searchField(), QStringLiteral("conv2d"));
    QTRY_VERIFY_WITH_TIMEOUT(page.timeline().matches().active(), kPatience);
    QCOMPARE(page.timeline().matches().events().size(), std::size_t{2});
    page.findChild<QAction*>(QStringLiteral("profile.next_match"))->trigger();
    const auto first = room.view->selection().event();
    QVERIFY(first >= 0);
    page.findChild<QAction*>(QStringLiteral("profile.next_match"))->trigger();
    QVERIFY(room.view->selection().event() != first);
    page.findChild<QAction*>(QStringLiteral("profile.last_match"))->trigger();
    QCOMPARE(room.view->selection().event(), first);
    const auto tracks = page.tracks().actions();
    QCOMPARE(tracks.size(), qsizetype{3});
    tracks[1]->setChecked(false);
    int shown = 0;
    for (std::int32_t track = 0; track < 3; ++track) shown += page.timeline().trackShown(track) ? 1 : 0;
    QCOMPARE(shown, 2);
    QVERIFY(!page.flameShown());
    page.findChild<QAction*>(QStringLiteral("profile.flame"))->trigger();
    QVERIFY(page.flame().isVisible());
    QCOMPARE(room.bench.settings.value(QStringLiteral("profile/flame")).toBool(), true);
  }

  void tablesFollowTheSelectionAndTheSelectionThem() {
    Room room;
    room.view->setPage(ProfileView::Operators);
    auto& page = room.view->operators();
    auto& table = page.view();
    QVERIFY(table.sift().rowCount() > 0);
    const int relu = table.sift().find(isRelu);
    QVERIFY(relu >= 0);
    table.selectRow(relu);
    const auto& trace = room.content().trace;
    const auto name = trace.events[static_cast<std::size_t>(find(trace, "aten::relu"))].name;
    QCOMPARE(room.view->selection().name(), name);
    room.view->selection().selectEvent(trace, find(trace, "aten::conv2d"));
    const auto& row = table.sift().rowAt(table.currentIndex().row());
    QCOMPARE(row.name, trace.events[static_cast<std::size_t>(find(trace, "aten::conv2d"))].name);
    page.wordsField().setText(QStringLiteral("relu"));
    QCOMPARE(table.sift().rowCount(), 1);
    page.wordsField().clear();
    page.setByShapes(true);
    QCOMPARE(table.table().content().columns.size(), qsizetype{12});
    for (const auto one : {OperatorsPage::Modules, OperatorsPage::Kernels, OperatorsPage::Stages, OperatorsPage::Transfers,
                           OperatorsPage::Idle, OperatorsPage::Operators}) {
      page.setTable(one);
      QCOMPARE(page.table(), one);
    }
    // Enter leads to the timeline.
    table.selectRow(0);
    Q_EMIT table.activated(table.currentIndex());
    QCOMPARE(room.view->page(), ProfileView::Timeline);
  }

  void memoryRooflineAndHealthAreShown() {
    Room room;
    room.view->setPage(ProfileView::Memory);
    QCOMPARE(room.view->memory().plot().content().stack.size(), 6);
    QCOMPARE(room.view->memory().tensors().sift().rowCount(), 1);
    QVERIFY(room.view->memory().figures().contains(QStringLiteral("4.00\u00a0MiB")));
    room.view->setPage(ProfileView::Roofline);
    QVERIFY(!room.view->roofline().isEmpty());
    QVERIFY(room.view->roofline().note().contains(QStringLiteral("100")));
    Q_EMIT room.view->roofline().plot().chosen(0);
    QVERIFY(room.view->selection().name() >= 0);
    room.view->setPage(ProfileView::Health);
    auto& health = room.view->health();
    QCOMPARE(health.health().step, std::int64_t{12});
    QVERIFY(health.problem().contains(QStringLiteral("features.0")));
    QVERIFY(health.problem().contains(QStringLiteral("aten::div")));
    QCOMPARE(health.table().sift().rowCount(), 2);
    QCOMPARE(health.flow().content().marks.size(), 2);
    health.table().selectRow(0);
    QVERIFY(room.view->selection().module() >= 0);
  }

  void aTraceFromElsewhereHasNoPeaksAndNoPlan() {
    Room room(false);
    const auto file = room.bench.engine.home() / "elsewhere.json";
    QVERIFY(trace::writeChromeTrace(profiledTrace(), file).ok());
    QVERIFY(room.view->showRun(QString::fromStdString(file.string())));
    room.settle();
    room.view->setPage(ProfileView::Roofline);
    QVERIFY(room.view->roofline().isEmpty());
    room.view->setPage(ProfileView::Diagnosis);
    QVERIFY(room.view->plan().base().empty());
    for (const auto* card : room.view->diagnosis().cards()) QVERIFY(card->applyButton()->isHidden());
    room.view->setPage(ProfileView::Health);
    QCOMPARE(room.view->health().health().step, std::int64_t{-1});
    nothingIsAnId(*room.view);
  }

  void anotherTraceIsCompared() {
    Room room;
    const auto file = room.bench.engine.home() / "other.json.gz";
    QVERIFY(trace::writeChromeTrace(profiledTrace(25'000), file).ok());
    room.view->setPage(ProfileView::Compare);
    auto& page = room.view->compare();
    page.compareWith(file);
    QTRY_VERIFY_WITH_TIMEOUT(page.comparison().has_value(), kPatience);
    QVERIFY(!page.verdict().isEmpty());
    const int relu = page.view().sift().find(isRelu);
    QVERIFY(relu >= 0);
    QCOMPARE(page.view().sift().rowAt(relu).cells[4].value, 25'000.0);  // slower here, by half of 50 µs
    // The comparison follows when another run is opened.
    room.openRun();
    QTRY_VERIFY_WITH_TIMEOUT(!page.comparing(), kPatience);
    QVERIFY(page.comparison().has_value());
    page.compareWith(room.bench.engine.home() / "no such file");
    QTRY_VERIFY_WITH_TIMEOUT(!page.comparing(), kPatience);
    QVERIFY(!room.view->notice().text().isEmpty());
  }

  void whatIsNoTraceIsTold() {
    Room room;
    for (const char* name : {"no-such-run", "../..", "/", "\n"}) {
      room.view->notice().dismiss();
      QVERIFY(!room.view->showRun(QLatin1String(name)));
      QVERIFY(!room.view->notice().text().isEmpty());
    }
    const auto file = room.bench.engine.home() / "bad.json";
    std::ofstream(file) << "{\"traceEvents\": [";
    QVERIFY(room.view->showRun(QString::fromStdString(file.string())));
    room.settle();
    QTRY_VERIFY_WITH_TIMEOUT(!room.view->notice().text().isEmpty(), kPatience);
    QCOMPARE(room.content().folder, room.folder());
  }

  void whatWasCutIsSaid() {
    Room room(false);
    auto cut = profiledTrace();
    cut.events_cut = 1'234;
    const auto file = room.bench.engine.home() / "cut.json.gz";
    QVERIFY(trace::writeChromeTrace(cut, file).ok());
    room.view->open(file);
    room.settle();
    QVERIFY(room.view->notice().text().contains(QStringLiteral("1,234")));
  }

  void aDroppedFileIsOpened() {
    Bench bench;
    bench.learn.setSchema(profileSchema());
    Droppable view(bench.desktop);
    const auto file = bench.engine.home() / "dropped.json.gz";
    QVERIFY(trace::writeChromeTrace(profiledTrace(), file).ok());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString((bench.engine.home() / "text.txt").string()))});
    QDropEvent wrong(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    view.dropEvent(&wrong);
    QVERIFY(!view.document().loading());
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file.string()))});
    QDropEvent right(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    view.dropEvent(&right);
    QTRY_VERIFY_WITH_TIMEOUT(!view.document().loading(), kPatience);
    QVERIFY(view.document().content());
  }

  void pagesAreReachedByNameAndByKeys() {
    Room room;
    const char* const names[] = {"diagnosis", "timeline", "operators", "memory", "roofline", "health", "compare"};
    for (int i = 0; i < ProfileView::kPages; ++i) {
      QVERIFY(room.view->showPage(names[i]));
      QCOMPARE(static_cast<int>(room.view->page()), i);
      const auto id = std::string("profile.page.") + names[i];
      room.view->setPage(ProfileView::Diagnosis);
      room.view->action(id.c_str())->trigger();
      QCOMPARE(static_cast<int>(room.view->page()), i);
    }
    QVERIFY(!room.view->showPage("runs"));
    room.view->setPage(ProfileView::Timeline);
    room.view->page(1);
    QCOMPARE(room.view->page(), ProfileView::Operators);
    QCOMPARE(room.bench.settings.value(QStringLiteral("profile/page")).toInt(), 2);
  }

  void everyTextIsThereInBothLanguagesAndLooks() {
    Room room;
    room.view->selection().selectEvent(room.content().trace, find(room.content().trace, "aten::conv2d"));
    for (const char* language : {"fr", "en"}) {
      room.bench.words.setLanguage(language);
      for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Contrast, Theme::Mode::Light}) {
        room.bench.theme.setMode(mode);
        for (int page = 0; page < ProfileView::kPages; ++page) {
          room.view->setPage(static_cast<ProfileView::Page>(page));
          QCoreApplication::processEvents();
          for (const auto* label : room.view->findChildren<QLabel*>())
            QVERIFY2(!label->text().contains(QLatin1String("profileview.")), qPrintable(label->text()));
          const auto unnamed = unnamedControls(*room.view);
          QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(QLatin1Char('\n'))));
        }
      }
    }
  }

  void itFitsASmallWindow() {
    Room room;
    for (const char* language : {"en", "fr"}) {
      room.bench.words.setLanguage(language);
      for (int page = 0; page < ProfileView::kPages; ++page) {
        room.view->setPage(static_cast<ProfileView::Page>(page));
        room.view->resize(1280, 668);  // 720 without the window's head
        QCoreApplication::processEvents();
        QCOMPARE(room.view->size(), QSize(1280, 668));
        QVERIFY(room.view->minimumSizeHint().width() <= 1280 && room.view->minimumSizeHint().height() <= 668);
        const auto cut = cutTexts(*room.view);
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
      }
    }
  }
};

QTEST_MAIN(ProfileViewTest)
#include "profile_view_test.moc"
