// Runs as files: an archive that can be imported elsewhere, everything as one JSON file, the figures as CSV (numbers as
// machines read them) or as a Markdown table (as people do); and back from an archive.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "console.h"
#include "core/registry/registry.h"

namespace atelier::worker {

// By the file's ending: .atelier, .json (spec, environment, summary, events), .csv, .md. "" writes JSON to stdout.
wire::ExitCode exportRuns(const Console& console, const Context& context, registry::Registry& registry,
                          const std::vector<registry::RunRecord>& runs, const std::string& file);

// Failed when a run was refused, because another with its id is there; the others are imported all the same.
wire::ExitCode importRuns(const Console& console, const Context& context, const std::vector<std::string>& files);

// One row a run, one column a figure; text quoted as RFC 4180 says.
std::string runsCsv(const std::vector<registry::RunRecord>& runs);

// The first row is the head; the first column stands left, the others right.
std::string markdownTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace atelier::worker
