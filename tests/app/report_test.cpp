// The PDF report from synthetic runs: that it is a proper PDF (poppler reads it), that text comes out again with its accents,
// and that the page does not depend on the screen.
#include <QDir>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <limits>

#include "app/report/command.h"
#include "app/report/figure.h"
#include "app/report/flow.h"
#include "app/report/report.h"
#include "labs/load.h"
#include "labs/outcome.h"
#include "tests/labs/profile_json.h"

using namespace atelier;
using namespace atelier::app;

namespace {

constexpr auto kChildFile = "ATELIER_REPORT_TEST_FILE";

wire::RunEvent at(double seconds, wire::EventBody body) {
  wire::RunEvent event;
  event.t = static_cast<std::int64_t>(seconds * 1e9);
  event.body = std::move(body);
  return event;
}

wire::RunSummary summaryOf(double rate, bool naive) {
  wire::RunSummary summary;
  summary.id = "20261130-104512-3f9a1c";
  summary.seed = 7;
  summary.steps = 100;
  summary.blocks = 10;
  summary.disturbed_blocks = 1;
  summary.samples_per_second = wire::Interval{rate, rate * 0.97, rate * 1.02, 9};
  summary.step_p50 = 128e3 / rate;
  summary.step_p99 = 140e3 / rate;
  summary.first_step_milliseconds = 212;
  summary.peak_memory_bytes = {96 << 20, 12 << 20, 12 << 20, 24 << 20, 44 << 20, 4 << 20};
  summary.rss_bytes = 412 << 20;
  summary.stages = {60'000'000, 1'900'000'000, 3'500'000'000, 500'000'000, 40'000'000, 6'000'000'000};
  summary.accuracy = 0.881;
  summary.evaluated = 10'000;
  summary.loss = 0.412;
  if (naive)
    summary.naive = {{"no_warmup", rate * 0.82, 0.82, ""},
                     {"first_epoch", rate * 1.21, 1.21, ""},
                     {"no_synchronisation", std::nullopt, std::nullopt, "report.not_measured"}};
  return summary;
}

RunSeries seriesOf(const QString& label, int order, double rate, bool holes, bool naive) {
  RunSeries series(label, order);
  wire::RunStarted started;
  started.run_id = "20261130-104512-3f9a1c";
  started.spec = {{"model", "cnn"}, {"data", "fashion-mnist"}, {"batch", 128}, {"channels_last", order == 1}};
  started.planned_steps = 100;
  series.take(at(0, started));
  const double gap = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= 120; ++i) {
    const double second = i * 0.15, wave = 1 + 0.04 * std::sin(i * 0.7);
    const double value = holes && i % 30 == 0 ? gap : holes && i == 50 ? endless : rate * wave;
    series.take(
        at(second, wire::Progress{i, 120, i > 10, value, holes && i > 60 ? gap : 2.3 * std::exp(-i / 40.0) + 0.3, 1e-3}));
    const auto part = static_cast<std::int64_t>((40 + 6 * (i % 5)) << 20);
    series.take(
        at(second, wire::MemorySampled{{part + (52 << 20), 12 << 20, 12 << 20, 24 << 20, part, 4 << 20}, {}, 128 << 20}));
    series.take(at(second, wire::SystemSampled{88 + 5 * std::sin(i), 3, 0, 412 << 20}));
    if (i % 12 == 0)
      series.take(
          at(second, wire::BlockDone{i / 12, 12, 1536, 1.8, rate * wave, {}, 0.4, i == 60, i == 60 ? "busy.others" : ""}));
  }
  series.take(at(18.2, wire::RunFinished{summaryOf(rate, naive)}));
  return series;
}

ReportContent contentIn(const QString& language) {
  ReportContent content;
  content.overline = language == "fr" ? QStringLiteral("TP 1.1") : QStringLiteral("Lab 1.1");
  content.title = language == "fr" ? QStringLiteral("Mesurer d’abord") : QStringLiteral("Measure first");
  content.subtitle = language == "fr" ? QStringLiteral("À quelle vitesse mon entraînement va-t-il, vraiment\u202f?")
                                      : QStringLiteral("How fast is my training, really?");
  content.learner = QStringLiteral("Zoé Lefèvre-Çelik");
  content.language = language;
  content.created = QDateTime(QDate(2026, 11, 30), QTime(10, 45));
  content.machine = {{"cpu", "AMD EPYC 9R14"},
                     {"cores", 2},
                     {"memory_bytes", 8LL << 30},
                     {"gpus", nlohmann::json::array()},
                     {"gpu_reason", "gpu.none"},
                     {"driver", ""},
                     {"device", "cpu"},
                     {"governor", "unknown"},
                     {"torch", "2.11.0"},
                     {"atelier", "0.1.0"},
                     {"revision", "1f2e3d4"},
                     {"os", "Debian GNU/Linux 12"},
                     {"kernel", "6.1"},
                     {"threads", 2},
                     {"load", 0.4}};
  content.predictions = {{"baseline", "samples_per_second", "samples_per_second", 1500, wire::Interval{2107, 2050, 2160, 9}},
                         {"change", "ratio", "ratio", std::nullopt, wire::Interval{1.42, 1.37, 1.47, 9}}};
  content.predictionTitles = {QStringLiteral("Baseline"), QStringLiteral("One change")};
  const wire::Message width{"check.interval_within.passed", {{"width", "2.5"}, {"wanted", "10"}}};
  const wire::Message tooWide{"check.decided.inside-the-noise.too_wide", {{"width", "7.5"}, {"wanted", "5"}}};
  const lab::CheckResult passed{"baseline", "steady", "interval_within", lab::CheckState::Passed, 2107, std::nullopt, "<= 10",
                                width,      false};
  const lab::CheckResult noise{"change",  "decided", "decided", lab::CheckState::Noise, 1.02, std::nullopt,
                               "decided", tooWide,   true};
  content.checks = {passed, noise};
  content.checkTitles = {QStringLiteral("Baseline"), QStringLiteral("One change")};
  ReportExperiment baseline{QStringLiteral("Baseline"), QStringLiteral("How many samples a second does the network train?")};
  baseline.runs.append({seriesOf("A", 0, 2107, true, true)});
  ReportExperiment race{QStringLiteral("One change"), QStringLiteral("Only the memory format differs.")};
  race.verb = QStringLiteral("race");
  race.runs.append({seriesOf("A", 0, 2107, false, false)});
  race.runs.append({seriesOf("B", 1, 2990, false, false)});
  race.race = wire::RaceSummary{
      summaryOf(2107, false), summaryOf(2990, false), wire::Interval{1.42, 1.37, 1.47, 9}, "faster", true, 9, 1};
  content.experiments = {baseline, race};
  return content;
}

QString toolOutput(const QString& tool, const QStringList& arguments) {
  QProcess process;
  process.start(tool, arguments);
  if (!process.waitForFinished(30'000)) return {};
  return QString::fromUtf8(process.readAllStandardOutput());
}

QString textOf(const QString& file) {
  // All kinds of space as one: poppler places and names them by its own rules.
  const QStringList arguments{QStringLiteral("-layout"), QStringLiteral("-enc"), QStringLiteral("UTF-8"), file,
                              QStringLiteral("-")};
  return toolOutput(QStringLiteral("pdftotext"), arguments)
      .replace(QChar(0x202F), QLatin1Char(' '))
      .replace(QChar(0x00A0), QLatin1Char(' '));
}

}  // namespace

class ReportTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  QString file(const QString& name) const { return m_folder.filePath(name); }

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    for (const auto& tool : {"pdftotext", "pdfinfo", "pdffonts"})
      QVERIFY2(!QStandardPaths::findExecutable(QString::fromLatin1(tool)).isEmpty(), "poppler-utils is missing");
  }

