#include "figures.h"

#include <initializer_list>

#include "check.h"
#include "event_notes.h"
#include "outcome.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

wire::RunSummary fullSummary() {
  wire::RunSummary summary;
  summary.samples_per_second = wire::Interval{};
  summary.step_p50 = summary.step_p90 = summary.step_p99 = summary.first_step_milliseconds = 0;
  summary.startup_milliseconds = summary.cpu_percent = summary.loss = summary.accuracy = 0;
  for (const auto* kind : {"no_warmup", "first_epoch", "reused_model", "no_synchronisation"})
    summary.naive.push_back({kind, 0.0, 0.0, {}});
  return summary;
}

// Of runs that told all that is noted.
void addNotes(json& result, std::initializer_list<const char*> variants) {
  EventNotes notes;
  wire::RunStarted started;
  started.spec = {{"precision", "fp16"}, {"rollback", 1}};
  started.environment = {{"cores", 1}};
  wire::Health health;
  health.histograms.weights.add(1);
  health.histograms.activations.add(1);
  health.histograms.gradients.add(1);
  wire::Gradients gradients;
  gradients.step = 0;
  gradients.layers = {{"first.weight", 1, 1, 1}, {"last.weight", 1, 1, 1}};
  wire::BlockDone block;
  block.loss = 1;
  const std::vector<wire::EventBody> told = {started, wire::HealthSampled{health}, wire::GradientsSampled{gradients}, block};
  for (const char* variant : variants)
    for (const auto& body : told) notes.take({0, 0, variant, body});
  notes.addTo(result);
}

// Of a run in which something that is not finite was born.
json fullRun() {
  wire::Health origin;
  origin.first_bad_module = origin.first_bad_operator = "any";
  origin.first_bad_stage = "forward";
  auto result = outcomeOf("run", fullSummary(), origin, {}).result;
  addNotes(result, {""});
  return result;
}

constexpr const char* kProfile = R"({
  "breakdown": {"steps": 1, "wall_ns": 1, "data_ns": 1, "forward_ns": 1, "backward_ns": 1, "optimizer_ns": 1, "other_ns": 1,
                "between_ns": 1},
  "operators": [{"name": "any", "calls": 1, "self_ns": 1, "device_ns": 0}],
  "modules": [{"path": "any", "type": "any", "forward_ns": 1, "backward_ns": 1}],
  "diagnosis": [{"rule": "any"}],
  "memory": {"growth_per_step": 1, "allocations_per_step": 1, "allocated_bytes_per_step": 1, "peak_bytes": {
             "total": 1, "weights": 1, "gradients": 1, "optimizer": 1, "activations": 1, "other": 1, "unknown": 1}},
  "peaks": {"fp32_flops": 1, "bf16_flops": 1, "bytes_per_second": 1},
  "health": {"activations": [{"module": "any", "type": "ReLU", "count": 1, "zeros": 1}]}
})";

json fullProfile() {
  auto result = fullRun();
  result.update(keptOfProfile(json::parse(kProfile)));
  return result;
}

json fullRace() {
  wire::RaceSummary race;
  race.a = race.b = fullSummary();
  race.ratio = wire::Interval{};
  auto result = wire::toJson(race);
  addNotes(result, {"a", "b"});
  return result;
}

json fullBatch() {
  const json fits{{"batch", 1}, {"fits", true}, {"peak_bytes", 1}};
  return batchOutcome({{"batch", 1}, {"out_of_memory_at", 2}, {"tries", json::array({fits})}}).result;
}

const json& fullResult(std::string_view verb) {
  static const auto kRun = fullRun(), kRace = fullRace(), kProfile = fullProfile(), kBatch = fullBatch();
  return verb == "run" ? kRun : verb == "profile" ? kProfile : verb == "max-batch" ? kBatch : kRace;
}

}  // namespace

bool isKnownQuantity(std::string_view verb, std::string_view path) {
  return figureAt(fullResult(verb), path).has_value();
}

bool isKnownList(std::string_view verb, std::string_view path) {
  const auto names = namesAt(fullResult(verb), path);
  return names.size() == 1 && names.front() == "any";
}

}  // namespace atelier::lab
