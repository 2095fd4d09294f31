// Runs as one JSON text, with all that their folders tell: {"format":"atelier-runs","version":1,"runs":[{id, spec, environment,
// summary, events}]}. In the registry's thread.
#pragma once

#include <string>
#include <vector>

#include "registry.h"

namespace atelier::registry {

std::string runsJson(Registry& registry, const std::vector<const RunRecord*>& runs);

}  // namespace atelier::registry