  void isA4WithEmbeddedFonts() {
    const auto pages = writeReport(contentIn("en"), file("en.pdf"));
    QVERIFY(pages.ok());
    const auto info = toolOutput("pdfinfo", {file("en.pdf")});
    QVERIFY2(info.contains("(A4)"), qPrintable(info));
    QVERIFY(info.contains(QRegularExpression(QStringLiteral("Pages:\\s+%1\n").arg(*pages))));
    bool inter = false;
    const auto fonts = toolOutput("pdffonts", {file("en.pdf")}).split('\n').mid(2);
    for (const auto& line : fonts) {
      if (line.trimmed().isEmpty()) continue;
      inter = inter || line.contains("Inter");
      // emb and uni: embedded, with its way back to Unicode (poppler doesn't recognise Qt's subsets as such).
      QVERIFY2(line.contains(QRegularExpression("\\byes\\s+(yes|no)\\s+yes\\b")), qPrintable(line));
    }
    QVERIFY(inter);
  }

  void figuresAreVectors() {
    QVERIFY(writeReport(contentIn("en"), file("vector.pdf")).ok());
    const auto images = toolOutput("pdfimages", {"-list", file("vector.pdf")}).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(images.size(), 2);  // the two lines of the header
  }

  void textComesOutInFrench() {
    QVERIFY(writeReport(contentIn("fr"), file("fr.pdf")).ok());
    const auto text = textOf(file("fr.pdf"));
    for (const auto& wanted :
         {"Zoé Lefèvre-Çelik", "À quelle vitesse", "30 novembre 2026", "Vérifications", "dans le bruit", "1,42 ×", "2 107",
          "non mesurable", "Aucun GPU NVIDIA", "Appareil utilisé", "Passe avant", "−29 %", "Connu assez précisément", "± 2,5"})
      QVERIFY2(text.contains(QString::fromUtf8(wanted)), wanted);
    QVERIFY2(!text.contains("unknown"), "an unknown governor is left out");
  }

