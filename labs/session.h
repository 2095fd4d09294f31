// LabSession: a learner inside a lab: where they are, what they predicted, measured, answered and were shown. It decides
// nothing about processes: the caller asks for request(), runs it by whatever engine it has, and hands the Outcome back.
// Not thread-safe; owned by one thread. save()/load() keep it in $ATELIER_HOME/course/<lab>.json, written whole and renamed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "check.h"
#include "lab.h"
#include "ladder.h"

namespace atelier::lab {

// What to hand to the engine: the verb, variant a's keys, and for a race the keys of b that differ.
struct Request {
  std::string verb;
  nlohmann::json spec, b;
};

struct StepProgress {
  std::optional<double> prediction;                   // of a choice its index among the prediction's choices
  nlohmann::json knobs = nlohmann::json::object();    // RunSpec key → value, both variants
  nlohmann::json knobs_b = nlohmann::json::object();  // variant b only
  std::optional<Outcome> outcome;
  int hints_shown = 0;
  bool solution_shown = false;
  std::map<std::string, int> quiz;  // question id → chosen index
};

class LabSession {
 public:
  explicit LabSession(Lab lab);

  const Lab& lab() const { return m_lab; }
  int index() const { return m_index; }
  const Step& step() const { return m_lab.steps[static_cast<std::size_t>(m_index)]; }
  bool goTo(int index);  // false when out of range
  // The same lab in another language, keeping all progress. REQUIRES: same id and step ids.
  void translate(Lab lab);

  const StepProgress& progress(const std::string& step) const;
  // Ignored once the figure that it would be judged against has been measured: a prediction comes before the experiment.
  void predict(const std::string& step, std::optional<double> value);
  bool mayPredict(const std::string& step) const;
  // Null takes the knob back to its preset. Ignored for a key that the step does not offer to that variant.
  void setKnob(const std::string& step, const std::string& key, nlohmann::json value, bool variantB);
  std::optional<std::string> nextHint(const std::string& step);  // reveals one more
  void showSolution(const std::string& step);                    // also sets the step's knobs to it; its checks are marked so
  void answer(const std::string& step, const std::string& question, int choice);
  // A profile measured anew has a new plan, a ladder's foot measured anew is another ladder, and a race that changes what is
  // carried on another baseline: the outcomes of the steps that build on it are forgotten with the old one.
  void record(const std::string& step, Outcome outcome);
  void reset();  // forgets all progress of this lab

  // REQUIRES: the step has an experiment. Of one with an obstacle what is known of it, without the fix in b.
  Request request(const std::string& step) const;
  // Why the step's experiment can't be run: it applies a plan that is not made yet (lab.plan_not_profiled), that is too short
  // on this machine (lab.plan_too_short, lab.plan_empty), of which nothing has been raced yet or won (lab.plan_not_raced,
  // lab.plan_nothing_won); or it stands on a ladder whose foot is not measured (ladder.no_foot), or of which nothing has been
  // raced yet or kept (ladder.not_climbed, ladder.nothing_kept). nullopt: it can, or it has none.
  std::optional<wire::Message> obstacle(const std::string& step) const;
  // False for an experiment that this machine's plan has nothing for: the step is done without it.
  bool applicable(const std::string& step) const;
  // The steps that apply the plan of this one, in the lab's order.
  std::vector<AppliedFix> fixes(const std::string& profiled) const;
  // The ladder that this step is the foot of, as far as it has been climbed; empty() when it is none's.
  Ladder ladder(const std::string& foot) const;
  // What the learner chose, and the names that were measured, first the first; "" and none where there is no choice.
  std::string chosen(const std::string& step) const;
  std::vector<std::string> measuredNames(const std::string& step) const;
  // The step's body with {prediction.STEP} and {measured.STEP} put in as the language writes figures, {plan.STEP} as a table
  // of that step's plan with what was raced of it, and {ladder.STEP} as a table of the ladder on that step.
  std::string body(const Step& step, const std::string& language) const;
  std::vector<CheckResult> checks(const std::string& step) const;
  std::vector<CheckResult> allChecks() const;
  // Prediction steps with what was measured: nullopt where not predicted or not run.
  struct Comparison {
    std::string step, quantity, unit;
    std::optional<double> predicted;
    std::optional<wire::Interval> measured;
    std::string chosen{}, found{};  // of a choice (unit "name"), instead of figures; "" not chosen, not measured
  };
  std::vector<Comparison> predictions() const;
  // Nothing left to do in it: experiment run (else a prediction made, where one is asked), every question answered. Not
  // that its checks passed: what fails on this machine is a result too.
  bool done(const std::string& step) const;
  bool finished() const;  // every step done

  wire::Status save(const std::filesystem::path& home) const;
  // Restores progress saved for this lab; a missing file is no progress, a damaged one is set aside and reported.
  wire::Status load(const std::filesystem::path& home);
  // Headless answers: {"step-id": number or choice, …} as predictions, {"step-id": {"question": index}} as quiz answers.
  wire::Status takeAnswers(const nlohmann::json& answers);

 private:
  StepProgress* at(const std::string& step);  // null for a step that the lab has not
  void takePrediction(const Step& step, double value, std::vector<wire::Message>& mistakes);
  void takeChoice(const Step& step, const std::string& choice, std::vector<wire::Message>& mistakes);
  void takeChoices(const Step& step, const nlohmann::json& choices, std::vector<wire::Message>& mistakes);
  std::string figure(std::string_view kind, const std::string& step, const std::string& language) const;
  bool isMeasured(const Prediction& prediction) const;
  const Experiment* planned(const std::string& step) const;
  std::optional<std::vector<Fix>> planOfStep(const std::string& profiled) const;
  std::vector<Fix> winnersBefore(const std::string& step) const;
  std::optional<Fix> proposal(const std::string& step) const;
  AppliedFix appliedFix(const std::string& step) const;
  void forgetPlanSteps(const std::string& profiled, const std::string& after);
  std::string planTable(const std::string& profiled, const std::string& language) const;
  const Experiment* climbing(const std::string& step) const;
  nlohmann::json keptBelow(const std::string& step) const;
  std::vector<Rung> rungsBelow(const std::string& foot, const std::string& end) const;
  Rung rungAt(const Step& step, const Experiment& experiment) const;
  Request ladderRequest(const std::string& step) const;
  std::optional<wire::Message> ladderObstacle(const std::string& step) const;
  bool ladderApplicable(const std::string& step) const;
  void recordOnLadder(const std::string& step, Outcome outcome);
  void forgetLadder(const std::string& foot, const std::string& after);
  std::string ladderTable(const std::string& foot, const std::string& language) const;

  Lab m_lab;
  int m_index = 0;
  std::map<std::string, StepProgress> m_progress;
};

// checks.json: [{step, check, passed, state, measured, interval, wanted, solution_shown}]; `measured` is null when nothing was.
nlohmann::json toJson(const std::vector<CheckResult>& results);

}  // namespace atelier::lab
