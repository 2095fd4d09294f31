// What a finished run has measured. Every figure says its unit in its name; an interval is a median with its 95 %
// confidence interval over blocks. JSON keys are the members' names. Any thread; values only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "result.h"

namespace atelier::wire {

struct Interval {
  double median = 0, low = 0, high = 0;
  int count = 0;  // blocks (or pairs of blocks) it was taken over
};

// Bytes of tensor storage by the phase that allocated them: weights (parameters and buffers), gradients (all that
// backward allocates), optimizer (its state), activations (all that forward allocates), other (batches, the rest).
// The parts sum to total exactly.
struct MemoryBytes {
  std::int64_t total = 0, weights = 0, gradients = 0, optimizer = 0, activations = 0, other = 0;
};

// Wall time of the measured steps by stage, in nanoseconds; the stages sum to wall exactly.
struct StageTimes {
  std::int64_t data = 0, forward = 0, backward = 0, optimizer = 0, other = 0, wall = 0;
};

// One reading of a naive stopwatch, beside the honest figure.
struct NaiveReading {
  std::string kind;                          // no_warmup, first_epoch, reused_model, no_synchronisation
  std::optional<double> samples_per_second;  // absent: not measurable here
  std::optional<double> ratio;               // to the honest median; reused_model: second timing over first
  std::string reason;                        // a catalog id: why it could not be measured, or ""
};

struct RunSummary {
  std::string id;
  std::string status = "done";  // done, failed, interrupted
  std::string variant;          // "a" to "d" in a race, the point's number in a sweep
  std::int64_t seed = 0, steps = 0, optimizer_steps = 0, skipped_steps = 0, samples = 0, epochs = 0;
  std::optional<Interval> samples_per_second;
  std::optional<double> step_p50, step_p90, step_p99;  // milliseconds_per_step
  std::optional<double> first_step_milliseconds;
  std::optional<double> startup_milliseconds;  // process start to first measured step
  MemoryBytes peak_memory_bytes;
  std::int64_t rss_bytes = 0;         // peak resident set of the process tree
  std::optional<double> cpu_percent;  // mean over measured blocks, 100 = all cores of the machine
  StageTimes stages;
  std::optional<double> loss;      // mean training loss of the last block; may be non-finite
  std::optional<double> accuracy;  // share of the evaluation set, 0 … 1
  std::int64_t evaluated = 0;      // samples that accuracy was counted on
  int blocks = 0, disturbed_blocks = 0;
  std::vector<NaiveReading> naive;
  std::vector<Message> notices;  // what was asked for and not had, and why
  std::vector<Message> failure;  // when status is failed
};

// One variant of a race against a, pair by pair of blocks.
struct Comparison {
  std::string variant = "b";
  RunSummary summary{};             // the variant's
  std::optional<Interval> ratio{};  // samples/s, the variant over a, over pairs of blocks
  std::string verdict{};            // faster, slower, no-difference, machine-busy
  bool same_quality = false;        // accuracies within each other's 95 % interval (or the losses, when not evaluated)
  int pairs = 0, discarded_pairs = 0;
};

// Two to four variants measured by interleaved blocks in one sitting. What compares b with a stands on the race itself, c and
// d in `others`: so a race of two reads as it always did.
struct RaceSummary {
  RunSummary a, b;
  std::optional<Interval> ratio;
  std::string verdict;
  bool same_quality = false;
  int pairs = 0, discarded_pairs = 0;
  std::vector<Comparison> others{};
  int planned_pairs = 0;
  bool stopped_early = false;  // every comparison was decided before the planned pairs were measured

  std::vector<const RunSummary*> runs() const;  // a, b, then the others'
  std::vector<Comparison> comparisons() const;  // b's, then the others
  // Takes b's to the race's own members, any other to `others`.
  void add(Comparison comparison);
};

nlohmann::json toJson(const Interval& interval);
nlohmann::json toJson(const MemoryBytes& memory);
nlohmann::json toJson(const StageTimes& stages);
nlohmann::json toJson(const std::vector<Message>& messages);
nlohmann::json toJson(const RunSummary& summary);
nlohmann::json toJson(const Comparison& comparison);
nlohmann::json toJson(const RaceSummary& race);

// Lenient: absent or mistyped members keep their defaults, so that an old record can still be read.
std::optional<Interval> intervalFromJson(const nlohmann::json& json);
MemoryBytes memoryFromJson(const nlohmann::json& json);
StageTimes stagesFromJson(const nlohmann::json& json);
std::vector<Message> messagesFromJson(const nlohmann::json& json);
RunSummary runSummaryFromJson(const nlohmann::json& json);
Comparison comparisonFromJson(const nlohmann::json& json);
RaceSummary raceSummaryFromJson(const nlohmann::json& json);

}  // namespace atelier::wire