  void numbersItsPages() {
    const auto pages = writeReport(contentIn("en"), file("pages.pdf"));
    QVERIFY(pages.ok());
    const auto text = textOf(file("pages.pdf"));
    for (int i = 1; i <= *pages; ++i)
      QVERIFY(text.contains(QRegularExpression(QStringLiteral("%1 ?/ ?%2\n").arg(i).arg(*pages))));
  }

  void saysWhenNothingWasMeasured() {
    ReportContent content;
    content.language = QStringLiteral("en");
    content.title = QStringLiteral("Empty");
    const auto pages = writeReport(content, file("empty.pdf"));
    QVERIFY(pages.ok());
    QCOMPARE(*pages, 1);
    QVERIFY(textOf(file("empty.pdf")).contains("Nothing has been measured yet"));
  }

  void takesRunsWithoutEventsAndFailures() {
    auto content = contentIn("en");
    RunSeries bare(QStringLiteral("A"), 0);
    RunSeries failed(QStringLiteral("B"), 1);
    failed.take(at(1, wire::RunFailed{wire::ExitCode::OutOfMemory, {{"report.no_ratio"}}}));
    content.experiments = {ReportExperiment{QStringLiteral("Bare"), {}}};
    content.experiments[0].runs = {{bare}, {failed}};
    QVERIFY(writeReport(content, file("bare.pdf")).ok());
    QVERIFY(textOf(file("bare.pdf")).contains("The run failed."));
  }

  void wrapsNamesOfAnyLength() {
    auto content = contentIn("en");
    content.title = QStringLiteral("word ").repeated(400);
    content.learner = QString(3000, QLatin1Char('n'));
    content.experiments[0].title = QString(5000, QLatin1Char('t'));
    content.experiments[0].runs[0] = {seriesOf(QString(4000, QLatin1Char('l')), 0, 2107, false, false)};
    content.predictionTitles[0] = QString(9000, QLatin1Char('p'));
    const auto pages = writeReport(content, file("long.pdf"));
    QVERIFY(pages.ok());
    QVERIFY(*pages > 3 && *pages < 60);
    QCOMPARE(textOf(file("long.pdf")).count(QLatin1Char('p')) >= 9000, true);
  }

