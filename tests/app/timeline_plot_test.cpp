// The timeline as someone uses it: pointing, choosing, zooming, moving, spans, keys, search, tracks, pictures, themes,
// languages.
#include <QApplication>
#include <QFileInfo>
#include <QHelpEvent>
#include <QImage>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolTip>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "app/models/words.h"
#include "app/plots/timeline_plot.h"
#include "app/plots/trace_palette.h"
#include "app/shell/theme.h"
#include "trace_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;
using trace::testing::find;

namespace {

// A plot that shows the small trace.
struct Bench {
  Theme theme{Theme::Mode::Light};
  Words words{"en"};
  TraceDocument::ContentPtr content = smallContent();
  TraceSelection selection;
  TimelinePlot plot{theme, words};

  Bench() {
    plot.setSelection(&selection);
    plot.setDocument(content);
    plot.resize(1100, 520);
    plot.show();
    if (!QTest::qWaitForWindowExposed(&plot)) qFatal("the plot is not shown");
  }

  std::int32_t event(const char* name) const { return find(content->trace, name); }
  QPoint middleOf(std::int32_t id) const { return plot.eventRect(id).center().toPoint(); }
  double span() const { return plot.viewTo() - plot.viewFrom(); }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(&plot, key, modifiers); }
  void wheel(const QPointF& at, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(at, plot.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&plot, &event);
  }
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::mousePress(&plot, Qt::LeftButton, modifiers, from);
    for (const double share : {0.3, 0.7, 1.0}) moveTo(from + (QPointF(to - from) * share).toPoint(), modifiers);
    QTest::mouseRelease(&plot, Qt::LeftButton, modifiers, to);
  }
  void moveTo(const QPoint& at, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QMouseEvent event(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
    QApplication::sendEvent(&plot, &event);
  }
};

const char* const kConv = "aten::conv2d";
const char* const kCall = "cudaLaunchKernel";
const char* const kKernel = "at::native::kernel<4>";

}  // namespace

class TimelinePlotTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theWholeTraceIsShownFirst() {
    const Bench bench;
    QVERIFY(bench.plot.viewFrom() <= 0 && bench.plot.viewTo() >= kTraceNs);
    QVERIFY(bench.span() < 1.1 * kTraceNs);
    for (const char* name : {"step 0", "step 1", "forward", kConv, kKernel, "batch"})
      QVERIFY2(bench.plot.rect().contains(bench.middleOf(bench.event(name))), name);
    QCOMPARE(bench.plot.accessibleName(), QStringLiteral("Timeline of the trace"));
  }

  void aClickChoosesWhatIsPointedAt() {
    Bench bench;
    QSignalSpy changed(&bench.selection, &TraceSelection::changed);
    const auto relu = bench.event("aten::relu");
    QTest::mouseClick(&bench.plot, Qt::LeftButton, Qt::NoModifier, bench.middleOf(relu));
    QCOMPARE(bench.selection.event(), relu);
    QCOMPARE(changed.count(), 1);
    QVERIFY(bench.plot.accessibleDescription().contains(QStringLiteral("aten::relu")));
    QVERIFY(bench.plot.accessibleDescription().contains(QStringLiteral("50.0\u00a0µs")));
    // Where nothing stands.
    const auto rect = bench.plot.eventRect(relu);
    QTest::mouseClick(&bench.plot, Qt::LeftButton, Qt::NoModifier,
                      QPoint(static_cast<int>(rect.right()) + 10, rect.center().toPoint().y()));
    QVERIFY(bench.selection.empty());
    QVERIFY(bench.plot.accessibleDescription().isEmpty());
  }

  void theWheelZoomsAtThePointer() {
    Bench bench;
    const auto relu = bench.event("aten::relu");
    const QPointF at = bench.plot.eventRect(relu).topLeft() + QPointF(0, 4);
    const double before = bench.span();
    bench.wheel(at, 120);
    QVERIFY(bench.span() < 0.9 * before);
    QVERIFY(std::abs(bench.plot.eventRect(relu).left() - at.x()) < 0.5);
    bench.wheel(at, -120);
    QVERIFY(std::abs(bench.span() - before) < 1);
  }

  void theViewStaysWithinBounds() {
    Bench bench;
    const QPointF at(500, 120);
    for (int i = 0; i < 200; ++i) bench.wheel(at, 120);
    QVERIFY(bench.span() >= 19.9);
    QVERIFY(bench.plot.viewFrom() >= -0.1 * kTraceNs && bench.plot.viewTo() <= 1.1 * kTraceNs);
    for (int i = 0; i < 400; ++i) bench.key(Qt::Key_D);
    QVERIFY(bench.plot.viewTo() <= 1.1 * kTraceNs);
    for (int i = 0; i < 200; ++i) bench.wheel(at, -120);
    QVERIFY(bench.plot.viewFrom() <= 0 && bench.plot.viewTo() >= kTraceNs);
    QVERIFY(bench.span() < 1.1 * kTraceNs);
    const double from = bench.plot.viewFrom();
    bench.plot.setView(NAN, 10);
    bench.plot.setView(0, INFINITY);
    QCOMPARE(bench.plot.viewFrom(), from);
    bench.plot.setView(900, 100);  // the wrong way round: as close as can be
    QVERIFY(bench.span() > 0);
  }

  void aDragMovesAndChoosesNothing() {
    Bench bench;
    bench.plot.setView(500'000, 1'000'000);
    const auto at = bench.middleOf(bench.event("forward"));
    const double before = bench.plot.viewFrom(), perPixel = 900'000 / bench.plot.eventRect(bench.event("step 0")).width();
    bench.drag(QPoint(700, at.y()), QPoint(600, at.y()));
    QVERIFY(std::abs(bench.plot.viewFrom() - (before + 100 * perPixel)) < 2 * perPixel);
    QVERIFY(bench.selection.empty());
    QVERIFY(!bench.selection.span().has_value());
  }

  void aSpanIsDrawnWithShiftOrInTheRuler() {
    Bench bench;
    const auto forward = bench.plot.eventRect(bench.event("forward"));
    const QPoint left(static_cast<int>(forward.left()), 300), right(static_cast<int>(forward.right()), 300);
    bench.drag(left, right, Qt::ShiftModifier);
    QVERIFY(bench.selection.span().has_value());
    QVERIFY(std::abs(bench.selection.span()->from - 100'000) < 5000);
    QVERIFY(std::abs(bench.selection.span()->to - 400'000) < 5000);
    const double whole = bench.span();
    bench.key(Qt::Key_F);
    QVERIFY(bench.span() < 0.25 * whole);
    bench.key(Qt::Key_Home);
    // The other way, in the ruler.
    bench.drag(QPoint(right.x(), 8), QPoint(left.x(), 8));
    QVERIFY(bench.selection.span()->from < bench.selection.span()->to);
    QTest::mouseClick(&bench.plot, Qt::LeftButton, Qt::NoModifier, QPoint(600, 8));
    QVERIFY(!bench.selection.span().has_value());
  }

  void escapeForgetsTheSpanThenTheEvent() {
    Bench bench;
    bench.selection.selectEvent(bench.content->trace, bench.event(kConv));
    bench.selection.selectSpan(trace::Span{10, 20'000});
    bench.key(Qt::Key_Escape);
    QVERIFY(!bench.selection.span().has_value());
    QCOMPARE(bench.selection.event(), bench.event(kConv));
    bench.key(Qt::Key_Escape);
    QVERIFY(bench.selection.empty());
  }

  void arrowsGoFromEventToEvent() {
    Bench bench;
    const auto& selection = bench.selection;
    bench.key(Qt::Key_Right);
    QCOMPARE(selection.event(), bench.event("step 0"));
    bench.key(Qt::Key_Down);
    QCOMPARE(selection.event(), bench.event("forward"));  // the longest, and of these the first
    bench.key(Qt::Key_Right);
    QCOMPARE(selection.event(), bench.event("backward"));
    bench.key(Qt::Key_Left);
    bench.key(Qt::Key_Down);
    QCOMPARE(selection.event(), bench.event("features.0"));
    bench.key(Qt::Key_Down);
    bench.key(Qt::Key_Down);
    QCOMPARE(selection.event(), bench.event(kCall));
    // Across to the device and back.
    bench.key(Qt::Key_Down);
    QCOMPARE(selection.event(), bench.event(kKernel));
    bench.key(Qt::Key_Down);
    QCOMPARE(selection.event(), bench.event(kKernel));
    bench.key(Qt::Key_Up);
    QCOMPARE(selection.event(), bench.event(kCall));
    bench.key(Qt::Key_Up);
    QCOMPARE(selection.event(), bench.event(kConv));
  }

  void lettersZoomAndMove() {
    Bench bench;
    const double whole = bench.span();
    for (int i = 0; i < 3; ++i) bench.key(Qt::Key_W);
    QVERIFY(bench.span() < 0.6 * whole);
    const double from = bench.plot.viewFrom(), span = bench.span();
    bench.key(Qt::Key_D);
    QVERIFY(bench.plot.viewFrom() > from);
    QVERIFY(std::abs(bench.span() - span) < 1);
    bench.key(Qt::Key_A);
    QVERIFY(std::abs(bench.plot.viewFrom() - from) < 1);
    bench.key(Qt::Key_S);
    QVERIFY(bench.span() > span);
    bench.selection.selectEvent(bench.content->trace, bench.event(kCall));
    bench.key(Qt::Key_F);
    QVERIFY(bench.span() < 20'000);
    QVERIFY(bench.plot.viewFrom() < 130'000 && bench.plot.viewTo() > 140'000);
    bench.key(Qt::Key_Home);
    QVERIFY(std::abs(bench.span() - whole) < 1);
  }

  void aDoubleClickZoomsToTheEvent() {
    Bench bench;
    QTest::mouseDClick(&bench.plot, Qt::LeftButton, Qt::NoModifier, bench.middleOf(bench.event("aten::relu")));
    QVERIFY(bench.span() < 70'000);
    QVERIFY(bench.plot.viewFrom() < 320'000 && bench.plot.viewTo() > 370'000);
  }

  void slashAndFindAskForTheSearch() {
    Bench bench;
    QSignalSpy asked(&bench.plot, &TimelinePlot::searchRequested);
    bench.key(Qt::Key_Slash);
    bench.key(Qt::Key_F, Qt::ControlModifier);
    QCOMPARE(asked.count(), 2);
  }

  void theSearchCountsDimsAndWalks() {
    Bench bench;
    const auto step = bench.event("step 0"), relu = bench.event("aten::relu");
    const auto color = [&](std::int32_t id) {
      const auto rect = bench.plot.eventRect(id);
      return bench.plot.grab().toImage().pixelColor(static_cast<int>(rect.right()) - 3, static_cast<int>(rect.bottom()) - 3);
    };
    const TracePalette palette(bench.theme);
    QCOMPARE(color(step), palette.fill(Tint::Step, true));
    QCOMPARE(bench.plot.search(QStringLiteral("relu")), std::size_t{2});
    QCOMPARE(color(step), palette.dimmed());
    QCOMPARE(color(relu), palette.fill(Tint::Forward, false));
    QVERIFY(bench.plot.chooseMatch(1));
    QCOMPARE(bench.selection.event(), relu);
    QVERIFY(bench.plot.chooseMatch(1));
    const auto second = bench.selection.event();
    QVERIFY(second != relu);
    QVERIFY(bench.plot.chooseMatch(1));
    QCOMPARE(bench.selection.event(), relu);
    QVERIFY(bench.plot.chooseMatch(-1));
    QCOMPARE(bench.selection.event(), second);
    QCOMPARE(bench.plot.search(QStringLiteral("nothing like it")), std::size_t{0});
    QVERIFY(!bench.plot.chooseMatch(1));
    QCOMPARE(bench.plot.search({}), std::size_t{0});
    QCOMPARE(color(step), palette.fill(Tint::Step, true));
  }

  void whatIsChosenElsewhereComesIntoView() {
    Bench bench;
    bench.plot.setView(0, 10'000);
    const auto kernel = bench.event(kKernel);
    QVERIFY(bench.plot.eventRect(kernel).left() > bench.plot.width());
    bench.selection.selectEvent(bench.content->trace, kernel);
    QVERIFY(bench.plot.rect().intersects(bench.plot.eventRect(kernel).toRect()));
    QVERIFY(std::abs(bench.span() - 10'000) < 1);
    // All of a name: nothing moves, the others are dimmed.
    const double from = bench.plot.viewFrom();
    bench.selection.selectName(bench.content->trace.events[static_cast<std::size_t>(kernel)].name);
    QCOMPARE(bench.plot.viewFrom(), from);
    bench.key(Qt::Key_Home);
    const auto rect = bench.plot.eventRect(bench.event("step 0"));
    QCOMPARE(bench.plot.grab().toImage().pixelColor(static_cast<int>(rect.right()) - 3, static_cast<int>(rect.bottom()) - 3),
             TracePalette(bench.theme).dimmed());
  }

  void tracksCollapseAndHide() {
    Bench bench;
    const auto main = bench.content->timeline.mainTrack();
    const auto conv = bench.event(kConv), step = bench.event("step 0"), kernel = bench.event(kKernel);
    const double below = bench.plot.eventRect(kernel).top();
    const QPoint label(30, bench.middleOf(step).y());
    QTest::mouseClick(&bench.plot, Qt::LeftButton, Qt::NoModifier, label);
    QVERIFY(bench.plot.trackCollapsed(main));
    QVERIFY(bench.plot.eventRect(conv).isEmpty());
    QVERIFY(!bench.plot.eventRect(step).isEmpty());
    QVERIFY(bench.plot.eventRect(kernel).top() < below);
    QCOMPARE(bench.plot.eventAt(bench.middleOf(step)), step);
    // What is chosen in it opens it.
    bench.selection.selectEvent(bench.content->trace, conv);
    QVERIFY(!bench.plot.trackCollapsed(main));
    QVERIFY(!bench.plot.eventRect(conv).isEmpty());
    bench.plot.setTrackShown(main, false);
    QVERIFY(bench.plot.eventRect(step).isEmpty());
    bench.selection.selectEvent(bench.content->trace, step);  // stays hidden, as was asked for
    QVERIFY(!bench.plot.trackShown(main));
    bench.plot.setTrackShown(main, true);
    QCOMPARE(bench.plot.eventRect(kernel).top(), below);
  }

  void rowsThatDontFitAreScrolled() {
    Bench bench;
    bench.plot.resize(1100, bench.plot.minimumSizeHint().height());
    QTRY_COMPARE(bench.plot.height(), bench.plot.minimumSizeHint().height());
    const auto kernel = bench.event(kKernel);
    QCOMPARE(bench.plot.eventAt(bench.middleOf(kernel)), -1);
    bench.selection.selectEvent(bench.content->trace, kernel);
    QCOMPARE(bench.plot.eventAt(bench.middleOf(kernel)), kernel);
    const double before = bench.plot.eventRect(kernel).top();
    bench.wheel(QPointF(20, 60), 120);  // over the labels
    QVERIFY(bench.plot.eventRect(kernel).top() > before);
  }

  void aTooltipSaysAllAndTakesNoNameForMarkup() {
    Bench bench;
    const auto at = bench.middleOf(bench.event(kKernel));
    QHelpEvent help(QEvent::ToolTip, at, bench.plot.mapToGlobal(at));
    QApplication::sendEvent(&bench.plot, &help);
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("kernel&lt;4&gt;")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("90.0\u00a0µs")));
    const auto conv = bench.middleOf(bench.event(kConv));
    QHelpEvent other(QEvent::ToolTip, conv, bench.plot.mapToGlobal(conv));
    QApplication::sendEvent(&bench.plot, &other);
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("[128, 1, 28, 28] [32, 1, 3, 3]")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("features.0")));
    QToolTip::hideText();
  }

  void hoveringFollowsThePointer() {
    Bench bench;
    const auto conv = bench.event(kConv);
    QMouseEvent move(QEvent::MouseMove, bench.middleOf(conv), bench.plot.mapToGlobal(bench.middleOf(conv)), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(&bench.plot, &move);
    QCOMPARE(bench.plot.hovered(), conv);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&bench.plot, &leave);
    QCOMPARE(bench.plot.hovered(), -1);
  }

  void themesChangeWhatIsDrawnAtOnce() {
    Bench bench;
    const auto kernel = bench.event(kKernel);
    for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::Contrast}) {
      bench.theme.setMode(mode);
      const auto picture = bench.plot.grab().toImage();
      const auto rect = bench.plot.eventRect(kernel);
      QCOMPARE(picture.pixelColor(static_cast<int>(rect.left()) + 2, rect.center().toPoint().y()),
               TracePalette(bench.theme).fill(Tint::Forward, false));
      QCOMPARE(picture.pixelColor(4, 400), bench.theme.tokens().panel);
    }
    bench.theme.setScale(Theme::kPresenterScale);
    QVERIFY(bench.plot.eventRect(kernel).height() > 20);
    bench.words.setLanguage("fr");
    QCOMPARE(bench.plot.accessibleName(), QStringLiteral("Chronologie de la trace"));
  }

  // WCAG 2.1: AA, and AAA in high contrast.
  void namesStandOutOnTheirBoxes() {
    for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark, Theme::Mode::Contrast}) {
      const Theme theme(mode);
      const TracePalette palette(theme);
      for (std::size_t i = 0; i < kTints; ++i)
        for (const bool frame : {false, true}) {
          const auto tint = static_cast<Tint>(i);
          const double ratio = contrastRatio(palette.fill(tint, frame), palette.text(tint, frame));
          const double least = mode == Theme::Mode::Contrast ? 7 : 4.5;
          QVERIFY2(ratio >= least,
                   qPrintable(QStringLiteral("%1 %2 %3: %4").arg(static_cast<int>(mode)).arg(i).arg(frame).arg(ratio)));
        }
    }
  }

  void picturesAreSaved() {
    Bench bench;
    bench.selection.selectEvent(bench.content->trace, bench.event(kConv));
    bench.selection.selectSpan(trace::Span{100'000, 400'000});
    const QTemporaryDir folder;
    for (const char* name : {"timeline.png", "timeline.svg"}) {
      const auto file = folder.filePath(QLatin1String(name));
      QVERIFY(bench.plot.saveImage(file));
      QVERIFY(QFileInfo(file).size() > 1000);
    }
    QCOMPARE(QImage(folder.filePath(QStringLiteral("timeline.png"))).size(), 2 * bench.plot.size());
    QVERIFY(!bench.plot.saveImage(folder.filePath(QStringLiteral("no/such/folder.png"))));
    QVERIFY(!bench.plot.saveImage(folder.filePath(QStringLiteral("no_format"))));
  }

  void withoutATraceItSaysSoAndTakesAnything() {
    const Theme theme(Theme::Mode::Dark);
    const Words words("fr");
    TimelinePlot plot(theme, words);
    plot.resize(600, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    TraceSelection selection;
    plot.setSelection(&selection);
    for (const auto key : {Qt::Key_W, Qt::Key_F, Qt::Key_Home, Qt::Key_Right, Qt::Key_Escape}) QTest::keyClick(&plot, key);
    QTest::mouseClick(&plot, Qt::LeftButton, Qt::NoModifier, QPoint(300, 150));
    QCOMPARE(plot.eventAt(QPointF(300, 150)), -1);
    QCOMPARE(plot.search(QStringLiteral("conv")), std::size_t{0});
    const auto picture = plot.grab().toImage();
    QCOMPARE(picture.pixelColor(5, 280), theme.tokens().panel);
    plot.setDocument(TraceDocument::contentOf(trace::Trace()));
    QVERIFY(!plot.grab().isNull());
    plot.setDocument(smallContent());
    QVERIFY(plot.viewTo() >= kTraceNs);
    // Chosen in a trace that had more events: not in this one.
    trace::Trace large = smallTrace();
    large.events.resize(5000, large.events.back());
    selection.selectEvent(large, 4000);
    QVERIFY(plot.accessibleDescription().isEmpty());
    QVERIFY(!plot.grab().isNull());
    plot.setDocument(nullptr);
    plot.setSelection(nullptr);
    QTest::keyClick(&plot, Qt::Key_F);
    QCOMPARE(plot.eventAt(QPointF(300, 150)), -1);
  }

  void theSelectionMayGoFirst() {
    Bench bench;
    auto other = std::make_unique<TraceSelection>();
    bench.plot.setSelection(other.get());
    other->selectEvent(bench.content->trace, bench.event(kConv));
    other->selectSpan(trace::Span{0, 1000});
    other.reset();
    QVERIFY(!bench.plot.grab().isNull());
    QTest::mouseClick(&bench.plot, Qt::LeftButton, Qt::NoModifier, bench.middleOf(bench.event(kConv)));
    bench.drag(QPoint(400, 200), QPoint(500, 200), Qt::ShiftModifier);
    QVERIFY(bench.selection.empty());
  }
};

QTEST_MAIN(TimelinePlotTest)
#include "timeline_plot_test.moc"
