#include "outcome.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kLargestProfile = 256ULL << 20;
constexpr std::size_t kMostOperators = 20, kMostModules = 60, kMostFindings = 60, kTop = 3;
// As the diagnosis has it.
constexpr double kDead = 0.95;

double numberAt(const json& object, const char* key) {
  return object.is_object() ? wire::getNumber(object, key).value_or(0) : 0;
}

json picked(const json& object, std::initializer_list<const char*> keys) {
  auto kept = json::object();
  for (const char* key : keys)
    if (const auto value = wire::memberAt(object, key); !value.is_null()) kept[key] = value;
  return kept;
}

// The first objects of a list, cut down to some members.
json rows(const json& list, std::size_t most, std::initializer_list<const char*> keys) {
  auto kept = json::array();
  if (!list.is_array()) return kept;
  for (const auto& row : list) {
    if (kept.size() == most) break;
    if (row.is_object()) kept.push_back(picked(row, keys));
  }
  return kept;
}

// An operator's own work: on the device where there is one, else on the host.
double workOf(const json& row, bool device) {
  return numberAt(row, device ? "device_ns" : "self_ns");
}

bool hasDevice(const json& operators) {
  return std::any_of(operators.begin(), operators.end(), [](const json& row) { return numberAt(row, "device_ns") > 0; });
}

json ranked(const json& operators) {
  std::vector<json> all;
  if (operators.is_array())
    for (const auto& row : operators)
      if (!wire::textAt(row, "name").empty()) all.push_back(picked(row, {"name", "calls", "self_ns", "device_ns"}));
  const bool device = hasDevice(json(all));
  std::stable_sort(all.begin(), all.end(),
                   [device](const json& a, const json& b) { return workOf(a, device) > workOf(b, device); });
  return json(std::move(all));
}

// REQUIRES: the operators are ranked.
json sharesOf(const json& breakdown, const json& operators) {
  auto shares = json::object();
  const double wall = numberAt(breakdown, "wall_ns");
  if (!(wall > 0)) return shares;
  for (const char* stage : {"data", "forward", "backward", "optimizer", "other", "between"})
    shares[stage] = numberAt(breakdown, (std::string(stage) + "_ns").c_str()) / wall;
  const bool device = hasDevice(operators);
  double copies = 0, top = 0;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (i < kTop) top += workOf(operators[i], device);
    if (operators[i].value("name", json()) == "aten::copy_") copies += workOf(operators[i], device);
  }
  shares["copies"] = copies / wall;
  shares["top"] = top / wall;
  return shares;
}

void addPeaks(json& kept, const json& profile) {
  auto peaks = picked(profile, {"fp32_flops", "bf16_flops", "bytes_per_second"});
  if (numberAt(peaks, "fp32_flops") > 0 && numberAt(peaks, "bf16_flops") > 0)
    peaks["bf16_over_fp32"] = numberAt(peaks, "bf16_flops") / numberAt(peaks, "fp32_flops");
  if (!peaks.empty()) kept["peaks"] = std::move(peaks);
}

void addRelus(json& kept, const json& health) {
  auto all = json::array(), dead = json::array();
  std::optional<double> most;
  const auto activations = wire::memberAt(health, "activations");
  for (std::size_t i = 0; activations.is_array() && i < activations.size(); ++i) {
    const auto& stats = activations[i];
    const auto type = wire::textAt(stats, "type");
    const double count = numberAt(stats, "count");
    if ((type != "ReLU" && type != "ReLU6") || !(count > 0)) continue;
    const double zeros = numberAt(stats, "zeros") / count;
    const auto module = wire::textAt(stats, "module");
    const json relu{{"name", module.empty() ? "model" : module}, {"zeros", zeros}};
    most = std::max(most.value_or(0), zeros);
    all.push_back(relu);
    if (zeros > kDead) dead.push_back(relu);
  }
  kept["relus"] = std::move(all);
  kept["dead_relus"] = std::move(dead);
  wire::putNumber(kept, "relu_zeros", most);
}

json originJson(const wire::Health& health) {
  return {{"module", health.first_bad_module.empty() ? "model" : health.first_bad_module},
          {"operator", health.first_bad_operator},
          {"stage", health.first_bad_stage},
          {"step", health.first_bad_step}};
}

}  // namespace

void noteOrigin(std::optional<wire::Health>& first, const wire::Health& looked) {
  if (looked.first_bad_stage.empty()) return;
  if (!first || looked.first_bad_step < first->first_bad_step) first = looked;
}

