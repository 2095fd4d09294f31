// Runs as rows for people: the list, and one run on its own.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "console.h"
#include "core/registry/registry.h"

namespace atelier::worker {

// The first row is the head. Labels and specs may come from anyone (an imported archive): nothing in a cell moves the cursor.
std::vector<std::vector<std::string>> runRows(const Console& console, const std::vector<registry::RunRecord>& runs);

nlohmann::json labelsJson(const registry::Labels& labels);

void listRuns(const Console& console, const Context& context, const std::vector<registry::RunRecord>& runs);
void showRun(const Console& console, const Context& context, const registry::RunRecord& run);

}  // namespace atelier::worker