  // What a learner did in the first lab, as the window and the command line hand it to the report.
  void tellsASession() {
    const auto course = lab::loadCourse(ATELIER_COURSE_DIR, "fr");
    const auto* first = course.find("1.1");
    QVERIFY(first);
    lab::LabSession session(*first);
    session.predict("baseline", 1500);
    session.record("baseline", {"run", wire::toJson(summaryOf(2107, false)), {"20261130-104512-3f9a1c"}});
    const wire::RaceSummary race{
        summaryOf(2107, false), summaryOf(2110, false), wire::Interval{1.0, 0.98, 1.02, 9}, "no-difference", true, 9, 1};
    session.record("same", {"race", wire::toJson(race), {}});
    const auto content = labReport(session, QStringLiteral("Ada"), QStringLiteral("fr"), file("home"));
    QCOMPARE(content.title, QStringLiteral("Mesurer d’abord"));
    QCOMPARE(content.overline, QStringLiteral("TP 1.1"));
    QCOMPARE(content.learner, QStringLiteral("Ada"));
    QCOMPARE(content.experiments.size(), 2);
    QVERIFY(!content.experiments[0].text.isEmpty());
    QVERIFY(!content.experiments[0].race && content.experiments[1].race);
    QCOMPARE(content.experiments[1].runs.size(), 2);
    QCOMPARE(content.predictions.front().predicted.value_or(0), 1500.0);
    QCOMPARE(content.predictions.front().measured->median, 2107.0);
    QCOMPARE(content.checks.size(), session.allChecks().size());
    QCOMPARE(content.checkTitles.size(), static_cast<qsizetype>(content.checks.size()));
    QVERIFY(writeReport(content, file("session.pdf")).ok());
    const auto text = textOf(file("session.pdf"));
    for (const auto& wanted : {"Mesurer d’abord", "La mesure de référence", "Aucun temps perdu", "pas de différence notable"})
      QVERIFY2(text.contains(QString::fromUtf8(wanted)), wanted);
    QVERIFY2(!text.contains("check."), "an id in the report is a text that is missing");
  }

  // Predicted and measured gains of a plan's changes stand in one table.
  void tellsAPlanBeforeAndAfter() {
    const auto course = lab::loadCourse(ATELIER_COURSE_DIR, "en");
    const auto* workshop = course.find("1.4");
    QVERIFY(workshop);
    lab::LabSession session(*workshop);
    session.predict("profile", 0);
    auto result = wire::toJson(summaryOf(31, false));
    result.update(lab::keptOfProfile(lab::profileJson()));
    session.record("profile", {"profile", result, {}});
    const wire::RaceSummary race{
        summaryOf(31, false), summaryOf(68, false), wire::Interval{2.2, 2.1, 2.3, 8}, "faster", true, 8, 0};
    session.record("fix-1", {"race", wire::toJson(race), {}});
    auto lost = race;
    lost.ratio = wire::Interval{0.9, 0.85, 0.95, 8};
    lost.verdict = "slower";
    session.record("fix-2", {"race", wire::toJson(lost), {}});
    const auto content = labReport(session, QStringLiteral("Ada"), QStringLiteral("en"), file("home"));
    QCOMPARE(content.fixes.size(), 4);
    QVERIFY(content.fixes[0].fix.won() && !content.fixes[1].fix.won());
    QVERIFY(!content.fixes[2].fix.applicable);
    QVERIFY(content.experiments[0].profile.is_object());
    QVERIFY(writeReport(content, file("plan.pdf")).ok());
    const auto text = textOf(file("plan.pdf"));
    for (const auto& wanted : {"before and after", "workers = 2", "2.60×", "2.20×", "faster: kept", "slower: not kept",
                               "Not applicable", "aten::convolution_backward", "addmm"})
      QVERIFY2(text.contains(QString::fromUtf8(wanted)), wanted);
    for (const auto& unwanted : {"lab.plan", "report.plan", "rule.input"})
      QVERIFY2(!text.contains(QLatin1String(unwanted)), unwanted);
  }

