// Runner: one variant of a session while it runs: its trainer and all that was measured of it. Private to the session's sources.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "checkpoint_index.h"
#include "good_state.h"
#include "measure.h"
#include "session.h"

namespace atelier::engine {

// One variant while it runs.
struct Session::Runner {
  Runner(const Variant& v, Plan plan, TensorMemory& memory, Say say)
      : variant(v), trainer(std::move(plan), memory, std::move(say)) {}

  const Variant& variant;
  Trainer trainer;
  Measurement measurement;
  std::optional<Evaluation> evaluation;
  std::vector<wire::NaiveReading> naive;
  std::optional<double> first_step, startup;
  double cold_rate = 0;  // naive: the first steps, without what came before them
  bool finite = true, done = false;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now(), last_progress = begin;
  std::int64_t optimizer_steps_before = 0, skipped_before = 0;  // at the first measured block
  std::int64_t samples_since = 0, steps_since = 0;
  double seconds_since = 0;
  std::atomic<bool> measuring{false};
  double others_sum = 0;  // of the monitor's samples while blocks are measured; its thread alone adds
  std::int64_t others_count = 0;
  std::optional<wire::Health> first_bad;
  // What the steps are done for. A state is kept in files after those of the plan only: after others a run can't go on as if it
  // had never been interrupted.
  enum class Stage { Other, Warmup, Measuring } stage = Stage::Other;
  RunPosition position;
  std::int64_t since_kept = 0;  // steps of the plan since a checkpoint was written
  bool exact = true;            // the last step was one of the plan
  bool resumed = false;         // it goes on from a checkpoint …
  bool cold = false;            // … and its first block begins without a warm-up
  bool keeping_failed = false;
  std::optional<GoodState> good;
  std::int64_t judged = 0;  // optimizer steps that were judged
};

}  // namespace atelier::engine
