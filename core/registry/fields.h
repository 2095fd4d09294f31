// Fields: what a table of runs can show, sort and filter by, each under one name. A figure of the summary (samples_per_second
// is its median), a label (name, tag, pinned), the run itself (id, status, created), or a key of its spec. Where a figure and
// a key share a name (steps, epochs, seed, pinned), the plain name is the figure's and "spec.NAME" the key's; "spec." serves
// for any key, also for one that this program doesn't know. Any thread; pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "registry.h"

namespace atelier::registry {

// Time: a Number, Unix milliseconds.
enum class FieldKind { Number, Text, Flag, Time };

struct FieldInfo {
  std::string name;
  FieldKind kind = FieldKind::Number;
  std::string label;  // a catalog id
  // A catalog id, or "". unit.share is a share from 0 to 1, shown in percent; unit.percent is a number of percent as it stands.
  std::string unit{};
  bool of_spec = false;
};

// monostate: the run doesn't have it (not measured, no such key, an empty label, no memory budget). A loss may be NaN.
using FieldValue = std::variant<std::monostate, double, std::string, bool>;

// The run, its labels, its figures, then the keys of the spec.
const std::vector<FieldInfo>& knownFields();
// nullptr when there is none.
const FieldInfo* findField(std::string_view name);

// By a known name or any key of the spec. Several tags come joined by ", ".
FieldValue field(const RunRecord& run, std::string_view name);
// The number of a Number or Time field, nothing for anything else.
std::optional<double> figure(const RunRecord& run, std::string_view name);

// Stable. Runs that don't have the field come last in both directions, after a loss that is not a number.
void sortRuns(std::vector<RunRecord>& runs, std::string_view name, bool descending);

}  // namespace atelier::registry
