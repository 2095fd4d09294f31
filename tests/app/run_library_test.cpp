// The runs behind the Experiments view, without widgets: the library's thread, labels, deletion and its undo; the list as a
// model; curves that keep their colour; figures and differences in the engine's own words; exports.
#include <QAbstractItemModelTester>
#include <QProcess>
#include <QSignalSpy>
#include <QTimer>
#include <QtTest>

#include "app/models/run_compare.h"
#include "app/models/run_export.h"
#include "app/models/run_overlay.h"
#include "app/models/runs_list_model.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

std::vector<RunPtr> manyRuns(int count) {
  std::vector<RunPtr> runs;
  for (int i = 0; i < count; ++i) {
    auto run = std::make_shared<registry::RunRecord>(*makeRun("run-" + std::to_string(i), specOf(i % 2 ? 64 : 128), 1000 + i));
    if (i == 3) run->summary.samples_per_second.reset();
    if (i == 5) run->labels.pinned = true;
    runs.push_back(run);
  }
  return runs;
}

registry::Query query(const char* text) {
  auto parsed = registry::Query::parse(text);
  return parsed ? *parsed : registry::Query();
}

std::string idAt(const RunsListModel& list, int row) {
  return list.run(row)->id;
}

}  // namespace

class RunLibraryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsAreReadInAThreadOfTheirOwn() {
    Bench bench;
    const auto id = writeRun(bench.engine.home());
    RunLibrary library(bench.engine.home(), bench.desk);
    QSignalSpy changed(&library, &RunLibrary::changed);
    library.refresh();
    QVERIFY(!library.loaded());
    QVERIFY(library.runs().empty());
    QTRY_VERIFY_WITH_TIMEOUT(library.loaded(), kPatience);
    QCOMPARE(library.runs().size(), std::size_t{1});
    QVERIFY(library.find(id) != nullptr);
    QCOMPARE(changed.count(), 1);
  }

  void theWindowLivesOnWhileManyAreRead() {
    Bench bench;
    // Plain copies: a real writer waits for the disk each time.
    const auto first = writeRun(bench.engine.home());
    const auto runs = bench.engine.home() / "runs";
    constexpr int kRuns = 2000;
    for (int i = 1; i < kRuns; ++i) std::filesystem::copy(runs / first, runs / ("copy-" + std::to_string(i)));
    RunLibrary library(bench.engine.home(), bench.desk);
    library.refresh();
    int turns = 0;
    QTimer pulse;
    connect(&pulse, &QTimer::timeout, this, [&] { turns += library.loaded() ? 0 : 1; });
    pulse.start(0);
    QTRY_VERIFY_WITH_TIMEOUT(library.loaded(), kPatience);
    QCOMPARE(library.runs().size(), static_cast<std::size_t>(kRuns));
    QVERIFY2(turns > 3, qPrintable(QString::number(turns)));
  }

  void labelsAreShownAtOnceAndWrittenSoon() {
    Bench bench;
    const auto id = writeRun(bench.engine.home());
    {
      RunLibrary library(bench.engine.home(), bench.desk);
      library.refresh();
      QTRY_VERIFY_WITH_TIMEOUT(library.loaded(), kPatience);
      registry::Labels labels;
      for (const char* typed : {"f", "fi", "fir", "first"}) {
        labels.name = typed;
        library.label(id, labels);
      }
      QCOMPARE(library.find(id)->labels.name, std::string("first"));
      // A list that was read before the label was written doesn't take it back.
      library.refresh();
      QTRY_VERIFY_WITH_TIMEOUT(!library.loading(), kPatience);
      QCOMPARE(library.find(id)->labels.name, std::string("first"));
      labels.tags = {"slow"};
      library.label(id, labels);
    }
    const auto store = bench.open();
    QVERIFY(store);
    const auto run = store->find(id);
    QVERIFY(run.ok());
    QCOMPARE(run->labels.name, std::string("first"));
    QCOMPARE(run->labels.tags, std::vector<std::string>{"slow"});
  }

  void aDeletionIsUndone() {
    Bench bench;
    const auto kept = writeRun(bench.engine.home()), gone = writeRun(bench.engine.home());
    RunLibrary library(bench.engine.home(), bench.desk);
    library.refresh();
    QTRY_COMPARE_WITH_TIMEOUT(library.runs().size(), std::size_t{2}, kPatience);
    library.remove({gone});
    QTRY_COMPARE_WITH_TIMEOUT(library.runs().size(), std::size_t{1}, kPatience);
    QVERIFY(!std::filesystem::exists(bench.engine.home() / "runs" / gone));
    QVERIFY(library.undo().canUndo());
    library.undo().undo();
    QTRY_COMPARE_WITH_TIMEOUT(library.runs().size(), std::size_t{2}, kPatience);
    QCOMPARE(library.runs().front()->id, std::max(kept, gone));
    QVERIFY(std::filesystem::exists(bench.engine.home() / "runs" / gone));
    library.undo().redo();
    QTRY_COMPARE_WITH_TIMEOUT(library.runs().size(), std::size_t{1}, kPatience);
    QVERIFY(library.find(kept) != nullptr);
  }

  void aRunThatGoesIsNotDeleted() {
    Bench bench;
    const auto id = registry::makeRunId();
    auto writer = registry::RunWriter::create(bench.engine.home(), id, specOf(), {{"cpu", "x"}});
    QVERIFY(writer.ok());
    RunLibrary library(bench.engine.home(), bench.desk);
    library.refresh();
    QTRY_COMPARE_WITH_TIMEOUT(library.runs().size(), std::size_t{1}, kPatience);
    QSignalSpy failed(&library, &RunLibrary::failed);
    library.remove({id});
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
    QVERIFY(library.find(id) != nullptr);
    QVERIFY(!library.undo().canUndo());
  }

  void theListIsAModel() {
    Bench bench;
    RunTexts texts(bench.words);
    texts.setSchema(runSchema());
    RunsListModel list(bench.theme, texts);
    const QAbstractItemModelTester tester(&list, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto runs = manyRuns(20);
    list.setRuns(runs);
    QCOMPARE(list.rowCount(), 20);
    list.sortBy(QStringLiteral("samples_per_second"), Qt::DescendingOrder);
    QCOMPARE(idAt(list, 0), std::string("run-5"));   // pinned
    QCOMPARE(idAt(list, 1), std::string("run-19"));  // the fastest
    QCOMPARE(idAt(list, 19), std::string("run-3"));  // without a figure: last, whichever way
    list.sortBy(QStringLiteral("samples_per_second"), Qt::AscendingOrder);
    QCOMPARE(idAt(list, 1), std::string("run-0"));
    QCOMPARE(idAt(list, 19), std::string("run-3"));
    list.setQuery(query("batch = 64 and samples_per_second > 1010"));
    QCOMPARE(list.rowCount(), 5);
    QCOMPARE(list.total(), 20);
    QCOMPARE(list.rowOf(QStringLiteral("run-0")), -1);
    QVERIFY(list.rowOf(QStringLiteral("run-11")) >= 0);
    list.setQuery({});
    list.setColumns({QStringLiteral("run"), QStringLiteral("differs"), QStringLiteral("accuracy"), QStringLiteral("status")});
    QCOMPARE(list.columnCount(), 4);
    const int row = list.rowOf(QStringLiteral("run-7"));
    QCOMPARE(list.index(row, 1).data().toString(), QStringLiteral("batch=64"));
    QVERIFY(list.index(row, 2).data().toString().startsWith(QLatin1String("88.1")));
    QCOMPARE(list.index(row, 2).data(RunsListModel::ValueRole).toDouble(), 0.881);
    QVERIFY(list.index(row, 3).data().toString().startsWith(QStringLiteral("✓")));
    auto edited = std::make_shared<registry::RunRecord>(*list.run(row));
    edited->labels.name = "named";
    list.replace(edited);
    QCOMPARE(list.index(row, 0).data().toString(), QStringLiteral("named"));
    list.setOrders({{QStringLiteral("run-7"), 2}});
    QVERIFY(list.index(row, 0).data().toString().startsWith(Theme::seriesMarker(2)));
    QCOMPARE(list.index(row, 0).data(Qt::ForegroundRole).value<QColor>(), bench.theme.seriesColor(2));
    edited = std::make_shared<registry::RunRecord>(*edited);
    edited->labels.pinned = true;
    list.replace(edited);
    QVERIFY(list.rowOf(QStringLiteral("run-7")) < 2);
    list.setRuns({});
    QCOMPARE(list.rowCount(), 0);
  }

  void tenThousandRowsAreOnePass() {
    Bench bench;
    RunTexts texts(bench.words);
    RunsListModel list(bench.theme, texts);
    QSignalSpy resets(&list, &QAbstractItemModel::modelReset);
    QSignalSpy changes(&list, &QAbstractItemModel::dataChanged);
    list.setRuns(manyRuns(10'000));
    list.setQuery(query("batch = 64"));
    QCOMPARE(list.rowCount(), 5000);
    list.sortBy(QStringLiteral("samples_per_second"), Qt::DescendingOrder);
    QCOMPARE(idAt(list, 1), std::string("run-9999"));
    QCOMPARE(resets.count(), 3);
    QCOMPARE(changes.count(), 0);
  }

  void aRunKeepsItsColourAsLongAsItIsChosen() {
    Bench bench;
    std::vector<std::string> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(writeRun(bench.engine.home(), specOf(), 1000 + i));
    RunTexts texts(bench.words);
    RunLibrary library(bench.engine.home(), bench.desk);
    RunOverlay overlay(library, texts);
    library.refresh();
    QTRY_COMPARE_WITH_TIMEOUT(library.runs().size(), std::size_t{3}, kPatience);
    const auto run = [&](int i) { return library.find(ids[static_cast<std::size_t>(i)]); };
    const auto order = [&](int i) { return overlay.orders().value(QString::fromStdString(run(i)->id), -1); };
    overlay.choose({run(0), run(1)});
    QTRY_COMPARE_WITH_TIMEOUT(overlay.series().size(), qsizetype{2}, kPatience);
    QCOMPARE(order(1), 1);
    QCOMPARE(overlay.series().first()->samplesPerSecond().y.size(), qsizetype{20});
    QVERIFY(overlay.series().first()->summary().has_value());
    const auto* before = overlay.series().last();
    overlay.choose({run(1)});
    QCOMPARE(order(1), 1);
    QCOMPARE(overlay.series().first(), before);  // the same object: the plots keep the view that the reader chose
    overlay.choose({run(1), run(2)});
    QCOMPARE(order(2), 0);
    QTRY_COMPARE_WITH_TIMEOUT(overlay.waiting(), 0, kPatience);
    QCOMPARE(overlay.environment(ids[2])["cpu"].get<std::string>(), std::string("Example CPU"));
    overlay.choose({});
    QVERIFY(overlay.series().isEmpty());
  }

  void moreRunsThanCanBeDrawnAreSaid() {
    Bench bench;
    RunTexts texts(bench.words);
    RunLibrary library(bench.engine.home(), bench.desk);
    RunOverlay overlay(library, texts);
    overlay.choose(manyRuns(RunOverlay::kMost + 20));
    QCOMPARE(overlay.dropped(), 20);
    QCOMPARE(static_cast<int>(overlay.runs().size()), RunOverlay::kMost);
    QVERIFY(Theme::seriesDash(0) != Theme::seriesDash(7));  // the colours come round again
  }

  void figuresAreWhatTheEngineCompares() {
    Bench bench;
    const auto a = writeRun(bench.engine.home(), specOf(), 2107), b = writeRun(bench.engine.home(), specOf(64), 3008);
    const auto store = bench.open();
    QVERIFY(store);
    std::vector<RunPtr> runs;
    for (const auto& id : {a, b}) {
      auto found = store->find(id);
      QVERIFY(found.ok());
      runs.push_back(std::make_shared<const registry::RunRecord>(*found));
    }
    QProcess engine;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ATELIER_HOME"), QString::fromStdString(bench.engine.home().string()));
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    engine.setProcessEnvironment(environment);
    engine.start(QStringLiteral(ATELIER_BIN_DIR "/atelier-engine"), {QStringLiteral("compare"), QString::fromStdString(a),
                                                                     QString::fromStdString(b), QStringLiteral("--markdown")});
    QVERIFY(engine.waitForFinished(kPatience));
    const auto said = QString::fromUtf8(engine.readAllStandardOutput());
    QVERIFY2(said.contains(QStringLiteral("| batch | 128 | 64 |")), qPrintable(said));
    const RunTexts texts(bench.words);
    const auto rows = RunCompare(bench.words, texts).figures(runs);
    QVERIFY(rows.size() > 15);
    for (const auto& row : rows) {
      const auto line = QStringLiteral("| ") + row.cells.join(QStringLiteral(" | ")) + QStringLiteral(" |");
      QVERIFY2(said.contains(line), qPrintable(line + QLatin1Char('\n') + said));
    }
  }

  void onlyWhatDiffersIsNamed() {
    Bench bench;
    const RunTexts texts(bench.words);
    const RunCompare compare(bench.words, texts);
    const auto titles = [](const RunDifferences& found) {
      QStringList all;
      for (const auto& row : found.rows) all << row.cells.first();
      return all;
    };
    const auto a = makeRun("a", specOf(128), 1000), b = makeRun("b", specOf(64), 2000);
    const nlohmann::json here{{"cpu", "one"}, {"race", "r1"}}, there{{"cpu", "two"}, {"race", "r2"}};
    const auto found = compare.differences({a, b}, {here, there});
    QVERIFY(titles(found).contains(QStringLiteral("batch")));
    QVERIFY(titles(found).contains(QStringLiteral("cpu")));
    QVERIFY(!titles(found).contains(QStringLiteral("precision")));
    QVERIFY(!titles(found).contains(QStringLiteral("race")));
    QCOMPARE(found.note, bench.words.text("experiments.diff.apart"));
    bool ratio = false;
    for (const auto& row : found.rows) ratio = ratio || row.cells.last().contains(QStringLiteral("2.00×"));
    QVERIFY(ratio);
    const auto same = compare.differences({a, makeRun("c", specOf(128), 1000)}, {here, nullptr});
    QVERIFY2(same.rows.empty(), qPrintable(titles(same).join(QLatin1Char(','))));
    QCOMPARE(same.note, bench.words.text("experiments.diff.none"));
    QCOMPARE(compare.differences({a}, {here}).note, bench.words.text("experiments.diff.choose"));
    auto raced = std::make_shared<registry::RunRecord>(*a), other = std::make_shared<registry::RunRecord>(*b);
    raced->race = other->race = "race-1";
    QCOMPARE(compare.differences({raced, other}, {here, there}).note, bench.words.text("experiments.diff.together"));
  }

  void exportsNeverFollowTheLanguage() {
    Bench bench;
    bench.words.setLanguage("fr");
    RunTexts texts(bench.words);
    auto run = std::make_shared<registry::RunRecord>(*makeRun("a", specOf(), 2107.5));
    run->labels.name = "one, \"two\" | three";
    const auto csv = csvOf({run});
    QVERIFY(csv.find("2107.5") != std::string::npos);
    QVERIFY(csv.find("\"one, \"\"two\"\" | three\"") != std::string::npos);
    const auto columns = csv.substr(0, csv.find("\r\n"));
    QVERIFY(columns.find("samples_per_second,samples_per_second_low,samples_per_second_high") != std::string::npos);
    const auto markdown = markdownOf({run}, {"run", "accuracy"}, texts);
    QVERIFY(markdown.find("one, \"two\" \\| three") != std::string::npos);
    QVERIFY(markdown.find("88,1") != std::string::npos);
  }
};

QTEST_MAIN(RunLibraryTest)
#include "run_library_test.moc"
