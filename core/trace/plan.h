// Plan: the changes of a spec that findings ask for, the most promising first, with what each is predicted to bring after those
// before it. A plan is about speed: what only mends a fault is in the findings. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnosis.h"

namespace atelier::trace {

struct PlanStep {
  Finding finding;
  std::map<std::string, nlohmann::json> set;  // what this step changes; keys that an earlier step has set alike are left out
  double predicted = 1;                       // times faster than with the steps before it
  double cumulative = 1;                      // times faster than the spec as it was
};

// Of fixes that set a key differently the first stays. Two fixes that speed up the same operators share what there is to save;
// the others save each its own part of the step. `spec`: the keys as they are; steps that would change nothing are left out.
std::vector<PlanStep> planOf(const std::vector<Finding>& findings, const nlohmann::json& spec);

}  // namespace atelier::trace
