// LabSession: the steps that apply the plan of a profiled step: what they race, what they carry on, and when there is
// nothing to race.
#include <algorithm>

#include "check_support.h"
#include "core/wire/json_read.h"
#include "plan_text.h"
#include "session.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

// Several fixes as one. REQUIRES: not empty.
Fix together(const std::vector<Fix>& fixes) {
  Fix all;
  for (const auto& fix : fixes) {
    all.set.update(fix.set);
    all.predicted *= fix.predicted;
  }
  return all;
}

}  // namespace

// The step's experiment when it applies a plan, else null.
const Experiment* LabSession::planned(const std::string& step) const {
  const auto* found = m_lab.find(step);
  return found && found->experiment && found->experiment->appliesPlan() ? &*found->experiment : nullptr;
}

// nullopt: not profiled yet.
std::optional<std::vector<Fix>> LabSession::planOfStep(const std::string& profiled) const {
  const auto& outcome = progress(profiled).outcome;
  if (!outcome || hasFailed(outcome->result) || !wire::memberAt(outcome->result, "plan").is_array()) return std::nullopt;
  return planOf(outcome->result);
}

// Of the same plan, by earlier steps.
std::vector<Fix> LabSession::winnersBefore(const std::string& step) const {
  std::vector<Fix> winners;
  const auto* experiment = planned(step);
  for (const auto& earlier : m_lab.steps) {
    if (!experiment || earlier.id == step) break;
    const auto* other = planned(earlier.id);
    if (!other || other->plan != experiment->plan || other->b_from_plan == 0) continue;
    if (const auto applied = appliedFix(earlier.id); applied.won() && applied.fix) winners.push_back(*applied.fix);
  }
  return winners;
}

// What the step would race; nullopt when there is nothing yet, or nothing at all.
std::optional<Fix> LabSession::proposal(const std::string& step) const {
  const auto* experiment = planned(step);
  const auto plan = experiment ? planOfStep(experiment->plan) : std::nullopt;
  if (!plan) return std::nullopt;
  if (experiment->b_from_plan > 0) {
    const auto index = static_cast<std::size_t>(experiment->b_from_plan) - 1;
    return index < plan->size() ? std::optional((*plan)[index]) : std::nullopt;
  }
  const auto winners = winnersBefore(step);
  return winners.empty() ? std::nullopt : std::optional(together(winners));
}

Request LabSession::request(const std::string& step) const {
  if (climbing(step)) return ladderRequest(step);
  const auto& experiment = *m_lab.find(step)->experiment;
  Request request{experiment.verb, experiment.spec, experiment.b};
  const auto* profiled = planned(step) ? m_lab.find(experiment.plan) : nullptr;
  // A profiled step applies no plan itself.
  if (profiled && profiled->experiment && !profiled->experiment->appliesPlan()) {
    request.spec = withoutProfiling(this->request(profiled->id).spec);
    request.spec.update(experiment.spec);
    if (experiment.b_from_plan > 0)
      for (const auto& fix : winnersBefore(step)) request.spec.update(fix.set);
    if (const auto fix = proposal(step)) request.b = fix->set;
  }
  request.spec.update(progress(step).knobs);
  request.b.update(progress(step).knobs_b);
  return request;
}

std::optional<wire::Message> LabSession::obstacle(const std::string& step) const {
  if (climbing(step)) return ladderObstacle(step);
  const auto* experiment = planned(step);
  if (!experiment) return std::nullopt;
  const auto* profiled = m_lab.find(experiment->plan);
  const auto plan = planOfStep(experiment->plan);
  if (!plan) return wire::Message{"lab.plan_not_profiled", {{"title", profiled ? profiled->title : experiment->plan}}};
  if (plan->empty()) return wire::Message{"lab.plan_empty"};
  if (proposal(step)) return std::nullopt;
  if (experiment->b_from_plan > 0)
    return wire::Message{"lab.plan_too_short",
                         {{"count", std::to_string(plan->size())}, {"at", std::to_string(experiment->b_from_plan)}}};
  return wire::Message{applicable(step) ? "lab.plan_not_raced" : "lab.plan_nothing_won"};
}

bool LabSession::applicable(const std::string& step) const {
  if (climbing(step)) return ladderApplicable(step);
  const auto* experiment = planned(step);
  const auto plan = experiment ? planOfStep(experiment->plan) : std::nullopt;
  if (!plan) return true;
  if (experiment->b_from_plan > 0) return static_cast<std::size_t>(experiment->b_from_plan) <= plan->size();
  // Until all that could win has been raced, and lost.
  return !plan->empty() && std::any_of(m_lab.steps.begin(), m_lab.steps.end(), [&](const Step& other) {
    const auto* single = planned(other.id);
    if (!single || single->plan != experiment->plan || single->b_from_plan == 0) return false;
    const auto applied = appliedFix(other.id);
    return applied.won() || (applied.applicable && !applied.raced());
  });
}

AppliedFix LabSession::appliedFix(const std::string& step) const {
  AppliedFix applied;
  applied.step = step;
  const auto* experiment = planned(step);
  if (!experiment) return applied;
  applied.number = experiment->b_from_plan;
  const auto& outcome = progress(step).outcome;
  if (outcome && outcome->applied && !hasFailed(outcome->result)) {
    applied.fix = outcome->applied;
    applied.measured = figureAt(outcome->result, "ratio");
    applied.verdict = wire::textAt(outcome->result, "verdict");
    applied.kept_quality = keptQuality(wire::raceSummaryFromJson(outcome->result));
    return applied;
  }
  applied.fix = proposal(step);
  applied.why_not = obstacle(step);
  applied.applicable = applicable(step);
  return applied;
}

std::vector<AppliedFix> LabSession::fixes(const std::string& profiled) const {
  std::vector<AppliedFix> all;
  for (const auto& step : m_lab.steps)
    if (const auto* experiment = planned(step.id); experiment && experiment->plan == profiled)
      all.push_back(appliedFix(step.id));
  return all;
}

void LabSession::record(const std::string& step, Outcome outcome) {
  auto* made = at(step);
  if (!made) return;
  if (climbing(step)) return recordOnLadder(step, std::move(outcome));
  const auto carried = [&] {
    const auto applied = appliedFix(step);
    return applied.won() && applied.fix ? applied.fix->set : json();
  };
  const auto* experiment = planned(step);
  const auto before = experiment ? carried() : json();
  if (experiment && !outcome.applied) outcome.applied = proposal(step);
  made->outcome = std::move(outcome);
  forgetPlanSteps(step, {});
  forgetLadder(step, {});
  if (experiment && experiment->b_from_plan > 0 && carried() != before) forgetPlanSteps(experiment->plan, step);
}

// Of the steps that apply this plan those behind `after`; "": all.
void LabSession::forgetPlanSteps(const std::string& profiled, const std::string& after) {
  bool behind = after.empty();
  for (const auto& step : m_lab.steps) {
    const auto* experiment = planned(step.id);
    if (behind && experiment && experiment->plan == profiled)
      if (const auto found = m_progress.find(step.id); found != m_progress.end()) found->second.outcome.reset();
    behind = behind || step.id == after;
  }
}

std::string LabSession::planTable(const std::string& profiled, const std::string& language) const {
  const auto catalog = wire::Catalog::builtIn(language);
  const auto* found = m_lab.find(profiled);
  if (!planOfStep(profiled))
    return "*" + catalog.text(wire::Message{"lab.plan_not_profiled", {{"title", found ? found->title : profiled}}}) + "*";
  return planMarkdown(fixes(profiled), catalog);
}

}  // namespace atelier::lab