  void tellsWhenEveryBlockWasDisturbed() {
    auto content = contentIn("en");
    auto busy = summaryOf(2107, false);
    busy.disturbed_blocks = busy.blocks;
    RunSeries series(QStringLiteral("A"), 0);
    series.take(at(1, wire::RunFinished{busy}));
    content.experiments = {ReportExperiment{QStringLiteral("Busy"), {}}};
    content.experiments[0].runs = {{series}};
    QVERIFY(writeReport(content, file("busy.pdf")).ok());
    QVERIFY(textOf(file("busy.pdf")).contains("all kept"));
  }

  void drawsTheLossScaleAndTheWaitForDataOfRunsThatHaveThem() {
    const auto written = [this](const RunSeries& series) {
      auto content = contentIn("en");
      content.experiments = {ReportExperiment{QStringLiteral("Half"), {}}};
      content.experiments[0].runs = {{series}};
      return writeReport(content, file("half.pdf")).ok() ? textOf(file("half.pdf")) : QString();
    };
    auto series = seriesOf("A", 0, 2107, false, false);
    const auto before = written(series);
    QVERIFY(!before.isEmpty());
    for (const auto& unwanted : {"Loss scale", "Time waiting for data", "Data that stand ready", "Updates left out"})
      QVERIFY2(!before.contains(QLatin1String(unwanted)), unwanted);
    series.take(at(19, wire::ScaleChanged{100, 65536, 32768, "overflow"}));
    series.take(at(20, wire::Progress{121, 130, true, 2107, 0.4, 1e-3, 2.0, 0.25}));
    auto summary = summaryOf(2107, false);
    summary.skipped_steps = 3;
    series.take(at(21, wire::RunFinished{summary}));
    const auto after = written(series);
    for (const auto& wanted :
         {"Loss scale", "Time waiting for data", "Data that stand ready", "Updates left out", "power of two"})
      QVERIFY2(after.contains(QLatin1String(wanted)), wanted);
  }

  void refusesAFolderThatIsNotThere() {
    const auto written = writeReport(contentIn("en"), file("missing/folder/report.pdf"));
    QVERIFY(!written.ok());
    QCOMPARE(written.error().messages.front().id, std::string("report.write"));
  }

  // Run by isTheSameAtEveryScale in a process of its own, because the scale is read when Qt starts.
  void reportOfTheChild() {
    if (!qEnvironmentVariableIsSet(kChildFile)) return;
    QVERIFY(writeReport(contentIn("fr"), qEnvironmentVariable(kChildFile)).ok());
  }

