// Where a trace's events stand over time, and what of them a screen is given: never more than its pixels can show, nothing
// lost.
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "app/models/timeline_layout.h"
#include "app/models/timeline_links.h"
#include "app/models/timeline_rows.h"
#include "app/models/timeline_search.h"
#include "app/models/trace_texts.h"
#include "app/plots/time_axis.h"
#include "tests/trace/trace_builder.h"

using namespace atelier;
using namespace atelier::app;
using trace::testing::eventOf;
using trace::testing::find;
using trace::testing::TraceBuilder;

namespace {

// One row of stretches of all lengths, from nothing to a thousand times a pixel's width.
TimelineRows randomRow(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> kind(0, 9), tint(0, static_cast<int>(kTints) - 1);
  TimelineRows rows;
  std::int64_t time = 0;
  for (int i = 0; i < count; ++i) {
    const int size = kind(random);
    const std::int64_t length = size == 0 ? 0 : size == 9 ? 40'000 : 1 + static_cast<std::int64_t>(random() % 60);
    time += size == 5 ? 3000 : static_cast<std::int64_t>(random() % 3);
    rows.add(time, time + length, static_cast<Tint>(tint(random)), i);
    time += length;
  }
  rows.endRow();
  rows.finish();
  return rows;
}

std::vector<TimelineBox> boxesOf(const TimelineRows& rows, double from, double to, double pixel) {
  std::vector<TimelineBox> boxes;
  rows.visible(0, from, to, pixel, boxes);
  return boxes;
}

Tint mostOf(const TimelineRows& rows, const TimelineBox& box) {
  std::array<std::int64_t, kTints> times{};
  for (std::size_t i = box.first; i < box.first + box.count; ++i)
    times[static_cast<std::size_t>(rows.tint(i))] += rows.to(i) - rows.from(i) + 1;
  return static_cast<Tint>(std::max_element(times.begin(), times.end()) - times.begin());
}

// Two steps of a program with a loader's thread and a device.
trace::Trace program() {
  TraceBuilder builder;
  const auto stream = builder.track("stream 7", 0);
  const auto loader = builder.track("loader worker 0");
  const auto main = builder.track("main thread");
  for (const std::int64_t begin : {0, 10'000}) {
    builder.step(main, begin, 9000);
    builder.stage(main, trace::Stage::Data, begin, 500);
    builder.stage(main, trace::Stage::Forward, begin + 1000, 3000);
    builder.module(main, "features.0", "Conv2d", begin + 1100, 2000);
    builder.op(main, "aten::conv2d", begin + 1200, 1500);
    builder.last().sequence = begin + 7;
    builder.runtime(main, "cudaLaunchKernel", begin + 1300, 100, begin + 1);
    builder.kernel(stream, "implicit_gemm", begin + 1800, 900, begin + 1);
    builder.stage(main, trace::Stage::Backward, begin + 4000, 3000);
    builder.node(main, "ConvolutionBackward0", begin + 4200, 2000, begin + 7);
    builder.stage(main, trace::Stage::Optimizer, begin + 7000, 1000);
    builder.loader(loader, begin + 100, 8000);
  }
  return builder.build();
}

}  // namespace

class TimelineLayoutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theThreadOfTheStepsComesFirstAndDevicesLast() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    QCOMPARE(layout.tracks().size(), std::size_t{3});
    QCOMPARE(trace.tracks[static_cast<std::size_t>(layout.tracks()[0].track)].name, std::string("main thread"));
    QCOMPARE(trace.tracks[static_cast<std::size_t>(layout.tracks()[1].track)].name, std::string("loader worker 0"));
    QVERIFY(layout.tracks()[2].device);
    QCOMPARE(layout.mainTrack(), layout.tracks()[0].track);
    QCOMPARE(layout.end(), std::int64_t{19'000});
  }

  void anEventStandsARowBelowItsParent() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    QCOMPARE(layout.tracks()[0].rows, std::size_t{5});  // step, stage, module, operator, call
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      const auto row = layout.rowOf(id);
      QCOMPARE(layout.rows().id(layout.positionOf(id)), id);
      QVERIFY(layout.positionOf(id) >= layout.rows().begin(row) && layout.positionOf(id) < layout.rows().end(row));
      QCOMPARE(layout.trackOfRow(row).track, trace.events[i].track);
      if (trace.events[i].parent >= 0) QCOMPARE(row, layout.rowOf(trace.events[i].parent) + 1);
      else QCOMPARE(row, layout.trackOfRow(row).firstRow);
    }
  }

  void kernelsThatOverlapStandBelowOneAnother() {
    TraceBuilder builder;
    const auto stream = builder.track("stream 7", 0);
    builder.kernel(stream, "a", 0, 100);
    builder.kernel(stream, "b", 50, 100);
    builder.kernel(stream, "c", 60, 10);
    builder.kernel(stream, "d", 100, 20);
    const auto trace = builder.build();
    const TimelineLayout layout(trace);
    QCOMPARE(layout.tracks()[0].rows, std::size_t{3});
    QCOMPARE(layout.rowOf(find(trace, "a")), std::size_t{0});
    QCOMPARE(layout.rowOf(find(trace, "b")), std::size_t{1});
    QCOMPARE(layout.rowOf(find(trace, "c")), std::size_t{2});
    QCOMPARE(layout.rowOf(find(trace, "d")), std::size_t{0});  // the highest that is free again
  }

  void atMostTwoBoxesAPixelAndNothingIsLost() {
    const auto rows = randomRow(60'000, 3);
    const auto end = static_cast<double>(rows.to(rows.size() - 1));
    constexpr int kPixels = 1200;
    for (const double share : {1.0, 0.3, 0.02, 0.0005}) {
      for (const double begin : {0.0, 0.4, 0.6}) {
        const double from = begin * end, to = from + share * end, pixel = (to - from) / kPixels;
        const auto boxes = boxesOf(rows, from, to, pixel);
        QVERIFY2(boxes.size() <= 2 * (kPixels + 2), qPrintable(QString::number(boxes.size())));
        QVERIFY(!boxes.empty());
        // One after the other, without a gap in their numbers: every event of the span is in one box.
        for (std::size_t i = 0; i < boxes.size(); ++i) {
          const auto& box = boxes[i];
          QCOMPARE(box.from, rows.from(box.first));
          QCOMPARE(box.to, rows.to(box.first + box.count - 1));
          QVERIFY(box.count >= 1);
          if (i > 0) QCOMPARE(box.first, boxes[i - 1].first + boxes[i - 1].count);
          // What is merged shares a pixel.
          constexpr double kRounding = 1 + 1e-9;
          QVERIFY(static_cast<double>(rows.from(box.first + box.count - 1) - box.from) < pixel * kRounding);
        }
        const auto first = boxes.front().first, last = boxes.back().first + boxes.back().count;
        if (first > 0) QVERIFY(static_cast<double>(rows.to(first - 1)) <= from);
        if (last < rows.size()) QVERIFY(static_cast<double>(rows.from(last)) >= to);
      }
    }
  }

  void whatIsWiderThanAPixelIsNeverMerged() {
    const auto rows = randomRow(5000, 5);
    const double pixel = 50;
    const auto end = static_cast<double>(rows.to(rows.size() - 1));
    for (const auto& box : boxesOf(rows, 0, end, pixel)) {
      if (box.count == 1) continue;
      for (std::size_t i = box.first; i < box.first + box.count; ++i)
        QVERIFY(static_cast<double>(rows.to(i) - rows.from(i)) < pixel);
    }
  }

  void aMergedBoxIsTintedAsMostOfItsTime() {
    const auto rows = randomRow(20'000, 7);
    const auto end = static_cast<double>(rows.to(rows.size() - 1));
    std::size_t largest = 0;
    for (const double pixels : {5.0, 40.0, 700.0})
      for (const auto& box : boxesOf(rows, 0, end, end / pixels)) {
        QCOMPARE(static_cast<int>(box.tint), static_cast<int>(mostOf(rows, box)));
        largest = std::max(largest, box.count);
      }
    QVERIFY(largest > 1000);  // so that whole blocks were summed
  }

  void movingTheSpanMergesNothingAnew() {
    const auto rows = randomRow(20'000, 11);
    const auto end = static_cast<double>(rows.to(rows.size() - 1));
    const double pixel = end / 5000;
    const auto before = boxesOf(rows, 0.2 * end, 0.5 * end, pixel);
    const auto after = boxesOf(rows, 0.2 * end + 7.3 * pixel, 0.5 * end + 7.3 * pixel, pixel);
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (const auto& box : before) known.emplace(box.first, box.count);
    std::size_t inBoth = 0;
    for (const auto& box : after) {
      const bool inside =
          static_cast<double>(box.from) > 0.2 * end + 9 * pixel && static_cast<double>(box.to) < 0.5 * end - pixel;
      if (!inside) continue;
      QVERIFY(known.contains({box.first, box.count}));
      ++inBoth;
    }
    QVERIFY(inBoth > 500);
  }

  void momentsWithoutLengthAreDrawnAndEndTheSearch() {
    TimelineRows rows;
    for (int i = 0; i < 100; ++i) rows.add(5, 5, Tint::Forward, i);
    rows.endRow();
    rows.endRow();  // an empty one
    rows.finish();
    for (const double pixel : {1e-6, 0.01, 1.0, 1e9}) {
      std::size_t count = 0;
      for (const auto& box : boxesOf(rows, 0, 10, pixel)) {
        count += box.count;
        QCOMPARE(static_cast<int>(box.tint), static_cast<int>(Tint::Forward));
      }
      QCOMPARE(count, std::size_t{100});
    }
    std::vector<TimelineBox> none{TimelineBox()};
    rows.visible(1, 0, 10, 1, none);
    QVERIFY(none.empty());
    QVERIFY(!rows.at(1, 5, INFINITY));
    QVERIFY(rows.at(0, 5).has_value());
    QVERIFY(!rows.at(0, 6).has_value());
  }

  void aPointHitsWhatStandsThereElseTheNearestInReach() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    const auto step = find(trace, "step 0"), forward = find(trace, "forward");
    const auto row = layout.rowOf(forward);
    QCOMPARE(layout.hitTest(layout.rowOf(step), 8999.5), step);
    QCOMPARE(layout.hitTest(row, 1000), forward);
    QCOMPARE(layout.hitTest(row, 3999.9), forward);
    QCOMPARE(layout.hitTest(row, 800), -1);
    QCOMPARE(layout.hitTest(row, 800, 200), forward);  // 200 before it begins; data ended 300 before
    QCOMPARE(layout.hitTest(row, 600, 200), find(trace, "data"));
    QCOMPARE(layout.hitTest(row, -5000, 100), -1);
    QCOMPARE(layout.hitTest(100'000, 0), -1);
  }

  void neighboursAndChildren() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    const auto data = find(trace, "data"), forward = find(trace, "forward"), backward = find(trace, "backward");
    QCOMPARE(layout.neighbour(forward, -1), data);
    QCOMPARE(layout.neighbour(forward, 1), backward);
    QCOMPARE(layout.neighbour(data, -1), -1);
    QCOMPARE(layout.neighbour(find(trace, "step 1"), 1), -1);
    const auto longest = layout.longestChild(trace, find(trace, "step 0"));
    QCOMPARE(trace.events[static_cast<std::size_t>(longest)].duration, std::int64_t{3000});
    QCOMPARE(layout.longestChild(trace, find(trace, "cudaLaunchKernel")), -1);
    QCOMPARE(layout.longestChild(trace, find(trace, "implicit_gemm")), -1);
  }

  void theBandShowsTheInnermostStage() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    const auto& stages = layout.stages();
    QCOMPARE(stages.rows(), std::size_t{1});
    QCOMPARE(stages.size(), std::size_t{8});
    const auto at = stages.at(0, 4500);
    QVERIFY(at.has_value());
    QCOMPARE(static_cast<int>(stages.tint(*at)), static_cast<int>(Tint::Backward));
    QCOMPARE(stages.from(*at), std::int64_t{4000});
    QCOMPARE(stages.to(*at), std::int64_t{7000});
    QVERIFY(!stages.at(0, 8500).has_value());  // between the optimizer and the step's end
    QVERIFY(layout.stepBounds() == (std::vector<std::int64_t>{0, 10'000, 19'000}));
  }

  // Python's traces mark no forward pass: each operator is a piece of it.
  void piecesOfOneStageAreOneWithinAStepOnly() {
    TraceBuilder builder;
    const auto main = builder.track("main");
    for (const std::int64_t begin : {0, 1000}) {
      builder.step(main, begin, 900);
      for (int i = 0; i < 5; ++i) builder.op(main, "aten::mul", begin + 100 * i, 50);
    }
    const auto trace = builder.build();
    const TimelineLayout layout(trace);
    QCOMPARE(layout.stages().size(), std::size_t{2});
    QCOMPARE(layout.stages().to(0), std::int64_t{450});
    QCOMPARE(layout.stages().from(1), std::int64_t{1000});
  }

  void linksLeadFromLaunchToKernelAndFromForwardToBackward() {
    const auto trace = program();
    const TimelineLinks links(trace);
    const auto call = find(trace, "cudaLaunchKernel"), kernel = find(trace, "implicit_gemm");
    const auto conv = find(trace, "aten::conv2d");
    const auto node = find(trace, "autograd::engine::evaluate_function: ConvolutionBackward0");
    const TimelineLink launch{call, kernel, false}, back{conv, node, true};
    QVERIFY(links.of(trace, call) == std::vector<TimelineLink>{launch});
    QVERIFY(links.of(trace, kernel) == std::vector<TimelineLink>{launch});
    QVERIFY(links.of(trace, node) == std::vector<TimelineLink>{back});
    const auto ofOperator = links.of(trace, conv);
    QCOMPARE(ofOperator.size(), std::size_t{2});
    QVERIFY(std::find(ofOperator.begin(), ofOperator.end(), launch) != ofOperator.end());
    QVERIFY(std::find(ofOperator.begin(), ofOperator.end(), back) != ofOperator.end());
    // Of a step, those of all that is below it, and of no other step.
    QCOMPARE(links.of(trace, find(trace, "step 0")).size(), std::size_t{2});
    QCOMPARE(links.of(trace, find(trace, "step 0"), 1).size(), std::size_t{1});
    QVERIFY(links.of(trace, find(trace, "batch")).empty());
  }

  void allWordsMustStandInTheNameOrTheModule() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    QCOMPARE(TimelineSearch(trace, layout, QStringLiteral("CONV2D")).events().size(), std::size_t{2});
    QVERIFY(TimelineSearch(trace, layout, QStringLiteral("conv2d features")).events().size() == 2);
    QVERIFY(TimelineSearch(trace, layout, QStringLiteral("conv2d nowhere")).events().empty());
    const TimelineSearch nothing(trace, layout, QStringLiteral("  "));
    QVERIFY(!nothing.active());
    const TimelineSearch missing(trace, layout, QStringLiteral("nowhere"));
    QVERIFY(missing.active());
    QCOMPARE(missing.next(trace, -1, 1), -1);
  }

  void matchesAreWalkedInTimeAndRoundAgain() {
    const auto trace = program();
    const TimelineLayout layout(trace);
    const TimelineSearch search(trace, layout, QStringLiteral("step"));
    const auto first = find(trace, "step 0"), second = find(trace, "step 1");
    QCOMPARE(search.next(trace, -1, 1), first);
    QCOMPARE(search.next(trace, -1, -1), second);
    QCOMPARE(search.next(trace, first, 1), second);
    QCOMPARE(search.next(trace, second, 1), first);
    QCOMPARE(search.next(trace, first, -1), second);
    QCOMPARE(search.next(trace, find(trace, "forward"), 1), second);
    QCOMPARE(search.next(trace, find(trace, "forward"), -1), first);
  }

  void aMergedBoxMatchesWhenOneOfItsEventsDoes() {
    TraceBuilder builder;
    const auto main = builder.track("main");
    for (int i = 0; i < 1000; ++i) builder.op(main, i == 700 ? "aten::needle" : "aten::hay", 10 * i, 5);
    const auto trace = builder.build();
    const TimelineLayout layout(trace);
    const TimelineSearch search(trace, layout, QStringLiteral("needle"));
    std::vector<TimelineBox> boxes;
    layout.rows().visible(0, 0, 10'000, 1000, boxes);
    QCOMPARE(boxes.size(), std::size_t{10});
    for (std::size_t i = 0; i < boxes.size(); ++i) QCOMPARE(search.has(boxes[i]), i == 7);
    const auto name = eventOf(trace, "aten::hay").name;
    QCOMPARE(TimelineSearch(trace, layout, name, -1).events().size(), std::size_t{999});
    QVERIFY(TimelineSearch(trace, layout, name, 3).events().empty());
    QVERIFY(!TimelineSearch(trace, layout, -1, -1).active());
  }

  void nothingAndHostileDepthAreTaken() {
    const TimelineLayout empty((trace::Trace()));
    QVERIFY(empty.tracks().empty());
    QCOMPARE(empty.mainTrack(), -1);
    QCOMPARE(empty.rows().rows(), std::size_t{0});
    QCOMPARE(empty.hitTest(0, 0, 10), -1);

    TraceBuilder builder;
    const auto main = builder.track("main");
    constexpr int kDeep = 20'000;
    for (int i = 0; i < kDeep; ++i) builder.op(main, "f", i, 2 * kDeep - 2 * i);
    const auto trace = builder.build();
    const TimelineLayout deep(trace);
    QCOMPARE(deep.rows().rows(), std::size_t{kDeep});
    QCOMPARE(deep.hitTest(kDeep - 1, kDeep), kDeep - 1);
  }

  void aTimeIsWrittenInTheUnitThatFits() {
    const wire::Format english("en"), french("fr");
    QCOMPARE(timeText(0, english), QStringLiteral("0\u00a0ns"));
    QCOMPARE(timeText(840, english), QStringLiteral("840\u00a0ns"));
    QCOMPARE(timeText(12'345, english), QStringLiteral("12.3\u00a0µs"));
    QCOMPARE(timeText(999'990, english), QStringLiteral("1.000\u00a0ms"));
    QCOMPARE(timeText(4'560'000, french), QStringLiteral("4,56\u00a0ms"));
    QCOMPARE(timeText(1'230'000'000, english), QStringLiteral("1.23\u00a0s"));
  }

  void namesAreMadeFitToBeShown() {
    QCOMPARE(shortName("aten::conv2d"), QStringLiteral("conv2d"));
    QCOMPARE(shortName("autograd::engine::evaluate_function: MulBackward0"), QStringLiteral("MulBackward0"));
    QCOMPARE(plainName("two\nlines\tand  blanks"), QStringLiteral("two lines and blanks"));
    QCOMPARE(plainName(std::string("bad\xff\x01") + "end"), QStringLiteral("bad\ufffd\ufffdend"));
    QCOMPARE(plainName(std::string(100'000, 'x')).size(), qsizetype{200});
    QVERIFY(plainName(std::string(100'000, 'x')).endsWith(QChar(0x2026)));
    QVERIFY(plainName("").isEmpty());
  }

  void ticksStandAtRoundTimesAndApart() {
    const wire::Format english("en");
    TimeAxis axis{0, 9.5e6, 100, 950};
    const auto ticks = ticksOf(axis, 90, english);
    QCOMPARE(ticks.size(), std::size_t{10});
    QCOMPARE(ticks[0].text, QStringLiteral("0"));
    QCOMPARE(ticks[3].text, QStringLiteral("3\u00a0ms"));
    for (std::size_t i = 1; i < ticks.size(); ++i) QVERIFY(axis.x(ticks[i].time) - axis.x(ticks[i - 1].time) >= 90);
    // Far into a trace and close to it: a unit in which the numbers differ.
    axis.from = 1'234'567'000;
    axis.to = axis.from + 1000;
    const auto close = ticksOf(axis, 90, english);
    QVERIFY(close.size() >= 5 && close.size() <= 11);
    std::set<QString> texts;
    for (const auto& tick : close) texts.insert(tick.text);
    QCOMPARE(texts.size(), close.size());
    QVERIFY(close[0].text.endsWith(QStringLiteral("µs")));
    // Times that a double can't tell apart must not hang.
    axis.from = 4e18;
    axis.to = 4e18 + 20;
    QVERIFY(ticksOf(axis, 90, english).size() <= 12);
  }

  void theAxisGoesBothWays() {
    const TimeAxis axis{1000, 3000, 50, 400};
    QCOMPARE(axis.perPixel(), 5.0);
    QCOMPARE(axis.x(2000), 250.0);
    QCOMPARE(axis.time(axis.x(1234)), 1234.0);
    QCOMPARE(axis.right(), 450.0);
  }
};

QTEST_MAIN(TimelineLayoutTest)
#include "timeline_layout_test.moc"
