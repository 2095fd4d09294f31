#include "lab_keys.h"

#include <algorithm>
#include <cassert>

#include "plan.h"

namespace atelier::lab {

using enum KeyType;

const std::vector<LabKey>& labKeys() {
  static const std::vector<LabKey> keys{
      {"lab", "id", Identifier, true},
      {"lab", "number", Number, true},
      {"lab", "half_day", Identifier, true},
      {"lab", "minutes", Integer, false, std::to_string(kUsualMinutes), {}, 1, kLongestMinutes},
      {"lab", "step", Tables, true},
      {"step", "id", Identifier, true},
      {"step", "hints", Integer, false, "0", {}, 0, kMostHints},
      {"step", "prediction", Table},
      {"step", "experiment", Table},
      {"step", "solution", Table},
      {"step", "check", Tables},
      {"step", "quiz", Tables},
      {"prediction", "about", Identifier},
      {"prediction", "quantity", Text, true},
      {"prediction", "unit", Text, true, {}, {"samples_per_second", "ratio", "percent", "bytes", "number", "name"}},
      {"prediction", "min", Figure},
      {"prediction", "max", Figure},
      {"prediction", "choices", Words},
      {"experiment", "verb", Text, true, {}, {"run", "race", "profile", "max-batch"}},
      {"experiment", "spec", Scalars, true},
      {"experiment", "b", Scalars},
      {"experiment", "plan", Identifier},
      {"experiment", "b_from_plan", Integer, false, "0", {}, 0, kMostFixes},
      {"experiment", "ladder", Identifier},
      {"experiment", "epoch_samples", Integer, false, "0", {}, 0, kMostEpochSamples},
      {"experiment", "knobs", Words},
      {"experiment", "knobs_b", Words},
      {"experiment", "seconds", Integer, false, std::to_string(kUsualSeconds), {}, 1, kLongestSeconds},
      {"solution", "knobs", Scalars},
      {"check", "id", Identifier, true},
      {"check", "kind", Text, true},
      {"check", "on", Identifier},
      {"quiz", "id", Identifier, true},
      {"quiz", "answer", Integer, true, {}, {}, 0, kMostChoices - 1},
      {"course", "half_day", Tables},
      {"half_day", "id", Identifier, true},
      {"half_day", "title", Titles, true},
      {"half_day", "lab", Tables},
      {"planned_lab", "number", Number, true},
      {"planned_lab", "title", Titles, true},
  };
  return keys;
}

std::vector<std::string> keysOf(std::string_view table) {
  std::vector<std::string> keys;
  for (const auto& key : labKeys())
    if (key.table == table) keys.push_back(key.key);
  return keys;
}

const LabKey& labKey(std::string_view table, std::string_view key) {
  const auto found = std::find_if(labKeys().begin(), labKeys().end(),
                                  [&](const LabKey& candidate) { return candidate.table == table && candidate.key == key; });
  assert(found != labKeys().end());
  return *found;
}

}  // namespace atelier::lab
