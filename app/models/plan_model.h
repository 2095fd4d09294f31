// PlanModel: the plan of an opened profile as a ladder of changes: what each is predicted to bring, and, once it was raced
// against the best before it, what it was measured to bring. A change that was measured faster belongs to the best from then
// on. What was measured is kept in a file a run and read back when the run is opened again. It races nothing itself: whoever
// does begins, and settles with the result. GUI thread.
#pragma once

#include <QObject>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/trace/diagnosis.h"
#include "core/wire/result.h"
#include "core/wire/summary.h"

namespace atelier::app {

struct PlanRung {
  std::string rule;                           // that asks for it
  std::map<std::string, nlohmann::json> set;  // keys of the spec
  double predicted = 1;                       // times faster than the rung before it, by Amdahl's law
  double cumulative = 0;                      // than the profiled run; 0: it stands outside of the ladder
  nlohmann::json before{};                    // the spec that it raced against; null: it did not
  std::optional<wire::RaceSummary> race{};    // b is with the change
  bool kept = false;                          // part of the best
};

class PlanModel : public QObject {
  Q_OBJECT
 public:
  // `folder`: where plans are kept.
  explicit PlanModel(std::filesystem::path folder, QObject* parent = nullptr);

  // `run`: its id; "": nothing is kept. `spec`: of the run, empty when not known; `stepNs`: what a step of it takes, 0 not
  // known. What races goes on for the run that it was begun for, and is kept with its plan.
  void open(const std::string& run, const nlohmann::json& spec, const std::vector<trace::Finding>& findings, double stepNs);
  const std::string& run() const { return m_plan->run; }
  const std::vector<PlanRung>& rungs() const { return m_plan->rungs; }
  const nlohmann::json& base() const { return m_plan->base; }
  const nlohmann::json& best() const { return m_plan->best; }
  // Times faster than the profiled run by what was measured: the product of the medians of what belongs to the best; 1: none.
  double measured() const;
  double predicted() const;  // by the whole ladder
  bool anyMeasured() const;

  // The rung of a finding that can be applied; one that the plan left out gets a rung of its own. nullopt: nothing to set.
  std::optional<std::size_t> rungOf(const trace::Finding& finding);
  // It would change the best, and nothing races.
  bool canRace(std::size_t rung) const;
  // The best and the best with the change: on the same data, without the profiler, as long as a verdict needs.
  std::vector<nlohmann::json> specs(std::size_t rung) const;
  void begin(std::size_t rung);
  // The end of the race that was begun; nullopt: it brought no result.
  void settle(const std::optional<wire::RaceSummary>& race);
  std::optional<std::size_t> racing() const;  // of this plan; nullopt also while another one's rung races
  bool busy() const { return m_racing != nullptr; }

  // Why it brought so little; empty: it was not raced, or was faster.
  std::vector<wire::Message> whyNoGain(std::size_t rung) const;
  // Forgets what was measured.
  void reset();

  // Steps a variant, so that a race takes about a minute, and enough for its blocks.
  static std::int64_t raceSteps(double stepNs);

 Q_SIGNALS:
  void changed();
  void failed(const std::vector<atelier::wire::Message>& messages);  // it could not be kept

 private:
  struct Plan {
    std::string run{};
    nlohmann::json base = nlohmann::json::object(), best = nlohmann::json::object();
    std::vector<trace::Finding> findings{};
    std::vector<PlanRung> rungs{};
    double stepNs = 0;
  };
  std::filesystem::path fileOf(const Plan& plan) const;
  void read(Plan& plan) const;
  void write(const Plan& plan);

  std::filesystem::path m_folder;
  std::shared_ptr<Plan> m_plan, m_racing;  // m_racing: whose rung races; the same one, or one that was open before
  std::size_t m_racingRung = 0;
};

}  // namespace atelier::app
