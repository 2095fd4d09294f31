// Plan: what a profile proposes to change, the most promising first, and what races said of each change. A step of a lab
// applies the n-th fix of an earlier, profiled step: its race is the best spec so far against the same with this fix; a fix
// that won without learning worse is carried on into the races after it. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"
#include "core/wire/summary.h"

namespace atelier::lab {

inline constexpr int kMostFixes = 9;  // that steps can apply

struct Fix {
  std::string rule;                               // of the diagnosis that asks for it; "" for several together
  nlohmann::json set = nlohmann::json::object();  // RunSpec keys that change
  double predicted = 1;                           // times faster than without it, with those before it in place
};

// One step that applies a plan, as far as it has come.
struct AppliedFix {
  std::string step;                          // its id
  int number = 0;                            // of the fix, from 1 on; 0: all that won, together
  std::optional<Fix> fix{};                  // what was raced, or would be; nullopt: see why_not
  std::optional<wire::Message> why_not{};    // why it can't be raced here, or not yet
  bool applicable = true;                    // false: this machine's plan has no such fix, and won't get one
  std::optional<wire::Interval> measured{};  // times faster, as raced
  std::string verdict{};                     // of the race; "" before it
  bool kept_quality = true;                  // keptQuality() of the race

  bool raced() const { return !verdict.empty(); }
  bool won() const { return verdict == "faster" && kept_quality; }
};

// The plan in a profile's result; lenient, kMostFixes at most.
std::vector<Fix> planOf(const nlohmann::json& result);

nlohmann::json toJson(const Fix& fix);
// nullopt for what is no fix.
std::optional<Fix> fixFromJson(const nlohmann::json& json);

// Whether b learns as well as a, or better: a step of a plan may not cost quality, but may bring some.
bool keptQuality(const wire::RaceSummary& race);

// "batch = 64, fused = true": as lab.toml and the command line name keys.
std::string changeText(const nlohmann::json& set);

// A run's spec without what only says how it was looked at: the keys of the profiler and of the watch.
nlohmann::json withoutProfiling(nlohmann::json spec);

}  // namespace atelier::lab
