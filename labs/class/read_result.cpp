#include "read_result.h"

#include <algorithm>
#include <cmath>

#include "core/registry/registry.h"
#include "core/registry/run_id.h"
#include "core/wire/number.h"
#include "labs/plain_text.h"
#include "labs/toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::size_t kMostEntries = 300;  // of one list
constexpr int kMostCounted = 1'000'000;    // of anything that is counted

const json& member(const json& object, const char* key) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

std::string textAt(const json& object, const char* key) {
  const auto& value = member(object, key);
  return value.is_string() ? plainLine(value.get_ref<const std::string&>()) : std::string();
}

// An id, or "" for what can't be one: it is compared and shown, and may become part of a path.
std::string idAt(const json& object, const char* key) {
  auto text = textAt(object, key);
  return isIdentifier(text) ? text : std::string();
}

std::int64_t integerAt(const json& object, const char* key, std::int64_t most) {
  const auto number = wire::getNumber(object, key);
  if (!number || !std::isfinite(*number)) return 0;
  return static_cast<std::int64_t>(std::clamp(*number, 0.0, static_cast<double>(most)));
}

int countAt(const json& object, const char* key) {
  return static_cast<int>(integerAt(object, key, kMostCounted));
}

bool flagAt(const json& object, const char* key) {
  const auto& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

std::optional<wire::Interval> intervalAt(const json& object, const char* key) {
  const auto& value = member(object, key);
  auto interval = value.is_object() ? wire::intervalFromJson(value) : std::nullopt;
  if (!interval || !std::isfinite(interval->median) || !std::isfinite(interval->low) || !std::isfinite(interval->high))
    return std::nullopt;
  return interval;
}

std::optional<double> numberAt(const json& object, const char* key) {
  const auto number = wire::getNumber(object, key);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Calls `take` with each object of a list.
template <class Take>
void forEach(const json& list, const Take& take) {
  if (!list.is_array()) return;
  for (std::size_t i = 0; i < std::min(list.size(), kMostEntries); ++i)
    if (list[i].is_object()) take(list[i]);
}

// What stands twice in one result counts once.
template <class T, class Same>
bool holds(const std::vector<T>& all, const Same& same) {
  return std::any_of(all.begin(), all.end(), same);
}

CheckState stateOf(const std::string& name) {
  using enum CheckState;
  for (const auto state : {Passed, Failed, Noise, NotPredicted})
    if (stateName(state) == name) return state;
  return NotRun;
}

Machine machineOf(const json& object) {
  constexpr int kMostCores = 4096;
  Machine machine;
  machine.cpu = textAt(object, "cpu");
  machine.cores = static_cast<int>(integerAt(object, "cores", kMostCores));
  machine.memory_bytes = integerAt(object, "memory_bytes", std::int64_t{1} << 50);
  const auto& gpus = member(object, "gpus");
  constexpr std::size_t kMostGpus = 16;
  for (std::size_t i = 0; gpus.is_array() && i < std::min(gpus.size(), kMostGpus); ++i)
    if (gpus[i].is_string()) machine.gpus.push_back(plainLine(gpus[i].get_ref<const std::string&>()));
  return machine;
}

void readSteps(const json& list, LabResult& result) {
  forEach(list, [&](const json& entry) {
    StepResult step;
    step.id = idAt(entry, "id");
    step.title = textAt(entry, "title");
    step.done = flagAt(entry, "done");
    step.experiment = flagAt(entry, "experiment");
    step.hints_shown = countAt(entry, "hints_shown");
    step.solution_shown = flagAt(entry, "solution_shown");
    step.questions = countAt(entry, "questions");
    step.right = std::min(countAt(entry, "right"), step.questions);
    const auto& runs = member(entry, "runs");
    for (std::size_t i = 0; runs.is_array() && i < std::min(runs.size(), kMostEntries); ++i)
      if (runs[i].is_string())
        result.last_activity_ms =
            std::max(result.last_activity_ms, registry::idMilliseconds(runs[i].get_ref<const std::string&>()).value_or(0));
    const bool twice = holds(result.steps, [&](const auto& s) { return s.id == step.id; });
    if (!step.id.empty() && !twice) result.steps.push_back(std::move(step));
  });
}

void readChecks(const json& list, LabResult& result) {
  forEach(list, [&](const json& entry) {
    JudgedCheck check;
    check.step = idAt(entry, "step");
    check.check = idAt(entry, "check");
    check.kind = textAt(entry, "kind");
    check.state = stateOf(textAt(entry, "state"));
    check.measured = numberAt(entry, "measured");
    check.interval = intervalAt(entry, "interval");
    check.wanted = textAt(entry, "wanted");
    check.solution_shown = flagAt(entry, "solution_shown");
    const bool twice = holds(result.checks, [&](const auto& c) { return c.step == check.step && c.check == check.check; });
    if (!check.step.empty() && !check.check.empty() && !twice) result.checks.push_back(std::move(check));
  });
}

void readFigures(const json& whole, LabResult& result) {
  forEach(member(whole, "predictions"), [&](const json& entry) {
    JudgedPrediction prediction;
    prediction.step = idAt(entry, "step");
    prediction.quantity = textAt(entry, "quantity");
    prediction.unit = textAt(entry, "unit");
    prediction.predicted = numberAt(entry, "predicted");
    prediction.measured = intervalAt(entry, "measured");
    const bool twice = holds(result.predictions, [&](const auto& p) { return p.step == prediction.step; });
    if (!prediction.step.empty() && !twice) result.predictions.push_back(std::move(prediction));
  });
  forEach(member(whole, "measured"), [&](const json& entry) {
    const auto value = intervalAt(entry, "value");
    Measured measured{idAt(entry, "step"), textAt(entry, "quantity"), value.value_or(wire::Interval{}),
                      textAt(entry, "verdict")};
    const bool twice =
        holds(result.measured, [&](const auto& m) { return m.step == measured.step && m.quantity == measured.quantity; });
    if (value && !measured.step.empty() && !measured.quantity.empty() && !twice) result.measured.push_back(std::move(measured));
  });
}

}  // namespace

wire::Result<ReadResult> readResult(const fs::path& file, std::int64_t now_ms) {
  const auto refuse = [&](const char* id) {
    return wire::Error{wire::ExitCode::Failed, wire::Message{id, {{"file", plainLine(file.string(), 4096)}}}};
  };
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::regular) return refuse("class.unreadable");
  const auto content = registry::readWhole(file, kLargestResult);
  if (!content.ok()) return refuse("class.unreadable");
  const auto whole = wire::parseJson(*content);
  if (!whole || member(*whole, "kind") != "atelier-results") return refuse("class.not_results");
  if (countAt(*whole, "v") > kVersion) return refuse("class.newer");
  ReadResult read;
  auto& result = read.result;
  result.lab = idAt(*whole, "lab");
  if (countAt(*whole, "v") != kVersion || result.lab.empty()) return refuse("class.not_results");
  read.learner = textAt(*whole, "learner");
  read.origin = textAt(*whole, "origin");
  result.number = textAt(*whole, "number");
  result.title = textAt(*whole, "title");
  result.machine = machineOf(member(*whole, "machine"));
  result.written_ms = std::min(integerAt(*whole, "written_ms", now_ms), now_ms);
  readSteps(member(*whole, "steps"), result);
  if (result.steps.empty()) return refuse("class.not_results");
  readChecks(member(*whole, "checks"), result);
  readFigures(*whole, result);
  if (result.last_activity_ms == 0) result.last_activity_ms = result.written_ms;
  result.last_activity_ms = std::min(result.last_activity_ms, now_ms);
  result.folder = file.parent_path();
  result.report = fs::symlink_status(result.folder / "report.pdf", error).type() == fs::file_type::regular;
  return read;
}

}  // namespace atelier::lab
