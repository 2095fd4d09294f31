// What the engine says: any line as an event, a summary, a race, a sweep, a number. What is understood is written back the same
// ever after; what isn't is refused.
#include <cmath>
#include <limits>

#include "core/wire/format.h"
#include "core/wire/number.h"
#include "core/wire/run_event.h"
#include "core/wire/summary.h"
#include "core/wire/sweep.h"
#include "fuzz.h"

namespace atelier::fuzz {
namespace {

using nlohmann::json;

wire::RunSummary summary() {
  wire::RunSummary s;
  s.id = "20261130-104512-3f9a1c";
  s.samples_per_second = wire::Interval{2000, 1900, 2100, 10};
  s.step_p50 = 64.0;
  s.step_p99 = 99.5;
  s.first_step_milliseconds = 85.25;
  s.loss = std::numeric_limits<double>::quiet_NaN();
  s.accuracy = 0.88;
  s.peak_memory_bytes = {15, 1, 2, 3, 4, 5};
  s.stages = {1, 2, 3, 4, 5, 15};
  s.blocks = 10;
  s.naive = {{"no_warmup", 900.0, 0.45, ""}, {"no_synchronisation", {}, {}, "naive.needs_gpu"}};
  s.notices = {{"data.pinned_without_gpu", {}}};
  s.failure = {{"run.out_of_memory", {{"detail", "x"}}}};
  return s;
}

wire::RaceSummary race() {
  wire::RaceSummary race{summary(), summary(), wire::Interval{1.1, 1.0, 1.2, 9}, "faster", true, 9, 1};
  race.add({"c", summary(), std::nullopt, "machine-busy", false, 0, 10});
  race.planned_pairs = 12;
  return race;
}

wire::SweepSummary sweep() {
  wire::SweepSummary sweep{"20261130-104512-3f9a1c", "sizes", "done", {{"batch", {32, 64}}, {"precision", {"bf16"}}}};
  sweep.points = {{"1", {{"batch", 32}, {"precision", "bf16"}}, summary(), true},
                  {"2", {{"batch", 64}, {"precision", "bf16"}}}};
  sweep.points[0].summary.status = "done";
  sweep.best = 0;
  sweep.drift = 0.97;
  sweep.drift_run = "20261130-104912-3f9a1c";
  return sweep;
}

void checkEvent(std::string_view line) {
  const auto read = wire::decodeEvent(line);
  if (!read) return requireTold(read.error());
  const auto once = wire::encodeEvent(*read);
  require(once.find('\n') == std::string::npos, "an event is one line");
  const auto again = wire::decodeEvent(once);
  require(again.ok(), "what was written is understood");
  require(again->body.index() == read->body.index(), "an event keeps its kind");
  require(again->t == read->t && again->rank == read->rank && again->variant == read->variant, "an event keeps its place");
  require(wire::encodeEvent(*again) == once, "an event is written the same ever after");
}

void checkRace(const json& object) {
  const auto race = wire::raceSummaryFromJson(object);
  const auto once = wire::toJson(race);
  require(wire::toJson(wire::raceSummaryFromJson(once)) == once, "a race is written the same ever after");
  require(race.runs().size() == race.others.size() + 2, "a race has all its runs");
  require(race.comparisons().size() == race.others.size() + 1, "each but a is compared with a");
}

void checkSweep(const json& object) {
  auto sweep = wire::sweepSummaryFromJson(object);
  const auto once = wire::toJson(sweep);
  require(wire::toJson(wire::sweepSummaryFromJson(once)) == once, "a sweep is written the same ever after");
  require(!sweep.best || *sweep.best < sweep.points.size(), "the best point is one of the points");
  wire::judge(sweep);
  require(!sweep.best || *sweep.best < sweep.points.size(), "the best point that was judged is one of the points");
  for (const auto& point : sweep.points)
    require(!point.pareto || point.summary.status == "done", "only what was measured is Pareto-optimal");
}

void checkSummaries(std::string_view text) {
  const auto object = wire::parseJson(text);
  if (!object) return;
  const auto once = wire::toJson(wire::runSummaryFromJson(*object));
  require(wire::toJson(wire::runSummaryFromJson(once)) == once, "a summary is written the same ever after");
  const auto messages = wire::toJson(wire::messagesFromJson(*object));
  require(wire::toJson(wire::messagesFromJson(messages)) == messages, "messages are written the same ever after");
  checkRace(*object);
  checkSweep(*object);
}

void checkNumbers(std::string_view text) {
  static const wire::Format english("en"), french("fr");
  if (const auto value = wire::parseNumber(text)) {
    require(wire::parseNumber(wire::numberText(*value)) == value || !std::isfinite(*value), "a number is read back the same");
    for (const auto* format : {&english, &french})
      require(!format->number(*value).empty() && !format->compact(*value).empty() && !format->fixed(*value, 2).empty() &&
                  !format->ratio(*value).empty() && !format->percent(*value).empty() && !format->duration(*value).empty(),
              "every number can be shown");
  }
  if (const auto value = wire::parseInteger(text)) {
    require(wire::parseInteger(std::to_string(*value)) == value, "an integer is read back the same");
    require(!english.integer(*value).empty() && !french.bytes(*value).empty(), "every integer can be shown");
  }
  const auto bytes = wire::parseBytes(text);
  require(!bytes || *bytes >= 0, "bytes are not negative");
}

}  // namespace

std::vector<std::string> seeds() {
  const std::vector<wire::EventBody> bodies{
      wire::RunStarted{"id", {{"model", "cnn"}}, {{"cpu", "x"}}, 100, 10, 10, {{"n", {{"a", "b"}}}}},
      wire::PhaseChanged{"warmup"},
      wire::Progress{3, 10, true, 1234.5, 0.25, 1e-3},
      wire::MemorySampled{{15, 1, 2, 3, 4, 5}, {30, 2, 4, 6, 8, 10}, 512},
      wire::SystemSampled{98.5, 1.5, 0.25, 1 << 20},
      wire::BlockDone{2, 10, 1280, 0.5, 2560, {1, 2, 3, 4, 5, 15}, 0.5, true, "busy.steal"},
      wire::EpochDone{1, 469, 10000, 0.5, 0.4, 0.87},
      wire::RaceUpdated{{1.4, 1.3, 1.5, 6}, "faster", 6, 1, 10, "c", true},
      wire::Noticed{{"loss.not_finite", {{"step", "3"}}}, "warning"},
      wire::RunFinished{summary()},
      wire::RaceFinished{race()},
      wire::SweepStarted{"s", {{"batch", {32, 64}}, {"precision", {"bf16"}}}, 2},
      wire::SweepFinished{sweep()},
      wire::RunFailed{wire::ExitCode::OutOfMemory, {{"run.out_of_memory", {{"detail", "quote \" backslash \\ newline \n"}}}}}};
  std::vector<std::string> all;
  for (const auto& body : bodies) all.push_back(wire::encodeEvent({1, 42, "b", body}));
  for (const auto& object : {wire::toJson(summary()), wire::toJson(race()), wire::toJson(sweep())})
    all.push_back(object.dump());
  all.push_back(R"({"extra":[1,2,{"x":null}],"kind":"from_the_future","rank":3,"t":5,"v":1})");
  for (const char* number : {"0", "-1.5e-300", "9223372036854775807", "-9223372036854775808", "512MiB", "1.5 GB", "NaN"})
    all.emplace_back(number);
  return all;
}

std::vector<std::string> words() {
  return {R"("kind":"progress",)",
          R"("kind":"finished",)",
          R"("kind":"race",)",
          R"("kind":"sweep_finished",)",
          R"("non_finite":{"loss":"NaN"},)",
          R"("non_finite":{"median":"-Infinity"},)",
          R"("v":2,)",
          R"("loss":null,)",
          R"("points":[{}],)",
          R"("others":[{"variant":"d"}],)",
          R"("best":1,)",
          R"("summary":{},)",
          R"("messages":[{"id":"x"}],)",
          R"("status":"done",)",
          R"("variant":"a",)",
          R"("samples_per_second":{"median":1,"low":0,"high":2,"count":3},)",
          "KiB",
          "GB",
          "Infinity"};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier::fuzz;
  const auto text = textOf(data, size);
  checkEvent(text);
  checkSummaries(text);
  checkNumbers(text);
  return 0;
}
