// Autotune: which loader settings make a run fastest here, found by racing them against the settings that were asked for, by
// interleaved blocks (session.h). Successive halving (Jamieson and Talwalkar 2016): all candidates are measured shortly, the
// better half again for twice as long, until three are left; a last race of those has the length that was asked for and gives
// the verdict. Races of four: the start is in every one of them.
// Thread: the session's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/wire/result.h"
#include "core/wire/run_spec.h"
#include "core/wire/summary.h"

namespace atelier::engine {

struct LoaderSetting {
  std::int64_t workers = 0, prefetch = 2, batch = 128;
  bool operator==(const LoaderSetting&) const = default;
};

// One candidate, as it was last measured.
struct TunedSetting {
  LoaderSetting setting{};
  int races = 0;                                // that it was in
  std::optional<double> samples_per_second{};   // median
  std::optional<wire::Interval> ratio{};        // over the start's, in the same race
  std::string verdict{};                        // of that race
  std::vector<wire::Message> failure{};         // why it can't be had
};

struct Tuning {
  LoaderSetting start{};
  std::vector<TunedSetting> tried{};  // in the grid's order
  std::optional<std::size_t> best{};  // of `tried`: the fastest of the last race; none when nothing could be measured
  bool better = false;                // and its verdict is "faster"
  bool interrupted = false;
};

// One race: at most kSettingsOfARace candidates against the start. `round`: counted from 0; `last`: for the verdict.
inline constexpr std::size_t kSettingsOfARace = 3;
struct TuningRace {
  std::vector<LoaderSetting> settings{};
  int round = 0;
  bool last = false;
};
// One result a setting, in their order; fewer when it was stopped. Fails where nothing at all could be run.
using RunTuningRace = std::function<wire::Result<std::vector<TunedSetting>>(const TuningRace& race)>;

// What to try: workers 0, 1, 2, 4 … `cores`, each with a prefetch of 2 and 4, and with `batches` half, twice and four times the
// batch too; without the start itself.
std::vector<LoaderSetting> tuningGrid(const LoaderSetting& start, int cores, bool batches);

LoaderSetting loaderSetting(const wire::RunSpec& spec);

// A race in which some setting can't be run is run again one by one, so that it alone is left out. Fails where no setting can
// be run, with the first reason.
wire::Result<Tuning> tune(const LoaderSetting& start, const std::vector<LoaderSetting>& grid, const RunTuningRace& run,
                          const Control& control);

// Races on this machine: specs like `spec`, without evaluation. `phase` is told what goes on, from any thread.
RunTuningRace tuningRaces(const wire::RunSpec& spec, TensorMemory& memory, Control& control,
                          std::function<void(const std::string& phase)> phase);

}  // namespace atelier::engine
