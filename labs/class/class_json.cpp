// A class for programs: JSON and CSV. Figures as files write them, times as ISO 8601 in UTC.
#include "class.h"
#include "core/registry/run_id.h"
#include "core/wire/csv.h"
#include "core/wire/number.h"
#include "labs/plain_text.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestPath = 4096;

json machineJson(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"cores", machine.cores}, {"memory_bytes", machine.memory_bytes}, {"gpus", machine.gpus}};
}

json checkJson(const JudgedCheck& check) {
  json entry{{"step", check.step},     {"check", check.check},
             {"kind", check.kind},     {"state", stateName(check.state)},
             {"wanted", check.wanted}, {"solution_shown", check.solution_shown}};
  wire::putNumber(entry, "measured", check.measured);
  if (check.interval) entry["interval"] = wire::toJson(*check.interval);
  return entry;
}

json predictionJson(const JudgedPrediction& prediction) {
  json entry{{"step", prediction.step}, {"quantity", prediction.quantity}, {"unit", prediction.unit}};
  wire::putNumber(entry, "predicted", prediction.predicted);
  if (prediction.measured) entry["measured"] = wire::toJson(*prediction.measured);
  wire::putNumber(entry, "ratio", prediction.ratio());
  return entry;
}

json measuredJson(const Measured& measured) {
  json entry{{"step", measured.step}, {"quantity", measured.quantity}, {"value", wire::toJson(measured.value)}};
  if (!measured.verdict.empty()) entry["verdict"] = measured.verdict;
  return entry;
}

template <class T>
json listOf(const std::vector<T>& all, json (*write)(const T&)) {
  auto list = json::array();
  for (const auto& one : all) list.push_back(write(one));
  return list;
}

json stepJson(const StepResult& step) {
  return {{"id", step.id},
          {"title", step.title},
          {"done", step.done},
          {"hints_shown", step.hints_shown},
          {"solution_shown", step.solution_shown},
          {"questions", step.questions},
          {"right", step.right}};
}

json resultJson(const LabResult& result) {
  return {{"lab", result.lab},
          {"number", result.number},
          {"title", result.title},
          {"steps_done", result.stepsDone()},
          {"steps", listOf(result.steps, stepJson)},
          {"finished", result.finished()},
          {"at", result.at() ? json(result.at()->id) : json()},
          {"stuck", result.stuck},
          {"last_activity", isoTime(result.last_activity_ms)},
          {"written", isoTime(result.written_ms)},
          {"folder", plainLine(result.folder.string(), kLongestPath)},
          {"report", result.report},
          {"machine", machineJson(result.machine)},
          {"checks", listOf(result.checks, checkJson)},
          {"predictions", listOf(result.predictions, predictionJson)},
          {"measured", listOf(result.measured, measuredJson)}};
}

json learnerJson(const Learner& learner) {
  return {{"learner", learner.name},
          {"label", learner.label},
          {"steps", learner.steps()},
          {"steps_done", learner.stepsDone()},
          {"passed", learner.count(CheckState::Passed)},
          {"failed", learner.count(CheckState::Failed)},
          {"stuck", learner.stuck()},
          {"last_activity", isoTime(learner.last_activity_ms)},
          {"labs", listOf(learner.labs, resultJson)}};
}

json distributionJson(const Distribution& distribution) {
  json entry{{"count", distribution.count}};
  if (distribution.count == 0) return entry;
  entry["min"] = distribution.min;
  entry["low"] = distribution.low;
  entry["median"] = distribution.median;
  entry["high"] = distribution.high;
  entry["max"] = distribution.max;
  return entry;
}

json stepRollUpJson(const StepRollUp& step) {
  return {{"id", step.id},
          {"title", step.title},
          {"learners", step.learners},
          {"done", step.done},
          {"here", step.here},
          {"hints_shown", step.hints_shown},
          {"solutions_shown", step.solutions_shown}};
}

json checkRollUpJson(const CheckRollUp& check) {
  json entry{{"step", check.step},
             {"check", check.check},
             {"kind", check.kind},
             {"passed", check.passed},
             {"failed", check.failed},
             {"inside_the_noise", check.noise},
             {"not_run", check.not_run},
             {"not_predicted", check.not_predicted},
             {"solution_shown", check.solution_shown}};
  wire::putNumber(entry, "share_passed", check.sharePassed());
  return entry;
}

