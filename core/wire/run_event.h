// RunEvent: all that a run says while it goes, one JSON object a line. {"v":1,"kind":…,"rank":…,"t":…} and the kind's
// members. `t` is monotonic nanoseconds since the run's start; `variant` is "a" to "d" in a race, the point's number in a
// sweep ("1", "2", …; there each point's events start at zero again), and absent otherwise.
// A kind that this program does not know is kept whole (UnknownEvent) and written back unchanged. Any thread; values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "health.h"
#include "result.h"
#include "summary.h"
#include "sweep.h"

namespace atelier::wire {

inline constexpr int kEventVersion = 1;

struct RunStarted {  // "started": before the first step; one a variant
  std::string run_id;
  nlohmann::json spec, environment;
  std::int64_t planned_steps = 0, warmup_steps = 0, blocks = 0;
  std::vector<Message> notices;
};
struct PhaseChanged {  // "phase": loading, naive, warmup, measuring, evaluating, paused, resumed
  std::string phase;
};
struct Progress {                            // "progress": at most 20 times a second; figures since the previous one
  std::int64_t step = 0, planned_steps = 0;  // steps done, warm-up included
  bool measured = false;                     // false in warm-up
  double samples_per_second = 0;
  std::optional<double> loss;
  double learning_rate = 0;
  std::optional<double> queue{};    // batches that stand ready; nullopt: nobody makes any ahead
  std::optional<double> waiting{};  // share of the steps' time in which they waited for data
};
struct MemorySampled {            // "memory"
  MemoryBytes live, peak;         // live: at the highest total since the previous sample; peak: of the whole run
  std::int64_t budget_bytes = 0;  // 0: none
};
struct SystemSampled {         // "system": 10 times a second or more
  double cpu_percent = 0;      // of the process tree; 100 = all cores of the machine
  double others_percent = 0;   // all other processes
  double steal_percent = 0;    // taken by the hypervisor
  std::int64_t rss_bytes = 0;  // of the process tree
};
struct BlockDone {  // "block": a measured block
  std::int64_t block = 0, steps = 0, samples = 0;
  double seconds = 0, samples_per_second = 0;
  StageTimes stages;
  std::optional<double> loss;
  bool disturbed = false;
  std::string reason;  // when disturbed: busy.steal, busy.others, busy.waiting, busy.clock, busy.paused, busy.resumed
};
struct EpochDone {  // "epoch": after an evaluation
  std::int64_t epoch = 0, step = 0, samples = 0;
  std::optional<double> train_loss, loss;
  double accuracy = 0;
};
struct RaceUpdated {  // "race": after each pair of blocks, one a variant that is compared with a; said for the whole race
  Interval ratio;
  std::string verdict;
  int pairs = 0, discarded_pairs = 0, planned_pairs = 0;
  std::string variant = "b";  // that the ratio is of ("of" on the wire); records of old races, of two, don't say it
  bool decided = false;       // sure enough to stop on, see engine's statistics.h
};
struct HealthSampled {  // "health": what flowed through the model at a step that was looked at
  Health health{};
};
struct GradientsSampled {  // "gradients": how large they are and what they move, at an optimizer step that was looked at
  Gradients gradients{};
};
struct Profiled {                  // "profile": a profile was made; its files lie in the run's folder
  std::int64_t steps = 0;          // active ones
  std::int64_t wall_ns = 0;        // of those
  std::int64_t events = 0, cut = 0;
};
struct ScaleChanged {  // "scale": an optimizer step was left out because of gradients that are not finite, or a loss scale grew
  std::int64_t step = 0;  // micro-batches done before the one that ended the window
  double was = 0, is = 0;
  std::string reason;  // overflow: a window's gradients were not finite, its step was left out; growth
};
struct CheckpointWritten {  // "checkpoint": the run's state went to a file; its time is no part of a block's
  std::int64_t step = 0;     // steps done, warm-up included
  std::string file;          // its name in the run's folder
  std::int64_t bytes = 0;
  double milliseconds = 0;
};
struct RolledBack {  // "rolled_back": a step did harm; the run goes on from an earlier state, with the batches that follow
  std::int64_t step = 0, to = 0;  // steps done: when the harm was seen, in the state that was gone back to
  std::string reason;             // catalog id: rollback.loss, rollback.gradient, rollback.spike
};
struct Noticed {  // "notice": something the reader should know; severity info or warning
  Message message;
  std::string severity = "info";
};
struct RunFinished {  // "finished": one a variant, the last event of a run that ended or was interrupted
  RunSummary summary;
};
struct RaceFinished {  // "race_finished"
  RaceSummary race;
};
struct SweepStarted {  // "sweep_started": before the first point
  std::string id;
  std::vector<SweepAxis> axes{};
  int points = 0;
};
struct SweepFinished {  // "sweep_finished": the last event of a sweep, whatever became of its points
  SweepSummary sweep{};
};
struct RunFailed {  // "failed": the last event of a run that failed; in a sweep the next point follows
  ExitCode code = ExitCode::Failed;
  std::vector<Message> messages;
};
struct Answered {  // "answer": of a verb that prints one object when it is done, such as max-batch, what that is
  std::string verb;
  nlohmann::json answer;
};
struct UnknownEvent {
  std::string kind;
  nlohmann::json raw;
};

using EventBody =
    std::variant<RunStarted, PhaseChanged, Progress, MemorySampled, SystemSampled, BlockDone, EpochDone, RaceUpdated, Noticed,
                 RunFinished, RaceFinished, RunFailed, SweepStarted, SweepFinished, HealthSampled, Profiled, GradientsSampled,
                 ScaleChanged, CheckpointWritten, RolledBack, Answered, UnknownEvent>;

struct RunEvent {
  int rank = 0;
  std::int64_t t = 0;  // nanoseconds
  std::string variant;
  EventBody body;
};

// One line without its newline. Never throws: text that is not UTF-8 is replaced.
std::string encodeEvent(const RunEvent& event);

// Fails with event.malformed (not JSON, not an object, no kind) or event.version (newer major version).
Result<RunEvent> decodeEvent(std::string_view line);

}  // namespace atelier::wire
