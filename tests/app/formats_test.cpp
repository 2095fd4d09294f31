// The Formats view: bits that are flipped, values that are typed, a run's magnitudes over what the formats reach, no run at
// all; both languages, all themes.
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/models/formats_texts.h"
#include "app/views/formats/bit_field.h"
#include "app/views/formats/bits_panel.h"
#include "app/views/formats/formats_view.h"
#include "app/views/formats/histogram_panel.h"
#include "look_over.h"
#include "runs_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;

namespace {

enum RowOf { Float32, Tf32, Float16, Bfloat16, E4m3, E5m2, Int8 };

// Gradients of which a quarter is too small for float16, and activations of which one is too large.
wire::Health countedHealth(std::int64_t step) {
  wire::Health health;
  health.step = step;
  for (const double weight : {0.5, -0.25, 0.0}) health.histograms.weights.add(weight);
  for (const double activation : {1.0, 2.0, 70'000.0, 0.0}) health.histograms.activations.add(activation);
  for (const int exponent : {-30, -10, -8, -4}) health.histograms.gradients.add(std::ldexp(1, exponent));
  return health;
}

nlohmann::json watchedSpec() {
  auto spec = specOf();
  spec["watch"] = 20;
  return spec;
}

std::vector<wire::RunEvent> countedEvents(const std::string& id) {
  auto events = eventsOf(id, watchedSpec(), 2000);
  events.push_back(eventAt(2.5, wire::HealthSampled{countedHealth(0)}));
  events.push_back(eventAt(3, wire::HealthSampled{countedHealth(40)}));
  return events;
}

std::string writeCounted(const std::filesystem::path& home, bool counted = true) {
  const auto id = registry::makeRunId();
  auto writer = registry::RunWriter::create(home, id, watchedSpec(), {{"cpu", "Example CPU"}});
  if (!writer) return "";
  for (auto event : countedEvents(id)) {
    if (auto* sampled = std::get_if<wire::HealthSampled>(&event.body); sampled && !counted) sampled->health.histograms = {};
    if (!(*writer)->append(wire::encodeEvent(event))) return "";
  }
  return (*writer)->finish(summaryOf(id, 2000)) ? id : "";
}

struct Room {
  Bench bench;
  std::string run;
  std::unique_ptr<FormatsView> view;

  explicit Room(bool counted = true) {
    if (counted) run = writeCounted(bench.engine.home());
    view = std::make_unique<FormatsView>(bench.desktop);
    view->resize(1280, 900);
    view->show();
    view->shown();
    QTRY_VERIFY_WITH_TIMEOUT(view->source().loaded(), kPatience);
  }
  FormatsModel& model() { return view->model(); }
  const FormatRow& row(int at) { return view->model().rows()[static_cast<std::size_t>(at)]; }
  QString cell(int row, int column) {
    auto& shares = view->histograms().shares();
    return shares.index(row, column).data().toString();
  }
  void type(const QString& text) {
    auto& field = view->bits().valueField();
    field.clear();
    QTest::keyClicks(&field, text);
  }
};

}  // namespace

class FormatsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTypedValueIsShownInEveryFormat() {
    Room room;
    room.type(QStringLiteral("16777217"));
    QCOMPARE(room.row(Float32).stored, 16'777'216.0);
    QVERIFY(room.view->bits().said(Float32).contains(QStringLiteral("16,777,216")));
    QVERIFY(room.row(Float16).encoded.overflow);
    QVERIFY(room.view->bits().said(Float16).contains(room.bench.words.text("formats.overflow_infinite")));
    QVERIFY(room.view->bits().said(E4m3).contains(room.bench.words.text("formats.overflow_nan")));
    QVERIFY(room.view->bits().said(Int8).contains(room.bench.words.text("formats.overflow_largest")));
    room.type(QStringLiteral("1 + 2^-9"));
    QCOMPARE(room.row(Bfloat16).stored, 1.0);
    QVERIFY(!room.row(Bfloat16).encoded.exact);
    QVERIFY(room.row(Float16).encoded.exact);
    QVERIFY(room.view->bits().said(Float16).contains(room.bench.words.text("formats.is_exact")));
    room.type(QStringLiteral("1e-20"));
    QVERIFY(room.view->bits().said(E5m2).contains(room.bench.words.text("formats.underflow")));
    QVERIFY(room.view->ranges().content().at.has_value());
    QVERIFY(std::fabs(*room.view->ranges().content().at - std::log2(1e-20)) < 1e-9);
  }

  void whatIsNoNumberIsToldAndChangesNothing() {
    Room room;
    room.type(QStringLiteral("3"));
    QTest::keyClicks(&room.view->bits().valueField(), QStringLiteral("x"));
    QCOMPARE(room.model().value(), 3.0);
    QCOMPARE(room.view->bits().problem(), room.bench.words.text("formats.not_a_number"));
    room.type(QStringLiteral("0,5"));
    QCOMPARE(room.model().value(), 0.5);
    QVERIFY(room.view->bits().problem().isEmpty());
  }

  void roundingAndSaturationAreChosen() {
    Room room;
    room.type(QStringLiteral("70000"));
    QVERIFY(std::isinf(room.row(Float16).stored));
    room.view->bits().saturateBox().click();
    QCOMPARE(room.row(Float16).stored, 65'504.0);
    QCOMPARE(room.row(E4m3).stored, 448.0);
    room.view->bits().saturateBox().click();
    room.view->bits().roundingBox().setCurrentIndex(1);
    QCOMPARE(room.row(Float16).stored, 65'504.0);
    QCOMPARE(room.model().rounding(), wire::Rounding::TowardZero);
  }

  void int8HasAScale() {
    Room room;
    room.type(QStringLiteral("1.3"));
    QCOMPARE(room.row(Int8).stored, 1.0);
    auto& scale = room.view->bits().scaleField();
    scale.clear();
    QTest::keyClicks(&scale, QStringLiteral("0.25"));
    QCOMPARE(room.row(Int8).stored, 1.25);
    scale.clear();
    QTest::keyClicks(&scale, QStringLiteral("-1"));
    QCOMPARE(room.view->bits().problem(), room.bench.words.text("formats.not_a_scale"));
    QCOMPARE(room.model().scale(), 0.25);
  }

  void aClickedBitFlips() {
    Room room;
    room.type(QStringLiteral("1"));
    auto& bits = room.view->bits().bits(Float16);
    QCOMPARE(bits.bits(), 0x3C00U);
    QTest::mouseClick(&bits, Qt::LeftButton, {}, bits.cell(15).center().toPoint());
    QCOMPARE(room.model().value(), -1.0);
    QCOMPARE(room.view->bits().valueField().text(), QStringLiteral("-1"));
    QTest::mouseClick(&bits, Qt::LeftButton, {}, bits.cell(9).center().toPoint());
    QCOMPARE(room.model().value(), -1.5);
    QCOMPARE(room.row(Float32).stored, -1.5);
    // What memory holds below TF32's code is none of its bits.
    auto& tf32 = room.view->bits().bits(Tf32);
    const auto before = tf32.bits();
    QTest::mouseClick(&tf32, Qt::LeftButton, {}, QPoint(tf32.width() - 20, tf32.height() / 2));
    QCOMPARE(tf32.bits(), before);
  }

  void draggingFlipsEachBitOnce() {
    Room room;
    room.type(QStringLiteral("1"));
    auto& bits = room.view->bits().bits(Float16);
    const auto center = [&](int bit) { return bits.cell(bit).center().toPoint(); };
    QTest::mousePress(&bits, Qt::LeftButton, {}, center(9));
    QMouseEvent fast(QEvent::MouseMove, center(6), bits.mapToGlobal(center(6)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&bits, &fast);
    QMouseEvent same(QEvent::MouseMove, center(6), bits.mapToGlobal(center(6)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&bits, &same);
    QTest::mouseRelease(&bits, Qt::LeftButton, {}, center(6));
    QCOMPARE(bits.bits(), 0x3C00U | 0x3C0U);
    QCOMPARE(bits.current(), 6);
  }

  void keysFlipAndWalk() {
    Room room;
    room.type(QStringLiteral("1"));
    auto& bits = room.view->bits().bits(E4m3);
    QTest::keyClick(&bits, Qt::Key_Home);
    QTest::keyClick(&bits, Qt::Key_Space);
    QCOMPARE(room.model().value(), -1.0);
    QTest::keyClick(&bits, Qt::Key_Space);
    QTest::keyClick(&bits, Qt::Key_Up);
    QCOMPARE(room.model().value(), 1.125);
    QTest::keyClick(&bits, Qt::Key_Down);
    QTest::keyClick(&bits, Qt::Key_Down);
    QCOMPARE(room.model().value(), 0.9375);
    QTest::keyClick(&bits, Qt::Key_End);
    QTest::keyClick(&bits, Qt::Key_Right);
    QCOMPARE(bits.current(), 0);
    QTest::keyClick(&bits, Qt::Key_Left);
    QCOMPARE(bits.current(), 1);
    QVERIFY(bits.accessibleName().contains(QStringLiteral("0 0110 111")));
    QVERIFY(bits.accessibleDescription().contains(room.bench.words.text("formats.mantissa")));
  }

  void aNansPayloadStaysInTheRowThatWasFlipped() {
    Room room;
    room.type(QStringLiteral("inf"));
    room.model().flip(Float16, 3);
    QVERIFY(std::isnan(room.model().value()));
    QCOMPARE(room.row(Float16).encoded.bits, 0x7C08U);
    QCOMPARE(room.row(E4m3).encoded.bits, 0x7FU);
    QVERIFY(room.view->bits().said(Int8).contains(room.bench.words.text("formats.no_nan")));
  }

  void aRunsValuesAreLaidOverTheFormats() {
    Room room;
    auto& panel = room.view->histograms();
    QVERIFY(!panel.isEmpty());
    QCOMPARE(room.view->source().step(), std::int64_t{40});
    QCOMPARE(panel.plot().content().bars.size(), qsizetype{7});
    QCOMPARE(panel.plot().content().series.size(), qsizetype{3});
    QCOMPARE(panel.kind(), CountedKind::Gradients);
    QCOMPARE(room.cell(Float16, 1), QStringLiteral("25.0\u202f%"));
    QCOMPARE(room.cell(Bfloat16, 1), QStringLiteral("0\u202f%"));
    QCOMPARE(room.cell(Float16, 3), QStringLiteral("0\u202f%"));
    QCOMPARE(room.cell(Float16, 5), QStringLiteral("0\u202f%"));
    // 2^-30 becomes normal with 2^16 and 2^-4 still fits.
    QCOMPARE(room.cell(Float16, 4), powerOfTwo(16));
    panel.setKind(CountedKind::Activations);
    QVERIFY(room.cell(Float16, 3).startsWith(QStringLiteral("33.3")));
    QCOMPARE(room.cell(Float32, 3), QStringLiteral("0\u202f%"));
    const auto& series = panel.plot().content().series;
    QVERIFY(series[1].filled && !series[0].filled);
  }

  void thePlotIsReadByKeysAndTheTable() {
    Room room;
    auto& plot = room.view->histograms().plot();
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(plot.bar(), 0);
    QVERIFY(plot.reading().contains(QStringLiteral("float32")));
    QTest::keyClick(&plot, Qt::Key_Right);
    QVERIFY(plot.reading().contains(room.bench.words.text("formats.gradients")));
    QCOMPARE(plot.accessibleDescription(), plot.reading());
    room.view->histograms().table().selectRow(E5m2);
    QCOMPARE(plot.bar(), static_cast<int>(E5m2));
  }

  void withoutSuchARunTheViewSaysHowToGetOne() {
    Room room(false);
    auto& panel = room.view->histograms();
    QVERIFY(panel.isEmpty());
    QVERIFY(panel.countButton().isVisible());
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->isVisible() && label->text() == HistogramSource::command(); }));
    const auto id = registry::makeRunId();
    room.bench.engine.says(countedEvents(id));
    panel.countButton().click();
    QTRY_VERIFY_WITH_TIMEOUT(room.view->source().idle(), kPatience);
    QCOMPARE(room.bench.engine.spec().value("watch", 0), HistogramSource::kEvery);
    QCOMPARE(room.bench.engine.spec().value("steps", 0), HistogramSource::kSteps);
    // The engine of this test records nothing.
    QVERIFY(!writeCounted(room.bench.engine.home()).empty());
    room.view->source().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isEmpty(), kPatience);
  }

  void aRunIsChosenAndOldRecordsAreLeftOut() {
    Room room;
    const auto old = writeCounted(room.bench.engine.home(), false), second = writeCounted(room.bench.engine.home());
    const auto plain = writeRun(room.bench.engine.home());
    QVERIFY(!room.view->showRun(QString::fromStdString(old)));
    QVERIFY(!room.view->showRun(QString::fromStdString(plain)));
    QVERIFY(!room.view->showRun(QStringLiteral("../../etc")));
    QVERIFY(room.view->showRun(QString::fromStdString(room.run)));
    room.view->source().refresh();
    QTRY_COMPARE_WITH_TIMEOUT(room.view->source().runs().size(), std::size_t{2}, kPatience);
    QCOMPARE(room.view->source().shown()->run.id, room.run);
    auto& chooser = room.view->histograms().chooser();
    QCOMPARE(chooser.count(), 2);
    chooser.setCurrentIndex(chooser.findData(QString::fromStdString(second)));
    Q_EMIT chooser.activated(chooser.currentIndex());
    QCOMPARE(room.view->source().shown()->run.id, second);
  }

  void aDamagedLogIsNoRun() {
    Room room(false);
    const auto id = writeCounted(room.bench.engine.home());
    const auto folder = room.bench.engine.home() / "runs" / id;
    QFile log(QString::fromStdString((folder / "events.jsonl").string()));
    QVERIFY(log.open(QIODevice::Append));
    log.write("{\"v\":1,\"kind\":\"health\",\"health\":{\"histograms\":{\"weights\":{\"bins\":[1");
    log.close();
    // A torn last line is skipped.
    QVERIFY(HistogramSource::read(folder, id).has_value());
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("\"histograms\"\n\"histograms\"\n{\"histograms\":1}\n");
    log.close();
    QVERIFY(!HistogramSource::read(folder, id).has_value());
  }

  void theTableIsSavedWithoutTheLocale() {
    Room room;
    room.bench.words.setLanguage("fr");
    room.type(QStringLiteral("0,1"));
    QTemporaryDir folder;
    const auto file = folder.filePath(QStringLiteral("formats.csv"));
    QVERIFY(room.view->saveTable(file));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const auto lines = written.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), qsizetype{8});
    QVERIFY(lines[0].endsWith("gradients_scaled_to_zero"));
    QVERIFY(lines[3].startsWith("\"float16\",5,10,65504,"));
    QVERIFY(lines[3].contains(",0.1,0.0999755859375,\"0010111001100110\","));
    for (const auto& line : lines) QCOMPARE(line.count(','), lines[0].count(','));
    const auto missing = folder.filePath(QStringLiteral("none/formats.csv"));
    QVERIFY(!room.view->saveTable(missing));
    QVERIFY(room.view->ranges().saveData(folder.filePath(QStringLiteral("ranges.csv"))));
    QVERIFY(room.view->histograms().plot().saveImage(folder.filePath(QStringLiteral("plot.svg"))));
    QVERIFY(room.view->histograms().plot().saveImage(folder.filePath(QStringLiteral("plot.png"))));
  }

  void everyTextIsThereInEachLanguageAndTheme_data() {
    QTest::addColumn<bool>("counted");
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("mode");
    for (const bool counted : {false, true})
      for (const char* language : {"en", "fr"})
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::Contrast})
          QTest::addRow("%d %s %d", counted, language, static_cast<int>(mode))
              << counted << QString::fromLatin1(language) << static_cast<int>(mode);
  }
  void everyTextIsThereInEachLanguageAndTheme() {
    QFETCH(bool, counted);
    QFETCH(QString, language);
    QFETCH(int, mode);
    Room room(counted);
    room.bench.words.setLanguage(language.toStdString());
    room.bench.theme.setMode(static_cast<Theme::Mode>(mode));
    QCoreApplication::processEvents();
    const auto ids = rawIds(*room.view), unnamed = unnamedControls(*room.view), cut = cutTexts(*room.view);
    QVERIFY2(ids.isEmpty(), qPrintable(ids.join(QLatin1Char('\n'))));
    QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(QLatin1Char('\n'))));
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    for (const auto* label : room.view->findChildren<QLabel*>())
      QVERIFY2(!label->text().contains(QLatin1String("formats.")) && !label->text().contains(QLatin1Char('{')),
               qPrintable(label->text()));
    QVERIFY(!room.view->grab().isNull());
  }

  void fieldsAreToldApartInEveryTheme() {
    for (const auto* tokens : {&Theme::light(), &Theme::dark(), &Theme::contrast()})
      for (const int order : {0, 1, 2}) {
        const auto& fill = tokens->series[order];
        QVERIFY(std::max(contrastRatio(tokens->text, fill), contrastRatio(tokens->panel, fill)) >= 4.0);
        QVERIFY(contrastRatio(fill, tokens->panel) >= 3.0);
      }
  }

  void numbersAreWrittenInFull() {
    const wire::Format english("en"), french("fr");
    QCOMPARE(exactText(65'504, english), QStringLiteral("65,504"));
    QCOMPARE(exactText(0.1, french), QStringLiteral("0,1"));
    QCOMPARE(exactText(-0.0, english), QStringLiteral("−0"));
    QCOMPARE(exactText(std::ldexp(1, -24), english), QStringLiteral("5.960464·10⁻⁸"));
    QCOMPARE(exactText(5e-324, english, 3), QStringLiteral("4.94·10⁻³²⁴"));
    QCOMPARE(exactText(NAN, english), QStringLiteral("NaN"));
    QCOMPARE(exactText(-INFINITY, english), QStringLiteral("−∞"));
    QCOMPARE(smallShare(0.125, french), QStringLiteral("12,5\u202f%"));
    QCOMPARE(smallShare(0, english), QStringLiteral("0\u202f%"));
    QVERIFY(!smallShare(1e-9, english).startsWith(QStringLiteral("0.0\u202f%")));
  }
};

QTEST_MAIN(FormatsTest)
#include "formats_test.moc"