json measuredRollUpJson(const MeasuredRollUp& measured, const std::vector<Learner>& learners) {
  auto points = json::array();
  for (const auto& point : measured.points)
    points.push_back({{"learner", learners[point.learner].label},
                      {"value", wire::toJson(point.value)},
                      {"verdict", point.verdict},
                      {"cpu", point.cpu},
                      {"cores", point.cores}});
  return {{"step", measured.step},
          {"quantity", measured.quantity},
          {"distribution", distributionJson(measured.distribution)},
          {"undecided", measured.undecided},
          {"faster", measured.faster},
          {"slower", measured.slower},
          {"no_difference", measured.no_difference},
          {"points", std::move(points)}};
}

json predictionRollUpJson(const PredictionRollUp& prediction, const std::vector<Learner>& learners) {
  auto points = json::array();
  for (const auto& point : prediction.points)
    points.push_back(
        {{"learner", learners[point.learner].label}, {"predicted", point.predicted}, {"measured", point.measured}});
  return {{"step", prediction.step},         {"quantity", prediction.quantity},   {"unit", prediction.unit},
          {"learners", prediction.learners}, {"predicted", prediction.predicted}, {"ratio", distributionJson(prediction.ratio)},
          {"points", std::move(points)}};
}

json labJson(const LabRollUp& lab, const std::vector<Learner>& learners) {
  auto measured = json::array(), predictions = json::array();
  for (const auto& one : lab.measured) measured.push_back(measuredRollUpJson(one, learners));
  for (const auto& one : lab.predictions) predictions.push_back(predictionRollUpJson(one, learners));
  return {{"lab", lab.lab},
          {"number", lab.number},
          {"title", lab.title},
          {"learners", lab.learners},
          {"finished", lab.finished},
          {"stuck", lab.stuck},
          {"steps", listOf(lab.steps, stepRollUpJson)},
          {"checks", listOf(lab.checks, checkRollUpJson)},
          {"measured", std::move(measured)},
          {"predictions", std::move(predictions)}};
}

// What a spreadsheet would run as a formula is made a text.
std::string plain(std::string text) {
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) text.insert(0, 1, '\'');
  return text;
}

std::string row(std::vector<std::string> cells) {
  for (auto& cell : cells) cell = plain(std::move(cell));
  return wire::csvRow(cells);
}

}  // namespace

std::string isoTime(std::int64_t unix_ms) {
  constexpr std::int64_t kMilliseconds = 1000;
  if (unix_ms <= 0) return {};
  const auto stamp = registry::utcStamp(unix_ms / kMilliseconds);  // 20261130-104512
  constexpr std::size_t kLength = 15;
  if (stamp.size() != kLength) return {};
  return stamp.substr(0, 4) + "-" + stamp.substr(4, 2) + "-" + stamp.substr(6, 2) + "T" + stamp.substr(9, 2) + ":" +
         stamp.substr(11, 2) + ":" + stamp.substr(13, 2) + "Z";
}

json toJson(const Class& all, const wire::Catalog& catalog) {
  auto labs = json::array(), problems = json::array();
  for (const auto& lab : all.labs) labs.push_back(labJson(lab, all.learners));
  for (const auto& problem : all.problems) {
    json entry{{"id", problem.id}, {"reason", plainLine(catalog.text(problem), kLongestPath)}};
    for (const auto& [name, value] : problem.args)
      if (name == "file") entry["file"] = value;
    problems.push_back(std::move(entry));
  }
  return {{"folder", plainLine(all.folder.string(), kLongestPath)},
          {"latest_activity", isoTime(all.latest_ms)},
          {"superseded", all.superseded},
          {"learners", listOf(all.learners, learnerJson)},
          {"labs", std::move(labs)},
          {"problems", std::move(problems)}};
}

std::string toCsv(const Class& all) {
  auto text = row({"learner", "lab", "number", "steps_done", "steps", "finished", "stuck", "at", "passed", "failed",
                   "inside_the_noise", "not_run", "not_predicted", "cpu", "cores", "last_activity"});
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  for (const auto& learner : all.learners)
    for (const auto& lab : learner.labs)
      text += row({learner.label, lab.lab, lab.number, std::to_string(lab.stepsDone()), std::to_string(lab.steps.size()),
                   flag(lab.finished()), flag(lab.stuck), lab.at() ? lab.at()->id : std::string(),
                   std::to_string(lab.count(CheckState::Passed)), std::to_string(lab.count(CheckState::Failed)),
                   std::to_string(lab.count(CheckState::Noise)), std::to_string(lab.count(CheckState::NotRun)),
                   std::to_string(lab.count(CheckState::NotPredicted)), lab.machine.cpu, std::to_string(lab.machine.cores),
                   isoTime(lab.last_activity_ms)});
  return text;
}

}  // namespace atelier::lab
