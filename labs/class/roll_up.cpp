#include "roll_up.h"

#include <algorithm>
#include <cmath>

namespace atelier::lab {
namespace {

// More steps or checks than a lab has: made-up results must not make a table that nobody can wait for.
constexpr std::size_t kMostRows = 300;

// The entry of the list that the predicate finds, or a new one; null when the list is full.
template <class T, class Same>
T* entryOf(std::vector<T>& all, const Same& same, std::size_t most = kMostRows) {
  const auto found = std::find_if(all.begin(), all.end(), same);
  if (found != all.end()) return &*found;
  return all.size() < most ? &all.emplace_back() : nullptr;
}

void addSteps(LabRollUp& lab, const LabResult& result) {
  const auto* at = result.at();
  for (const auto& step : result.steps) {
    auto* sum = entryOf(lab.steps, [&](const StepRollUp& known) { return known.id == step.id; });
    if (!sum) continue;
    sum->id = step.id;
    if (sum->title.empty()) sum->title = step.title;
    ++sum->learners;
    sum->done += step.done;
    sum->here += at && at->id == step.id;
    sum->hints_shown += step.hints_shown;
    sum->solutions_shown += step.solution_shown;
  }
}

void addChecks(LabRollUp& lab, const LabResult& result) {
  for (const auto& check : result.checks) {
    auto* sum =
        entryOf(lab.checks, [&](const CheckRollUp& known) { return known.step == check.step && known.check == check.check; });
    if (!sum) continue;
    sum->step = check.step;
    sum->check = check.check;
    if (sum->kind.empty()) sum->kind = check.kind;
    sum->passed += check.state == CheckState::Passed;
    sum->failed += check.state == CheckState::Failed;
    sum->noise += check.state == CheckState::Noise;
    sum->not_run += check.state == CheckState::NotRun;
    sum->not_predicted += check.state == CheckState::NotPredicted;
    sum->solution_shown += check.solution_shown;
  }
}

void addMeasured(LabRollUp& lab, const LabResult& result, std::size_t learner) {
  for (const auto& measured : result.measured) {
    auto* sum = entryOf(lab.measured, [&](const MeasuredRollUp& known) {
      return known.step == measured.step && known.quantity == measured.quantity;
    });
    if (!sum) continue;
    sum->step = measured.step;
    sum->quantity = measured.quantity;
    sum->undecided += measured.undecided();
    sum->faster += measured.verdict == "faster";
    sum->slower += measured.verdict == "slower";
    sum->no_difference += measured.verdict == "no-difference";
    sum->points.push_back({learner, measured.value, measured.verdict, result.machine.cpu, result.machine.cores});
  }
}

void addPredictions(LabRollUp& lab, const LabResult& result, std::size_t learner) {
  for (const auto& prediction : result.predictions) {
    auto* sum = entryOf(lab.predictions, [&](const PredictionRollUp& known) {
      return known.step == prediction.step && known.quantity == prediction.quantity;
    });
    if (!sum) continue;
    sum->step = prediction.step;
    sum->quantity = prediction.quantity;
    if (sum->unit.empty()) sum->unit = prediction.unit;
    sum->learners += prediction.predicted || prediction.measured;
    sum->predicted += prediction.predicted.has_value();
    if (prediction.predicted && prediction.measured)
      sum->points.push_back({learner, *prediction.predicted, prediction.measured->median});
  }
}

void conclude(LabRollUp& lab) {
  for (auto& measured : lab.measured) {
    std::sort(measured.points.begin(), measured.points.end(),
              [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.value.median < b.value.median; });
    std::vector<double> decided;
    for (const auto& point : measured.points)
      if (point.verdict != "machine-busy") decided.push_back(point.value.median);
    measured.distribution = distributionOf(std::move(decided));
  }
  for (auto& prediction : lab.predictions) {
    std::vector<double> ratios;
    for (const auto& point : prediction.points)
      if (point.predicted != 0 && point.measured != 0) ratios.push_back(point.measured / point.predicted);
    prediction.ratio = distributionOf(std::move(ratios));
  }
}

bool hasDone(const Learner& learner, const std::string& lab, const std::string& step) {
  const auto* result = learner.find(lab);
  return result && std::any_of(result->steps.begin(), result->steps.end(),
                               [&](const StepResult& candidate) { return candidate.id == step && candidate.done; });
}

bool isStuck(const std::vector<Learner>& learners, const Learner& learner, const LabResult& result) {
  constexpr int kFew = 2;
  const auto* at = result.at();
  if (!at) return false;
  int others = 0, ahead = 0, active = 0;
  for (const auto& other : learners) {
    if (&other == &learner) continue;
    others += other.find(result.lab) != nullptr;
    ahead += hasDone(other, result.lab, at->id);
    active += other.last_activity_ms >= learner.last_activity_ms + kStuckAfterMs;
  }
  return ahead >= kFew && 2 * ahead >= others && active >= kFew;
}

}  // namespace

std::optional<double> JudgedPrediction::ratio() const {
  if (!predicted || !measured || *predicted == 0 || measured->median == 0) return std::nullopt;
  return measured->median / *predicted;
}

int LabResult::stepsDone() const {
  return static_cast<int>(std::count_if(steps.begin(), steps.end(), [](const StepResult& step) { return step.done; }));
}

const StepResult* LabResult::at() const {
  const auto found = std::find_if(steps.begin(), steps.end(), [](const StepResult& step) { return !step.done; });
  return found == steps.end() ? nullptr : &*found;
}

int LabResult::count(CheckState state) const {
  return static_cast<int>(
      std::count_if(checks.begin(), checks.end(), [&](const JudgedCheck& check) { return check.state == state; }));
}

int Learner::steps() const {
  int all = 0;
  for (const auto& lab : labs) all += static_cast<int>(lab.steps.size());
  return all;
}

int Learner::stepsDone() const {
  int all = 0;
  for (const auto& lab : labs) all += lab.stepsDone();
  return all;
}

int Learner::count(CheckState state) const {
  int all = 0;
  for (const auto& lab : labs) all += lab.count(state);
  return all;
}

bool Learner::stuck() const {
  return std::any_of(labs.begin(), labs.end(), [](const LabResult& lab) { return lab.stuck; });
}

const LabResult* Learner::find(const std::string& lab) const {
  const auto found = std::find_if(labs.begin(), labs.end(), [&](const LabResult& result) { return result.lab == lab; });
  return found == labs.end() ? nullptr : &*found;
}

std::optional<double> CheckRollUp::sharePassed() const {
  if (judged() == 0) return std::nullopt;
  return static_cast<double>(passed) / judged();
}

Distribution distributionOf(std::vector<double> values) {
  Distribution distribution;
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return distribution;
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  constexpr double kQuarter = 0.25;
  return {static_cast<int>(values.size()), values.front(),         quantile(kQuarter),
          quantile(2 * kQuarter),          quantile(3 * kQuarter), values.back()};
}

void markStuck(std::vector<Learner>& learners) {
  for (auto& learner : learners)
    for (auto& result : learner.labs) result.stuck = isStuck(learners, learner, result);
}

std::vector<LabRollUp> rollUp(const std::vector<Learner>& learners) {
  std::vector<LabRollUp> labs;
  for (std::size_t i = 0; i < learners.size(); ++i)
    for (const auto& result : learners[i].labs) {
      auto& lab = *entryOf(
          labs, [&](const LabRollUp& known) { return known.lab == result.lab; }, kMostResults);
      lab.lab = result.lab;
      if (lab.title.empty()) lab.title = result.title;
      if (lab.number.empty()) lab.number = result.number;
      ++lab.learners;
      lab.finished += result.finished();
      lab.stuck += result.stuck;
      addSteps(lab, result);
      addChecks(lab, result);
      addMeasured(lab, result, i);
      addPredictions(lab, result, i);
    }
  for (auto& lab : labs) conclude(lab);
  return labs;
}

}  // namespace atelier::lab
