// Teaching faults: what a run does wrong on purpose (the spec's key `inject`), so that one can learn to find it. Their texts
// are the catalog's "fault.<id>.label" and ".help". Values only; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace atelier::wire {

// In the order in which they are shown.
std::vector<std::string> faultIds();

// "none" and "" → none; "nan, item" → both, each once, in this order. Fails with one inject.unknown {given, allowed,
// nearest} for each word that is no fault's id; nearest: "" when none is near.
Result<std::vector<std::string>> parseFaults(std::string_view text);

}  // namespace atelier::wire