json keptOfProfile(const json& profile) {
  auto kept = json::object();
  const auto breakdown = wire::memberAt(profile, "breakdown");
  if (!breakdown.is_object()) return kept;
  kept["breakdown"] = breakdown;
  auto operators = ranked(wire::memberAt(profile, "operators"));
  kept["shares"] = sharesOf(breakdown, operators);
  kept["operators"] = rows(operators, kMostOperators, {"name", "calls", "self_ns", "device_ns"});
  kept["modules"] = rows(wire::memberAt(profile, "modules"), kMostModules, {"path", "type", "forward_ns", "backward_ns"});
  kept["diagnosis"] = rows(wire::memberAt(profile, "diagnosis"), kMostFindings,
                           {"rule", "severity", "args", "evidence", "share", "expected_gain", "fix", "modules", "operators"});
  kept["plan"] = rows(wire::memberAt(profile, "plan"), kMostFixes, {"rule", "set", "predicted", "cumulative"});
  kept["memory"] = picked(wire::memberAt(profile, "memory"),
                          {"growth_per_step", "allocations_per_step", "allocated_bytes_per_step", "peak_bytes"});
  addPeaks(kept, wire::memberAt(profile, "peaks"));
  addRelus(kept, wire::memberAt(profile, "health"));
  return kept;
}

Outcome outcomeOf(const std::string& verb, const wire::RunSummary& summary, const std::optional<wire::Health>& origin,
                  const std::filesystem::path& home) {
  Outcome outcome{verb, wire::toJson(summary), {summary.id}};
  if (origin && !origin->first_bad_stage.empty()) outcome.result["origin"] = originJson(*origin);
  // An id is the name of a folder, and leads nowhere else.
  if (verb != "profile" || summary.id.empty() || summary.id.find('/') != std::string::npos) return outcome;
  const auto content = registry::readWhole(home / "runs" / summary.id / registry::kProfileFile, kLargestProfile);
  const auto profile = content.ok() ? wire::parseJson(*content) : std::nullopt;
  if (profile) outcome.result.update(keptOfProfile(*profile));
  return outcome;
}

Outcome batchOutcome(const json& answer) {
  constexpr std::size_t kMostTries = 100;
  Outcome outcome{"max-batch", json::object(), {}};
  const double batch = numberAt(answer, "batch");
  if (!(batch >= 1)) return outcome;
  auto& result = outcome.result;
  result = picked(answer, {"batch", "out_of_memory_at"});
  result["status"] = "done";
  result["tries"] = rows(wire::memberAt(answer, "tries"), kMostTries, {"batch", "fits", "peak_bytes", "predicted_bytes"});
  for (const auto& one : result["tries"])
    if (numberAt(one, "batch") == batch && one.contains("peak_bytes")) result["peak_bytes"] = one["peak_bytes"];
  if (!(numberAt(result, "out_of_memory_at") > 0)) result.erase("out_of_memory_at");
  return outcome;
}

std::vector<wire::Message> batchFindings(const json& result) {
  constexpr double kMebi = 1024.0 * 1024.0;
  const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  const double batch = numberAt(result, "batch"), beyond = numberAt(result, "out_of_memory_at");
  if (!(batch >= 1)) return {};
  std::vector<wire::Message> said;
  said.push_back({"batch.largest", {{"batch", whole(batch)}, {"mebibytes", whole(numberAt(result, "peak_bytes") / kMebi)}}});
  if (beyond > 0) said.push_back({"batch.beyond", {{"batch", whole(beyond)}}});
  else said.push_back({"batch.no_limit"});
  std::string fitting, failing;
  const auto tries = wire::memberAt(result, "tries");
  for (std::size_t i = 0; tries.is_array() && i < tries.size(); ++i) {
    auto& list = wire::memberAt(tries[i], "fits") == true ? fitting : failing;
    list += (list.empty() ? "" : ", ") + whole(numberAt(tries[i], "batch"));
  }
  const std::string none = "—";
  said.push_back({"batch.tried", {{"fits", fitting.empty() ? none : fitting}, {"fails", failing.empty() ? none : failing}}});
  return said;
}

std::vector<wire::Message> findingTitles(const json& result) {
  std::vector<wire::Message> titles;
  const auto diagnosis = wire::memberAt(result, "diagnosis");
  if (!diagnosis.is_array()) return titles;
  for (const auto& finding : diagnosis) {
    const auto rule = wire::textAt(finding, "rule");
    if (rule.empty()) continue;
    wire::Message title{"rule." + rule + ".title"};
    const auto args = wire::memberAt(finding, "args");
    if (args.is_object())
      for (const auto& [name, value] : args.items())
        if (value.is_string()) title.args.emplace_back(name, value.get<std::string>());
    titles.push_back(std::move(title));
  }
  return titles;
}

}  // namespace atelier::lab
