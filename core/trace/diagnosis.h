// Diagnosis: rules that look at what a run has measured and name what holds it back, each with its evidence, what it costs,
// what to do and what that can bring by Amdahl's law. One rule is one file in rules/ that defines `Rule rule_<id>()`; its texts
// are the catalog's "rule.<id>.title", ".why", ".fix" and ".healthy". Any thread; a rule only reads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/health.h"
#include "core/wire/result.h"
#include "core/wire/summary.h"
#include "report.h"

namespace atelier::trace {

// What rules look at. A trace from elsewhere comes without spec and summary.
struct Facts {
  const Trace& trace;
  const Report& report;
  nlohmann::json spec = nlohmann::json::object();  // keys of the RunSpec; empty: not known
  std::optional<wire::RunSummary> summary{};       // of the blocks measured without the profiler
  wire::Health health{};  // of the last step that was looked at
  double others_percent = 0;   // processor time of other processes while measuring, 100 = all cores; < 0 not known
  std::int64_t budget_bytes = 0;
  double bf16_over_fp32 = 0;   // measured ratio of matmul rates here; 0 not measured
  bool channels_last_pays = false;

  bool knows(const std::string& key) const { return spec.contains(key); }
  std::string text(const std::string& key, const std::string& fallback = "") const;
  std::int64_t integer(const std::string& key, std::int64_t fallback = 0) const;
  bool flag(const std::string& key) const;
  double stageShare(Stage stage) const;  // of the steps' wall time, 0 … 1; from the summary where there is one
  double stepNs() const;                 // wall time of a step: the summary's median where there is one
};

// Worst first.
enum class Severity { Critical, Warning, Hint, Healthy };

struct Fix {
  std::map<std::string, nlohmann::json> set;  // keys of the spec to change; empty: something that the person must do
  std::vector<std::pair<std::string, std::string>> args;  // of the text rule.<id>.fix
};

struct Finding {
  std::string rule;
  Severity severity = Severity::Hint;
  std::vector<wire::Message> evidence;  // "evidence.…" ids with figures, operators, modules
  std::vector<std::pair<std::string, std::string>> args;  // of the texts rule.<id>.title and .why
  double share = 0;          // of a step's time that it costs, 0 … 1
  double expected_gain = 1;  // times faster when fixed, by Amdahl's law: 1 ÷ (1 − share + share ÷ speedup)
  double gain_low = 1, gain_high = 1;  // when the fix brings half, and all, of what it can
  bool once_a_step = false;  // it costs as much whatever the batch: a larger one leaves less of it a sample
  Fix fix;
  std::vector<std::int32_t> events;   // examples, in trace.events
  std::vector<std::string> modules, operators;
};

struct Rule {
  std::string id;
  std::optional<Finding> (*look)(const Facts& facts);
};

const std::vector<Rule>& allRules();

// Worst first: by severity, then by expected gain.
std::vector<Finding> diagnose(const Facts& facts);

// 1 ÷ (1 − share + share ÷ speedup). share in 0 … 1, speedup > 0.
double amdahl(double share, double speedup);

nlohmann::json toJson(const Finding& finding);
Finding findingFromJson(const nlohmann::json& json);
std::string_view severityName(Severity severity);

// Why a race saw no difference (or less than was hoped for), from both runs' stages and, where there are, their findings: the
// stage that the change speeds up is a small part; the machine was busy; data decides; both are bound by the same thing.
// Messages of catalog ids "no_gain.…", the likeliest first; never empty.
std::vector<wire::Message> whyNoGain(const wire::RaceSummary& race, const nlohmann::json& specA, const nlohmann::json& specB,
                                     const std::vector<Finding>& findings);

}  // namespace atelier::trace
