// Export of runs: everything as one JSON file, or the figures as CSV (numbers as machines read them).
#pragma once

#include <string>
#include <vector>

#include "console.h"
#include "core/registry/registry.h"

namespace atelier::worker {

// By the file's ending: .json (spec, environment, summary, events) or .csv. "" writes JSON to stdout.
wire::ExitCode exportRuns(const Console& console, registry::Registry& registry, const std::vector<std::string>& ids,
                          const std::string& file);

// One row a run, one column a figure; text quoted as RFC 4180 says.
std::string runsCsv(const std::vector<registry::RunRecord>& runs);

}  // namespace atelier::worker
