#include "autotune.h"

#include <algorithm>

#include <c10/util/Exception.h>

#include "core/engine/data/data_error.h"
#include "session.h"

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;
using Results = std::vector<TunedSetting>;

wire::RunSpec specOf(const wire::RunSpec& spec, const LoaderSetting& setting, const TuningRace& race) {
  // A first race is an eighth as long as the last, and no shorter than four blocks of a few steps.
  constexpr std::int64_t kShortBlocks = 4, kFewestSteps = 12, kFirstShare = 8;
  auto one = spec;
  one.set("workers", setting.workers);
  one.set("prefetch", setting.prefetch);
  one.set("batch", setting.batch);
  one.set("evaluate", false);
  one.set("naive", false);
  one.set("profile", std::string("off"));
  one.set("epochs", std::int64_t{0});
  one.set("stop_when_decided", race.last);
  one.set("warmup", std::min<std::int64_t>(spec.integer("warmup"), 10));
  if (race.last) return one;
  const auto steps = (spec.integer("steps") << std::min(race.round, 20)) / kFirstShare;
  one.set("steps", std::min(spec.integer("steps"), std::max(kFewestSteps, steps)));
  one.set("blocks", std::min(spec.integer("blocks"), kShortBlocks));
  return one;
}

// What a session can't go on with, as the worker's runs say it.
template <class F>
wire::Status guarded(F function) {
  try {
    return function();
  } catch (const DataError& problem) {
    return problem.error();
  } catch (const c10::OutOfMemoryError& problem) {
    return Error{ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", problem.what_without_backtrace()}}}};
  } catch (const c10::Error& problem) {
    return Error{ExitCode::Failed, {"run.exception", {{"detail", problem.what_without_backtrace()}}}};
  }
}

Results resultsOf(const Session& session, const TuningRace& race) {
  Results results;
  const auto comparisons = session.race(session.summaries("interrupted")).comparisons();
  for (std::size_t i = 0; i < race.settings.size() && i < comparisons.size(); ++i) {
    const auto& one = comparisons[i];
    TunedSetting result;
    result.setting = race.settings[i];
    result.ratio = one.ratio;
    result.verdict = one.verdict;
    if (one.summary.samples_per_second) result.samples_per_second = one.summary.samples_per_second->median;
    results.push_back(std::move(result));
  }
  return results;
}

// The state of a search: which candidates are left, and what is known of each.
class Search {
 public:
  Search(const LoaderSetting& start, const std::vector<LoaderSetting>& grid, const RunTuningRace& run, const Control& control)
      : m_run(run), m_control(control) {
    m_tuning.start = start;
    for (const auto& setting : grid) {
      m_alive.push_back(m_tuning.tried.size());
      m_tuning.tried.emplace_back().setting = setting;
    }
  }

  wire::Result<Tuning> go() {
    for (int round = 0; m_alive.size() > kSettingsOfARace && !m_control.stopped(); ++round) {
      measure(round, false);
      keepBetterHalf();
    }
    if (!m_control.stopped() && !m_alive.empty()) measure(0, true);
    if (m_alive.empty() && m_failure) return *m_failure;
    m_tuning.interrupted = m_control.stopped();
    if (!m_tuning.interrupted) choose();
    return m_tuning;
  }

 private:
  TunedSetting& at(std::size_t index) { return m_tuning.tried[index]; }

  void measure(int round, bool last) {
    const auto all = m_alive;
    for (std::size_t i = 0; i < all.size() && !m_control.stopped(); i += kSettingsOfARace) {
      const auto end = std::min(all.size(), i + kSettingsOfARace);
      race({all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(end)}, round, last);
    }
    std::erase_if(m_alive, [&](std::size_t index) { return !at(index).failure.empty(); });
  }

  void race(const std::vector<std::size_t>& indices, int round, bool last) {
    TuningRace race{{}, round, last};
    for (const auto index : indices) race.settings.push_back(at(index).setting);
    auto results = m_run(race);
    if (!results.ok() && indices.size() > 1) {
      for (const auto index : indices)
        if (!m_control.stopped()) this->race({index}, round, last);
      return;
    }
    if (!results.ok()) {
      at(indices.front()).failure = results.error().messages;
      if (!m_failure) m_failure = results.error();
      return;
    }
    for (std::size_t i = 0; i < indices.size() && i < results->size(); ++i) {
      const auto races = at(indices[i]).races + 1;
      at(indices[i]) = (*results)[i];
      at(indices[i]).races = races;
    }
  }

  double worth(std::size_t index) const {
    const auto& ratio = m_tuning.tried[index].ratio;
    return ratio ? ratio->median : 0;
  }

  void keepBetterHalf() {
    std::stable_sort(m_alive.begin(), m_alive.end(), [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });
    m_alive.resize((m_alive.size() + 1) / 2);
  }

  void choose() {
    for (const auto index : m_alive)
      if (at(index).ratio && (!m_tuning.best || worth(index) > worth(*m_tuning.best))) m_tuning.best = index;
    m_tuning.better = m_tuning.best && at(*m_tuning.best).verdict == "faster";
  }

  const RunTuningRace& m_run;
  const Control& m_control;
  Tuning m_tuning;
  std::vector<std::size_t> m_alive;  // of m_tuning.tried
  std::optional<Error> m_failure;    // the first
};

}  // namespace

LoaderSetting loaderSetting(const wire::RunSpec& spec) {
  return {spec.integer("workers"), spec.integer("prefetch"), spec.integer("batch")};
}

std::vector<LoaderSetting> tuningGrid(const LoaderSetting& start, int cores, bool batches) {
  std::vector<std::int64_t> workers{0}, sizes{start.batch};
  for (std::int64_t some = 1; some < cores; some *= 2) workers.push_back(some);
  workers.push_back(std::max(1, cores));
  if (batches) sizes.insert(sizes.end(), {std::max<std::int64_t>(1, start.batch / 2), 2 * start.batch, 4 * start.batch});
  std::vector<LoaderSetting> grid;
  for (const auto batch : sizes)
    for (const auto some : workers)
      for (const std::int64_t prefetch : {2, 4}) {
        const LoaderSetting setting{some, some == 0 ? start.prefetch : prefetch, batch};
        if (!(setting == start) && std::find(grid.begin(), grid.end(), setting) == grid.end()) grid.push_back(setting);
      }
  return grid;
}

wire::Result<Tuning> tune(const LoaderSetting& start, const std::vector<LoaderSetting>& grid, const RunTuningRace& run,
                          const Control& control) {
  return Search(start, grid, run, control).go();
}

RunTuningRace tuningRaces(const wire::RunSpec& spec, TensorMemory& memory, Control& control,
                          std::function<void(const std::string& phase)> phase) {
  return [spec, &memory, &control, phase = std::move(phase)](const TuningRace& race) -> wire::Result<Results> {
    memory.trim();  // one race's kept blocks must not serve the next
    std::vector<Variant> variants{{"", "a", specOf(spec, loaderSetting(spec), race)}};
    for (std::size_t i = 0; i < race.settings.size(); ++i)
      variants.push_back({"", std::string(1, static_cast<char>('b' + i)), specOf(spec, race.settings[i], race)});
    Session session(std::move(variants), memory, control, [&phase](const std::string&, const wire::EventBody& body) {
      if (const auto* changed = std::get_if<wire::PhaseChanged>(&body); changed && phase) phase(changed->phase);
    });
    if (auto done = guarded([&] { return session.run(); }); !done.ok()) return done.error();
    return resultsOf(session, race);
  };
}

}  // namespace atelier::engine
