// A learner's results of one lab as a folder of its own, fit for a shared drive: DIR/<learner>-<lab>/ with
//   results.json        all that a class needs (see class.h): progress, checks, predictions, measured figures, machine
//   checks.json         the checks alone, as a headless lab leaves them
//   specs/<step>.json   what each experiment that was run asks for: {verb, spec, b}
// and the report.pdf that the app puts there. The name typed, the processor, cores, memory, GPUs and an installation's random
// mark are the only things about a person or a machine in it: no account, host name, address or path.
// A new folder appears whole (written beside, renamed); an own one is updated file by file, each whole, results.json last. A
// folder of somebody else is never touched: a learner of the same name gets "<learner>-<lab>-2". Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"
#include "labs/session.h"

namespace atelier::lab {

struct ResultsAbout {
  std::string learner;     // as typed; may be empty
  std::string origin;      // of originOf(); may be empty, then equal names are taken for one person
  nlohmann::json machine;  // environment of the runs
  std::int64_t now_ms = 0;
};

// Returns the folder. Fails with class.no_folder (a drive that is not connected: no folder is made in its place),
// class.not_written, class.names_taken.
wire::Result<std::filesystem::path> writeResults(const std::filesystem::path& folder, const LabSession& session,
                                                 const ResultsAbout& about);

// A random mark of this installation, made when first asked for and kept in HOME/course/origin; "" when it can't be kept.
std::string originOf(const std::filesystem::path& home);

// results.json of a session.
nlohmann::json resultsJson(const LabSession& session, const ResultsAbout& about);

}  // namespace atelier::lab
