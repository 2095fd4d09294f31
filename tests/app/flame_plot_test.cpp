// The icicle: where boxes stand, how one gets from one to another, what is chosen and searched, spans and tracks.
#include <QApplication>
#include <QFileInfo>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolTip>
#include <QtTest>

#include <cmath>

#include "app/models/flame_layout.h"
#include "app/models/words.h"
#include "app/plots/flame_plot.h"
#include "app/plots/trace_palette.h"
#include "app/shell/theme.h"
#include "trace_fixture.h"

using namespace atelier;
using namespace atelier::app;
using namespace atelier::app::testing;
using trace::testing::find;
using trace::testing::TraceBuilder;

namespace {

// The node of the first event of that name.
std::int32_t nodeNamed(const FlameLayout& layout, const trace::Trace& trace, const char* name) {
  return layout.nodeOf(trace, find(trace, name));
}

struct Bench {
  Theme theme{Theme::Mode::Light};
  Words words{"en"};
  TraceDocument::ContentPtr content = smallContent();
  TraceSelection selection;
  FlamePlot plot{theme, words};

  Bench() {
    plot.setSelection(&selection);
    plot.setDocument(content);
    plot.resize(900, 300);
    plot.show();
    if (!QTest::qWaitForWindowExposed(&plot)) qFatal("the plot is not shown");
  }

  std::int32_t node(const char* name) const { return nodeNamed(plot.flameLayout(), content->trace, name); }
  void click(std::int32_t node) { clickAt(plot.nodeRect(node).center().toPoint()); }
  void clickAt(const QPoint& at) { QTest::mouseClick(&plot, Qt::LeftButton, Qt::NoModifier, at); }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(&plot, key, modifiers); }
  std::string nameOf(std::int32_t node) const {
    if (node < 0) return {};
    const auto& all = plot.flameLayout().flame().nodes;
    return content->trace.names[static_cast<std::size_t>(all[static_cast<std::size_t>(node)].name)];
  }
};

const char* const kConv = "aten::conv2d";
constexpr std::int64_t kTotal = 1'800'000;  // of both steps

}  // namespace

class FlamePlotTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void boxesStandBesideOneAnotherBelowTheirCaller() {
    const auto content = smallContent();
    const FlameLayout layout(content->flame);
    QCOMPARE(layout.flame().total_ns, kTotal);
    const auto boxes = layout.boxes(-1, 0);
    QCOMPARE(boxes.size(), layout.flame().nodes.size());
    QCOMPARE(boxes.size(), std::size_t{10});
    for (const auto& box : boxes) {
      const auto parent = layout.parent(box.node);
      QVERIFY(box.left >= -1e-12 && box.right <= 1 + 1e-12);
      if (parent < 0) continue;
      const auto above = layout.box(parent, -1);
      QVERIFY(box.left >= above.left - 1e-12 && box.right <= above.right + 1e-12);
      QCOMPARE(box.level, above.level + 1);
    }
    const auto forward = nodeNamed(layout, content->trace, "forward");
    QCOMPARE(layout.share(forward), 1.0 / 3);
    QCOMPARE(layout.box(forward, -1).right - layout.box(forward, -1).left, 1.0 / 3);
    QCOMPARE(layout.levels(-1), 5);
    QCOMPARE(layout.levels(forward), 4);
  }

  void whatIsTooNarrowIsPassedOverWithAllBelow() {
    const auto content = smallContent();
    const FlameLayout layout(content->flame);
    for (const auto& box : layout.boxes(-1, 0.2)) {
      QVERIFY(box.right - box.left >= 0.2);
      QVERIFY(box.node != nodeNamed(layout, content->trace, kConv));
    }
    QCOMPARE(layout.boxes(-1, 0.2).size(), std::size_t{5});  // step, forward, module, backward, its node
    // Closer, the same operator is wide enough.
    const auto forward = nodeNamed(layout, content->trace, "forward");
    const auto close = layout.boxes(forward, 0.2);
    QCOMPARE(close.front().node, forward);
    QCOMPARE(close.front().level, 0);
    QCOMPARE(close.front().right, 1.0);
    QCOMPARE(close.size(), std::size_t{3});
  }

  void everyPointOfABoxIsItsOwn() {
    const auto content = smallContent();
    const FlameLayout layout(content->flame);
    const auto forward = nodeNamed(layout, content->trace, "forward");
    for (const auto root : {-1, forward})
      for (const auto& box : layout.boxes(root, 0))
        for (const double share : {0.01, 0.5, 0.99})
          QCOMPARE(layout.nodeAt(root, box.left + share * (box.right - box.left), box.level), box.node);
    QCOMPARE(layout.nodeAt(-1, 0.5, 40), -1);
    QCOMPARE(layout.nodeAt(-1, 0.99, 1), -1);  // the step's own time
    QCOMPARE(layout.nodeAt(-1, 0.5, -1), -1);
    QCOMPARE(layout.nodeAt(-1, 1.5, 0), -1);
  }

  void nodesHaveRelations() {
    const auto content = smallContent();
    const FlameLayout layout(content->flame);
    const auto& made = content->trace;
    const auto step = nodeNamed(layout, made, "step 0"), forward = nodeNamed(layout, made, "forward");
    const auto backward = nodeNamed(layout, made, "backward"), conv = nodeNamed(layout, made, kConv);
    QCOMPARE(nodeNamed(layout, made, "step 1"), step);
    QCOMPARE(layout.firstChild(-1), step);
    QCOMPARE(layout.firstChild(step), forward);
    QCOMPARE(layout.sibling(forward, 1), backward);
    QCOMPARE(layout.sibling(backward, -1), forward);
    QCOMPARE(layout.sibling(forward, -1), -1);
    QCOMPARE(layout.sibling(step, 1), -1);
    QVERIFY(layout.isBelow(conv, forward) && !layout.isBelow(conv, backward) && layout.isBelow(conv, conv));
    QCOMPARE(layout.path(conv).size(), std::size_t{4});
    QVERIFY(layout.path(-1).empty());
    // Of another track: not in this flame.
    QCOMPARE(nodeNamed(layout, made, "batch"), -1);
    QCOMPARE(layout.nodeOf(made, -1), -1);
  }

  void ofASpanWhatBeganBeforeIsNotThere() {
    const auto content = smallContent();
    const auto& made = content->trace;
    const FlameLayout layout(trace::flameOf(made, content->report.times, content->flameTrack, {105'000, 330'000}));
    const auto module = find(made, "features.0");
    QVERIFY(layout.nodeOf(made, module) >= 0);
    QCOMPARE(layout.parent(layout.nodeOf(made, module)), -1);
    QCOMPARE(layout.nodeOf(made, find(made, "forward")), -1);
    QCOMPARE(layout.nodeOf(made, find(made, "backward")), -1);
  }

  void nothingIsTaken() {
    const FlameLayout none;
    QVERIFY(none.empty());
    QVERIFY(none.boxes(-1, 0).empty());
    QCOMPARE(none.nodeAt(-1, 0.5, 0), -1);
    QCOMPARE(none.firstChild(-1), -1);
    QCOMPARE(none.share(-1), 0.0);
    QCOMPARE(none.shareOf({}), 0.0);
    // Events that took no time.
    TraceBuilder builder;
    const auto main = builder.track("main");
    builder.op(main, "a", 5, 0);
    const auto made = builder.build();
    QVERIFY(FlameLayout(trace::flameOf(made, trace::timesOf(made), 0, {})).boxes(-1, 0).empty());
  }

  void aClickZoomsInAndThePathLeadsBack() {
    Bench bench;
    QSignalSpy roots(&bench.plot, &FlamePlot::rootChanged);
    const auto forward = bench.node("forward"), conv = bench.node(kConv);
    bench.click(forward);
    QCOMPARE(bench.plot.root(), forward);
    QVERIFY(bench.plot.nodeRect(forward).width() > 890);
    QVERIFY(bench.plot.nodeRect(bench.node("backward")).isEmpty());
    bench.click(conv);
    QCOMPARE(bench.plot.root(), conv);
    QCOMPARE(roots.count(), 2);
    QCOMPARE(bench.nameOf(bench.plot.current()), std::string(kConv));
    // All › steps › forward › features.0 › conv2d
    bench.clickAt(bench.plot.crumbRect(2).center().toPoint());
    QCOMPARE(bench.plot.root(), forward);
    QVERIFY(bench.plot.crumbRect(3).isEmpty());
    bench.clickAt(bench.plot.crumbRect(0).center().toPoint());
    QCOMPARE(bench.plot.root(), -1);
  }

  void keysGoFromBoxToBoxAndZoom() {
    Bench bench;
    bench.key(Qt::Key_Down);
    QCOMPARE(bench.nameOf(bench.plot.current()), std::string("step 0"));
    QVERIFY(bench.selection.empty());  // steps differ in their number alone
    bench.key(Qt::Key_Down);
    QCOMPARE(bench.nameOf(bench.plot.current()), std::string("forward"));
    QVERIFY(bench.plot.accessibleDescription().contains(QStringLiteral("600\u00a0µs")));
    QVERIFY(bench.plot.accessibleDescription().contains(QStringLiteral("33.3")));
    bench.key(Qt::Key_Right);
    QCOMPARE(bench.nameOf(bench.plot.current()), std::string("backward"));
    bench.key(Qt::Key_Left);
    bench.key(Qt::Key_Return);
    QCOMPARE(bench.nameOf(bench.plot.root()), std::string("forward"));
    // Beyond the box that fills the width.
    bench.key(Qt::Key_Up);
    QCOMPARE(bench.nameOf(bench.plot.root()), std::string("step 0"));
    bench.key(Qt::Key_Backspace);
    QCOMPARE(bench.plot.root(), -1);
    bench.key(Qt::Key_Down);
    bench.key(Qt::Key_W);
    QCOMPARE(bench.nameOf(bench.plot.root()), std::string("forward"));
    bench.key(Qt::Key_S);
    bench.key(Qt::Key_Home);
    QCOMPARE(bench.plot.root(), -1);
    QVERIFY(!bench.selection.empty());
    bench.key(Qt::Key_Escape);
    QVERIFY(bench.selection.empty());
    QCOMPARE(bench.plot.current(), -1);
    QSignalSpy asked(&bench.plot, &FlamePlot::searchRequested);
    bench.key(Qt::Key_Slash);
    bench.key(Qt::Key_F, Qt::ControlModifier);
    QCOMPARE(asked.count(), 2);
  }

  void choosingIsShared() {
    Bench bench;
    bench.click(bench.node(kConv));
    QCOMPARE(bench.selection.event(), -1);
    QCOMPARE(bench.content->trace.names[static_cast<std::size_t>(bench.selection.name())], std::string(kConv));
    QCOMPARE(bench.content->trace.modules[static_cast<std::size_t>(bench.selection.module())].path, std::string("features.0"));
    // An event that is chosen elsewhere is found here, also outside of what is zoomed into.
    bench.selection.selectEvent(bench.content->trace,
                                bench.content->timeline.neighbour(find(bench.content->trace, "forward"), 1));
    QCOMPARE(bench.nameOf(bench.plot.current()), std::string("backward"));
    QCOMPARE(bench.plot.root(), -1);
    bench.key(Qt::Key_F);
    QCOMPARE(bench.nameOf(bench.plot.root()), std::string("backward"));
    bench.selection.clear();
    QCOMPARE(bench.plot.current(), -1);
  }

  void theSearchTellsTheShareOnceAndDims() {
    Bench bench;
    QCOMPARE(bench.plot.search(QStringLiteral("conv2d")), 300'000.0 / kTotal);
    // The module, what it calls and its node of autograd: what is below a match is counted with it.
    QCOMPARE(bench.plot.search(QStringLiteral("Features")), 800'000.0 / kTotal);
    const auto color = [&](const char* name) {
      const auto rect = bench.plot.nodeRect(bench.node(name));
      return bench.plot.grab().toImage().pixelColor(static_cast<int>(rect.right()) - 4, static_cast<int>(rect.bottom()) - 3);
    };
    const TracePalette palette(bench.theme);
    QCOMPARE(color("optimizer"), palette.dimmed());
    QCOMPARE(color(kConv), palette.fill(Tint::Forward, false));
    QCOMPARE(bench.plot.search(QStringLiteral("nothing like it")), 0.0);
    QCOMPARE(color(kConv), palette.dimmed());
    QCOMPARE(bench.plot.search({}), 0.0);
    QCOMPARE(color("optimizer"), palette.fill(Tint::Optimizer, true));
  }

  void aSpanAndATrackMakeAnotherFlame() {
    Bench bench;
    const auto total = [&] { return bench.plot.flameLayout().flame().total_ns; };
    bench.click(bench.node("forward"));
    for (std::int64_t to = 900'000; to <= 1'000'000; to += 10'000) bench.selection.selectSpan(trace::Span{0, to});
    QTRY_COMPARE(total(), kTotal / 2);
    QCOMPARE(bench.plot.root(), -1);
    bench.selection.selectSpan(std::nullopt);
    QTRY_COMPARE(total(), kTotal);
    const auto loader = bench.content->timeline.tracks()[1].track;
    bench.plot.setTrack(loader);
    QCOMPARE(bench.plot.track(), loader);
    QTRY_COMPARE(total(), std::int64_t{1'600'000});
    // Of two that are asked for the later one is shown.
    bench.plot.setTrack(bench.content->timeline.tracks()[2].track);
    bench.plot.setTrack(-1);
    QTest::qWait(200);
    QCOMPARE(total(), kTotal);
    QCOMPARE(bench.plot.track(), bench.content->flameTrack);
  }

  void tooltipsEscapeNames() {
    Bench bench;
    bench.plot.setTrack(bench.content->timeline.tracks()[2].track);
    QTRY_COMPARE(bench.plot.flameLayout().flame().total_ns, std::int64_t{180'000});
    const QPoint at = bench.plot.nodeRect(0).center().toPoint();
    QHelpEvent help(QEvent::ToolTip, at, bench.plot.mapToGlobal(at));
    QApplication::sendEvent(&bench.plot, &help);
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("kernel&lt;4&gt;")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("180\u00a0µs")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("calls: 2")));
    QToolTip::hideText();
  }

  void deepStacksAreScrolledToWhatIsChosen() {
    Bench bench;
    TraceBuilder builder;
    const auto main = builder.track("main");
    constexpr int kDeep = 300;
    for (int i = 0; i < kDeep; ++i) builder.op(main, "f" + std::to_string(i), i, 10'000 - 2 * i);
    const auto content = TraceDocument::contentOf(builder.build());
    bench.plot.setDocument(content);
    QCOMPARE(bench.plot.flameLayout().levels(-1), kDeep);
    QVERIFY(!bench.plot.rect().contains(bench.plot.nodeRect(kDeep - 1).center().toPoint()));
    bench.selection.selectEvent(content->trace, kDeep - 1);
    QVERIFY(bench.plot.rect().contains(bench.plot.nodeRect(kDeep - 1).center().toPoint()));
    QCOMPARE(bench.plot.nodeAt(bench.plot.nodeRect(kDeep - 1).center()), kDeep - 1);
    // So long a path has no room: its ends stay.
    bench.plot.zoomTo(kDeep - 1);
    int crumbs = 0;
    while (!bench.plot.crumbRect(crumbs).isEmpty()) ++crumbs;
    QVERIFY(crumbs > 2 && crumbs < 40);
    QVERIFY(bench.plot.crumbRect(crumbs - 1).right() < bench.plot.width());
    bench.clickAt(bench.plot.crumbRect(0).center().toPoint());
    QCOMPARE(bench.plot.root(), -1);
  }

  void picturesThemesAndEmptiness() {
    Bench bench;
    const QTemporaryDir folder;
    for (const char* name : {"flame.png", "flame.svg"}) {
      const auto file = folder.filePath(QLatin1String(name));
      QVERIFY(bench.plot.saveImage(file));
      QVERIFY(QFileInfo(file).size() > 1000);
    }
    const auto color = [&] {
      const auto rect = bench.plot.nodeRect(bench.node("optimizer"));
      return bench.plot.grab().toImage().pixelColor(static_cast<int>(rect.right()) - 4, static_cast<int>(rect.bottom()) - 3);
    };
    for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Contrast}) {
      bench.theme.setMode(mode);
      QCOMPARE(color(), TracePalette(bench.theme).fill(Tint::Optimizer, true));
    }
    bench.words.setLanguage("fr");
    QVERIFY(bench.plot.accessibleName().contains(QStringLiteral("stalactites")));
    bench.plot.setDocument(TraceDocument::contentOf(trace::Trace()));
    QVERIFY(!bench.plot.grab().isNull());
    bench.plot.setDocument(nullptr);
    for (const auto key : {Qt::Key_Down, Qt::Key_W, Qt::Key_F, Qt::Key_Home, Qt::Key_Escape}) bench.key(key);
    bench.clickAt(QPoint(300, 100));
    QCOMPARE(bench.plot.nodeAt(QPointF(300, 100)), -1);
    QCOMPARE(bench.plot.current(), -1);
    QCOMPARE(bench.plot.search(QStringLiteral("conv")), 0.0);
    QVERIFY(!bench.plot.grab().isNull());
  }
};

QTEST_MAIN(FlamePlotTest)
#include "flame_plot_test.moc"
