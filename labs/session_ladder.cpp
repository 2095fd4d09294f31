// LabSession: the steps of a ladder: what they measure, what they carry on, and when there is nothing to measure.
#include <algorithm>

#include "check_support.h"
#include "ladder_text.h"
#include "session.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

bool isRung(const Experiment& experiment) {
  return experiment.verb == "race" && !experiment.b.empty();
}

bool isWhole(const Experiment& experiment) {
  return experiment.verb == "race" && experiment.b.empty();
}

}  // namespace

// The step's experiment when it stands on a ladder, above its foot; else null.
const Experiment* LabSession::climbing(const std::string& step) const {
  const auto* found = m_lab.find(step);
  return found && found->experiment && found->experiment->climbs() ? &*found->experiment : nullptr;
}

// What the rungs below the step, in the lab's order, have kept.
json LabSession::keptBelow(const std::string& step) const {
  auto kept = json::object();
  const auto* experiment = climbing(step);
  for (const auto& rung : rungsBelow(experiment ? experiment->ladder : std::string(), step))
    if (rung.kept()) kept.update(rung.set);
  return kept;
}

// The rungs of the ladder with this foot, up to this step (without it); "": all.
std::vector<Rung> LabSession::rungsBelow(const std::string& foot, const std::string& end) const {
  std::vector<Rung> rungs;
  wire::Interval factor{1, 1, 1, 0};
  for (const auto& step : m_lab.steps) {
    if (step.id == end) break;
    const auto* experiment = climbing(step.id);
    if (!experiment || experiment->ladder != foot || !isRung(*experiment)) continue;
    auto rung = rungAt(step, *experiment);
    if (rung.kept()) factor = product(factor, *rung.gain);
    if (rung.raced()) rung.factor = factor;
    rungs.push_back(std::move(rung));
  }
  return rungs;
}

Rung LabSession::rungAt(const Step& step, const Experiment& experiment) const {
  Rung rung{step.id, step.title, experiment.b};
  const auto& made = progress(step.id);
  rung.set.update(made.knobs_b);
  if (!made.outcome || !made.outcome->applied || hasFailed(made.outcome->result)) return rung;
  const auto race = wire::raceSummaryFromJson(made.outcome->result);
  rung.set = made.outcome->applied->set;
  rung.verdict = race.verdict;
  rung.kept_quality = keptQuality(race);
  if (race.ratio && race.ratio->median > 0) rung.gain = race.ratio;
  rung.with = ladderFigures(race.b);
  return rung;
}

Ladder LabSession::ladder(const std::string& foot) const {
  Ladder ladder;
  const auto* at = m_lab.find(foot);
  if (!at || !at->experiment) return ladder;
  ladder.step = foot;
  ladder.title = at->title;
  ladder.epoch_samples = at->experiment->epoch_samples;
  if (const auto& outcome = progress(foot).outcome; outcome && !hasFailed(outcome->result))
    ladder.foot = ladderFigures(wire::runSummaryFromJson(outcome->result));
  ladder.rungs = rungsBelow(foot, {});
  for (const auto& step : m_lab.steps) {
    const auto* experiment = climbing(step.id);
    const auto& outcome = progress(step.id).outcome;
    if (!experiment || experiment->ladder != foot || !isWhole(*experiment) || !outcome || hasFailed(outcome->result)) continue;
    const auto race = wire::raceSummaryFromJson(outcome->result);
    ladder.whole = race.ratio;
    ladder.whole_verdict = race.verdict;
    ladder.whole_quality = keptQuality(race);
    ladder.foot_evaluated = ladderFigures(race.a);
    ladder.top = ladderFigures(race.b);
  }
  return ladder;
}

// REQUIRES: the step climbs.
Request LabSession::ladderRequest(const std::string& step) const {
  const auto& experiment = *climbing(step);
  Request request{experiment.verb, json::object(), experiment.b};
  const auto* foot = m_lab.find(experiment.ladder);
  // A foot stands on no ladder itself.
  if (foot && foot->experiment && !foot->experiment->climbs() && !foot->experiment->appliesPlan())
    request.spec = withoutProfiling(this->request(foot->id).spec);
  request.spec.update(experiment.spec);
  const auto kept = keptBelow(step);
  if (isWhole(experiment)) request.b = kept;
  else request.spec.update(kept);
  request.spec.update(progress(step).knobs);
  request.b.update(progress(step).knobs_b);
  return request;
}

std::optional<wire::Message> LabSession::ladderObstacle(const std::string& step) const {
  const auto& experiment = *climbing(step);
  const auto* foot = m_lab.find(experiment.ladder);
  const auto& measured = progress(experiment.ladder).outcome;
  if (!measured || hasFailed(measured->result))
    return wire::Message{"ladder.no_foot", {{"title", foot ? foot->title : experiment.ladder}}};
  if (!isWhole(experiment) || !keptBelow(step).empty()) return std::nullopt;
  return wire::Message{applicable(step) ? "ladder.not_climbed" : "ladder.nothing_kept"};
}

// Until every rung has been raced, and none was kept.
bool LabSession::ladderApplicable(const std::string& step) const {
  const auto& experiment = *climbing(step);
  if (!isWhole(experiment)) return true;
  const auto rungs = rungsBelow(experiment.ladder, step);
  const auto open = [](const Rung& rung) { return rung.kept() || !rung.raced(); };
  return rungs.empty() || std::any_of(rungs.begin(), rungs.end(), open);
}

// Of the steps on this ladder those behind `after`; "": all.
void LabSession::forgetLadder(const std::string& foot, const std::string& after) {
  bool behind = after.empty();
  for (const auto& step : m_lab.steps) {
    const auto* experiment = climbing(step.id);
    if (behind && experiment && experiment->ladder == foot)
      if (const auto found = m_progress.find(step.id); found != m_progress.end()) found->second.outcome.reset();
    behind = behind || step.id == after;
  }
}

// REQUIRES: the step climbs.
void LabSession::recordOnLadder(const std::string& step, Outcome outcome) {
  const auto& experiment = *climbing(step);
  const auto carried = [&] {
    const auto rung = isRung(experiment) ? rungAt(*m_lab.find(step), experiment) : Rung{};
    return rung.kept() ? rung.set : json();
  };
  const auto before = carried();
  if (outcome.verb == "race" && !outcome.applied)
    if (const auto b = ladderRequest(step).b; !b.empty()) outcome.applied = Fix{{}, b, 1};
  at(step)->outcome = std::move(outcome);
  if (carried() != before) forgetLadder(experiment.ladder, step);
}

std::string LabSession::ladderTable(const std::string& foot, const std::string& language) const {
  return ladderMarkdown(ladder(foot), wire::Catalog::builtIn(language));
}

}  // namespace atelier::lab