  void isTheSameAtEveryScale() {
    QStringList texts, boxes;
    for (const auto& scale : {"1", "1.25", "2"}) {
      const auto name = file(QStringLiteral("scale-%1.pdf").arg(QLatin1String(scale)));
      auto environment = QProcessEnvironment::systemEnvironment();
      environment.insert("QT_SCALE_FACTOR", scale);
      environment.insert(kChildFile, name);
      QProcess child;
      child.setProcessEnvironment(environment);
      child.start(QCoreApplication::applicationFilePath(), {"reportOfTheChild"});
      QVERIFY(child.waitForFinished(60'000));
      QCOMPARE(child.exitCode(), 0);
      texts << textOf(name);
      // Without the head, which names the time of writing.
      boxes << toolOutput("pdftotext", {"-bbox", name, "-"}).section(QStringLiteral("<body>"), 1);
    }
    QVERIFY(texts[0].size() > 500);
    QCOMPARE(texts[1], texts[0]);
    QCOMPARE(texts[2], texts[0]);
    QCOMPARE(boxes[1], boxes[0]);  // every word at the same place
    QCOMPARE(boxes[2], boxes[0]);
  }

  void keepsHeadingsWithWhatFollows() {
    using namespace app::report;
    QVector<Block> blocks;
    const auto block = [](double height, bool keep) {
      Block made;
      made.height = height;
      made.keepWithNext = keep;
      return made;
    };
    blocks << block(90, false) << block(5, true) << block(10, false);
    const auto pages = paginate(blocks, 100);
    QCOMPARE(pages.size(), 2);
    QCOMPARE(pages[0].size(), 1);
    QCOMPARE(pages[1].size(), 2);
    QCOMPARE(paginate({block(500, true), block(500, true), block(500, false)}, 100).size(), 3);
    QCOMPARE(paginate({}, 100).size(), 1);
  }

  void repeatsATablesHeader() {
    using namespace app::report;
    Flow flow(pt(400));
    QVector<QVector<Cell>> rows;
    for (int i = 0; i < 80; ++i) rows.append({{QString::number(i), {}}, {QStringLiteral("x"), {}}});
    flow.table({{QStringLiteral("n")}, {QStringLiteral("x")}}, rows);
    const auto pages = paginate(flow.blocks(), pt(300));
    QVERIFY(pages.size() > 2);
    qsizetype placed = 0;
    for (const auto& page : pages) placed += page.size();
    QCOMPARE(placed, 80 + pages.size());
    for (const auto& page : pages) QVERIFY(page.last().top + page.last().block.height <= pt(300) + 1e-6);
  }

  void leavesGapsAndKeepsSpikes() {
    using namespace app::report;
    Curve curve;
    for (int i = 0; i < 10'000; ++i) curve.add(i * 1e-3, i == 4321 ? 99.0 : i == 5000 ? std::nan("") : 1.0);
    const auto parts = stretches(curve, 10, 200);
    QCOMPARE(parts.size(), 2);
    double top = 0;
    for (const auto& part : parts)
      for (const auto& point : part) top = std::max(top, point.y());
    QCOMPARE(top, 99.0);
    QVERIFY(parts[0].size() + parts[1].size() <= 404);
    QVERIFY(stretches(Curve(), 1, 10).isEmpty());
  }

  void labelsNeverOverlap() {
    const auto placed = app::report::spread({50, 50, 51, 52, 99}, 9, 0, 100);
    for (qsizetype i = 1; i < placed.size(); ++i) QVERIFY(placed[i] - placed[i - 1] >= 9 - 1e-9);
    QVERIFY(placed.last() <= 100);
  }

  void ticksCoverTheRange() {
    for (const auto& [low, high] : {std::pair{0.0, 2107.0}, {0.0, 0.0}, {-3.0, 0.001}, {0.31, 0.33}, {0.0, 1e12}}) {
      const auto ticks = app::report::niceTicks(low, high);
      QVERIFY(ticks.size() >= 2 && ticks.size() <= 8);
      QVERIFY(ticks.first() <= low + 1e-9 && ticks.last() >= high - 1e-9);
    }
  }

  void namesTheCommandExactly() {
    using namespace app::report;
    auto schema = wire::Schema::build({wire::textOption("model", "cnn"), wire::integerOption("batch", 128, 1, 1 << 20),
                                       wire::bytesOption("memory_budget"), wire::booleanOption("channels_last", false)});
    QVERIFY(schema.ok());
    const nlohmann::json spec{{"model", "cnn"}, {"batch", 256}, {"memory_budget", "512MiB"}, {"channels_last", false}};
    auto b = spec;
    b["channels_last"] = true;
    QCOMPARE(rerunCommand("run", spec, nullptr, *schema),
             std::string("atelier-engine run --set batch=256 --set memory_budget=512MiB"));
    QCOMPARE(rerunCommand("race", spec, b, *schema),
             std::string("atelier-engine race --set batch=256 --set memory_budget=512MiB --b channels_last=true"));
    QCOMPARE(rerunCommand("run", {{"model", "it's"}}, nullptr, std::nullopt),
             std::string("printf '%s' '{\"model\":\"it'\\''s\"}' | atelier-engine run --spec -"));
  }

  void foldsCommandsWhereAShellAllowsIt() {
    using app::report::folded;
    QCOMPARE(folded("a run --set b=1 --set c=2", 18), std::string("a run --set b=1 \\\n  --set c=2"));
    QCOMPARE(folded("p 'x --y | z' | a", 8), std::string("p 'x --y | z' \\\n  | a"));
    QCOMPARE(folded("short", 80), std::string("short"));
  }
};

QTEST_MAIN(ReportTest)
#include "report_test.moc"
