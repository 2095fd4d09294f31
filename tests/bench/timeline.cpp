// What a trace of a million events costs the window: laying it out once, asking what a screen shows of it at every zoom, and
// drawing whole frames, as zooming and moving do. A frame must take less than 16 ms, what it shows less than 5 ms of them. Run
// by hand, from the repository's root, after a build; needs no display:
//   g++ -std=c++20 -O2 -fPIC -I. tests/bench/timeline.cpp build/release/app/libatelier_app.a
//   build/release/core/libatelier_registry.a build/release/core/libatelier_trace.a build/release/core/libatelier_wire.a
//   $(pkg-config --cflags --libs Qt6Widgets Qt6Svg) -lsqlite3 -larchive -lz -o /tmp/timeline
//   QT_QPA_PLATFORM=offscreen /tmp/timeline [EVENTS, default 1000000]
#include <QApplication>
#include <QPixmap>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/models/timeline_layout.h"
#include "app/models/timeline_search.h"
#include "app/models/trace_document.h"
#include "app/models/words.h"
#include "app/plots/timeline_plot.h"
#include "app/shell/theme.h"
#include "tests/trace/trace_builder.h"

namespace {

using namespace atelier;
using Clock = std::chrono::steady_clock;

constexpr int kFrames = 60, kWidth = 1600, kHeight = 900;

double milliseconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A training loop: steps of stages of modules of operators, each with a launch, and kernels on a stream.
trace::Trace program(int events) {
  trace::testing::TraceBuilder builder;
  const auto main = builder.track("main thread");
  const auto stream = builder.track("stream 7", 0);
  constexpr int kModules = 40, kOperators = 12;
  std::int64_t time = 0, launches = 0;
  while (static_cast<int>(builder.trace().events.size()) < events) {
    const auto begin = time;
    for (const auto stage : {trace::Stage::Forward, trace::Stage::Backward}) {
      const auto stageBegin = time;
      for (int module = 0; module < kModules; ++module) {
        const auto moduleBegin = time;
        for (int i = 0; i < kOperators; ++i) {
          const std::int64_t length = 3000 + 977 * (i % 5);
          builder.op(main, "aten::op" + std::to_string(i), time, length);
          builder.runtime(main, "cudaLaunchKernel", time + 500, 1500, ++launches);
          builder.kernel(stream, "kernel" + std::to_string(i % 7), time + 2500, length - 400, launches);
          time += length + 300;
        }
        builder.module(main, "layers." + std::to_string(module), "Block", moduleBegin, time - moduleBegin);
      }
      builder.stage(main, stage, stageBegin, time - stageBegin);
    }
    builder.step(main, begin, time - begin);
    time += 20'000;
  }
  return builder.build();
}

struct Spread {
  double median = 0, worst = 0;
};

Spread spreadOf(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.back()};
}

void tell(const char* what, const Spread& spread) {
  std::printf("%-52s median %7.2f ms   worst %7.2f ms\n", what, spread.median, spread.worst);
}

// Every row, as a frame asks for it, at zooms from all to a millionth.
void askEveryRow(const app::TimelineLayout& layout) {
  std::vector<double> times;
  std::vector<app::TimelineBox> boxes;
  std::size_t most = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    const auto whole = static_cast<double>(layout.end());
    const double span = whole * std::pow(1e-6, frame / static_cast<double>(kFrames)), from = 0.37 * (whole - span);
    std::size_t count = 0;
    times.push_back(milliseconds([&] {
      for (std::size_t row = 0; row < layout.rows().rows(); ++row) {
        layout.rows().visible(row, from, from + span, span / kWidth, boxes);
        count += boxes.size();
      }
    }));
    most = std::max(most, count);
  }
  tell("what a frame shows, every row", spreadOf(times));
  std::printf("  at most %zu boxes in %zu rows\n", most, layout.rows().rows());
}

void drawFrames(const app::TraceDocument::ContentPtr& content) {
  const app::Theme theme(app::Theme::Mode::Light);
  const app::Words words("en");
  app::TimelinePlot plot(theme, words);
  plot.resize(kWidth, kHeight);
  plot.setDocument(content);
  QPixmap screen(plot.size());
  const auto whole = static_cast<double>(content->timeline.end());
  const auto frames = [&](const char* what, const std::function<void(double)>& move) {
    std::vector<double> times;
    for (int frame = 0; frame < kFrames; ++frame)
      times.push_back(milliseconds([&] {
        move(frame / static_cast<double>(kFrames));
        plot.render(&screen);
      }));
    tell(what, spreadOf(times));
  };
  frames("frames: zooming from all to a millionth", [&](double share) {
    const double span = whole * std::pow(1e-6, share);
    plot.setView(0.37 * whole, 0.37 * whole + span);
  });
  frames("frames: moving with all in view", [&](double share) { plot.setView(share * 1e6, share * 1e6 + whole); });
  frames("frames: moving over names", [&](double share) {
    const double span = 2e-4 * whole;
    plot.setView(0.4 * whole + share * span, 0.4 * whole + (1 + share) * span);
  });
  plot.search(QStringLiteral("op7"));
  frames("frames: moving while searching", [&](double share) { plot.setView(share * 1e6, share * 1e6 + whole); });
}

}  // namespace

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  const int events = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  auto made = program(events);
  std::printf("%zu events\n", made.events.size());
  app::TimelineLayout layout;
  tell("laying out, once", spreadOf({milliseconds([&] { layout = app::TimelineLayout(made); })}));
  askEveryRow(layout);
  tell("a search", spreadOf({milliseconds([&] { app::TimelineSearch(made, layout, QStringLiteral("op7 layers")); })}));
  app::TraceDocument::ContentPtr content;
  tell("opening: report, diagnosis, layout, flame",
       spreadOf({milliseconds([&] { content = app::TraceDocument::contentOf(std::move(made)); })}));
  drawFrames(content);
  return 0;
}
