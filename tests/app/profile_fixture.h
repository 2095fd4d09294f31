// What the tests of the Profile view share: a home with a run that was profiled, the view on it, and what an engine says of a
// race and of a run that it profiles.
#pragma once

#include <QtTest>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/views/profile/profile_view.h"
#include "core/trace/chrome_json.h"
#include "runs_fixture.h"
#include "trace_fixture.h"

namespace atelier::app::testing {

inline wire::Schema profileSchema() {
  auto schema =
      wire::Schema::build({wire::choiceOption("model", {"cnn", "mlp"}), wire::integerOption("batch", 128, 1, 4096),
                           wire::booleanOption("channels_last", false), wire::choiceOption("precision", {"fp32", "bf16"}),
                           wire::integerOption("seed", 0, 0, 1'000'000), wire::integerOption("steps", 200, 1, 1'000'000),
                           wire::integerOption("blocks", 10, 1, 1000), wire::booleanOption("stop_when_decided", false),
                           wire::textOption("profile", "off"), wire::textOption("inject", "none")});
  return schema ? *schema : wire::Schema();
}

inline nlohmann::json profiledSpec() {
  auto spec = specOf();
  spec.update(
      nlohmann::json{{"steps", 30}, {"blocks", 10}, {"stop_when_decided", false}, {"profile", "on"}, {"inject", "none"}});
  return spec;
}

inline wire::Health someHealth(std::int64_t step) {
  wire::Health health;
  health.step = step;
  health.gradient_norm = 1.75;
  for (const char* module : {"features.0", "classifier"}) {
    wire::TensorStats stats;
    stats.module = module;
    stats.type = "Conv2d";
    stats.deviation = 1;
    stats.norm = 2;
    stats.count = 10;
    health.activations.push_back(stats);
    stats.module += ".weight";
    health.parameters.push_back(stats);
  }
  health.first_bad_module = "features.0";
  health.first_bad_stage = "forward";
  health.first_bad_operator = "aten::div";
  health.first_bad_step = 4;
  return health;
}

// Two steps on a CPU: a convolution and a matmul in their modules, a relu of `reluNs` a step, a read of a value, memory; beside
// them a loader's two batches and a thread that does something else.
inline trace::Trace profiledTrace(std::int64_t reluNs = 50'000) {
  trace::testing::TraceBuilder builder;
  const auto main = builder.track("main thread"), loader = builder.track("loader worker 0"), other = builder.track("thread 3");
  for (int step = 0; step < 2; ++step) {
    const std::int64_t begin = step * kStepNs;
    builder.step(main, begin, 900'000);
    builder.stage(main, trace::Stage::Forward, begin + 100'000, 300'000);
    builder.module(main, "features.0", "Conv2d", begin + 110'000, 100'000);
    builder.op(main, "aten::conv2d", begin + 120'000, 80'000, {{128, 1, 28, 28}, {32, 1, 3, 3}});
    builder.module(main, "classifier", "Linear", begin + 220'000, 100'000);
    builder.op(main, "aten::mm", begin + 230'000, 80'000, {{128, 64}, {64, 10}});
    builder.op(main, "aten::relu", begin + 330'000, reluNs);
    builder.stage(main, trace::Stage::Backward, begin + 400'000, 300'000);
    builder.op(main, "aten::item", begin + 750'000, 20'000);
    builder.loader(loader, begin + 10'000, 800'000);
    builder.op(other, "aten::copy_", begin + 10'000, 5'000);
    builder.memory(main, begin + 150'000, 4 << 20, 0x1000, trace::Category::Activations);
    builder.memory(main, begin + 650'000, -(4 << 20), 0x1000, trace::Category::Activations);
  }
  return builder.build();
}

// A finding that can be applied and shown, one that can be neither.
inline std::vector<trace::Finding> someFindings(const trace::Trace& trace) {
  trace::Finding amp;
  amp.rule = "missing_amp";
  amp.severity = trace::Severity::Warning;
  amp.args = {{"percent", "66"}};
  amp.evidence = {{"evidence.float_matmuls", {{"percent", "66"}}}};
  amp.share = 0.66;
  amp.expected_gain = 1.6;
  amp.gain_low = 1.2;
  amp.gain_high = 1.9;
  amp.fix.set = {{"precision", "bf16"}};
  amp.events = {trace::testing::find(trace, "aten::conv2d")};
  trace::Finding busy;
  busy.rule = "busy_machine";
  busy.severity = trace::Severity::Hint;
  busy.evidence = {{"evidence.others", {{"percent", "30"}}}};
  return {amp, busy};
}

// A run with all that the engine leaves of a profile; its id.
inline std::string writeProfiled(const std::filesystem::path& home) {
  const auto id = writeRun(home, profiledSpec());
  const auto folder = home / "runs" / id;
  const auto trace = profiledTrace();
  if (!trace::writeChromeTrace(trace, folder / "trace.json.gz")) return "";
  trace::Peaks peaks;
  peaks.fp32_flops = 100e9;
  peaks.bytes_per_second = 20e9;
  nlohmann::json profile{{"peaks", trace::toJson(peaks)}, {"health", wire::toJson(someHealth(12))}};
  for (const auto& finding : someFindings(trace)) profile["diagnosis"].push_back(trace::toJson(finding));
  return registry::writeWhole(folder / "profile.json", profile.dump()).ok() ? id : std::string();
}

struct Room {
  Bench bench;
  std::string run;
  std::unique_ptr<ProfileView> view;

  explicit Room(bool open = true) {
    bench.learn.setSchema(profileSchema());
    run = writeProfiled(bench.engine.home());
    view = std::make_unique<ProfileView>(bench.desktop);
    view->resize(1280, 720);
    view->show();
    if (open) openRun();
  }
  QString id() const { return QString::fromStdString(run); }
  std::filesystem::path folder() const { return bench.engine.home() / "runs" / run; }
  void openRun() {
    QVERIFY(view->showRun(id()));
    settle();
    QVERIFY(view->document().content());
  }
  void settle() { QTRY_VERIFY_WITH_TIMEOUT(!view->document().loading(), kPatience); }
  const TraceDocument::Content& content() const { return *view->document().content(); }
  QString text(const char* words) const { return bench.words.text(words); }
};

inline wire::RunEvent ofVariant(const std::string& variant, double seconds, wire::EventBody body) {
  auto event = eventAt(seconds, std::move(body));
  event.variant = variant;
  return event;
}

// A race that ends with that ratio.
inline std::vector<wire::RunEvent> raceEvents(double ratio, const std::string& verdict) {
  std::vector<wire::RunEvent> events;
  for (const char* variant : {"a", "b"}) {
    wire::RunStarted started;
    started.run_id = std::string("20261130-104512-00000") + variant;
    started.spec = specOf();
    started.planned_steps = 20;
    events.push_back(ofVariant(variant, 0, started));
  }
  wire::RaceUpdated updated;
  updated.ratio = {ratio, ratio - 0.05, ratio + 0.05, 8};
  updated.verdict = verdict;
  updated.pairs = 8;
  updated.planned_pairs = 10;
  events.push_back(ofVariant("", 1, updated));
  wire::RaceFinished finished;
  finished.race.a = summaryOf("20261130-104512-00000a", 2000);
  finished.race.b = summaryOf("20261130-104512-00000b", 2000 * ratio);
  finished.race.ratio = updated.ratio;
  finished.race.verdict = verdict;
  finished.race.pairs = 8;
  events.push_back(ofVariant("", 2, finished));
  return events;
}

// What the engine says of a run that it profiles.
inline std::vector<wire::RunEvent> profileEvents(const std::string& id, const wire::Health& health) {
  auto events = eventsOf(id, profiledSpec(), 2000);
  events.push_back(eventAt(3, wire::PhaseChanged{"profiling"}));
  events.push_back(eventAt(4, wire::Profiled{2, 1'800'000, 100, 0}));
  events.push_back(eventAt(4, wire::HealthSampled{health}));
  events.push_back(eventAt(5, wire::RunFinished{summaryOf(id, 2000)}));
  return events;
}

}  // namespace atelier::app::testing
