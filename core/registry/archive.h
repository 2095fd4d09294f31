// Archives: runs as one file (.atelier) that goes to a colleague, a shared drive, a class without a GPU. A tar (pax, gzip):
//   atelier-archive.json            {"format": "atelier-archive", "version": 1, "files": {"runs/<id>/spec.json": bytes, …}}
//   runs/<id>/…  races/<id>.json  sweeps/<id>.json    as they lie in a home
// The first entry lists the others with their sizes, so that an archive that is too large, or cut off, is known as such before
// anything of it is used. Any tar program can open one; only what exportRuns() wrote is read back.
//
// What is read may come from anyone: only regular files under those names, in the sizes listed, within the limits, each once.
// An import either brings a run whole or not at all, and never changes a run that is there. Any thread; many processes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"
#include "core/wire/run_event.h"
#include "core/wire/summary.h"
#include "registry.h"

namespace atelier::registry {

struct ArchiveLimits {
  std::size_t files = 500'000;
  std::uintmax_t file_bytes = 1ULL << 30, total_bytes = 8ULL << 30;  // unpacked
};

struct ExportReport {
  std::vector<std::string> runs;      // ids
  std::vector<std::string> left_out;  // files that an archive can't hold: links, devices, names beyond plain ASCII
};

// Writes the runs, given by id or unique prefix, with all that lies in their folders and the races and sweeps they belong to.
// Replaces the file whole, or leaves it as it was. archive.running for a run that goes on.
wire::Result<ExportReport> exportRuns(Registry& registry, const std::vector<std::string>& ids,
                                      const std::filesystem::path& file);

struct ImportReport {
  std::vector<std::string> runs;       // brought in, each with the tag "imported"
  std::vector<std::string> present;    // there already, the same but for labels: left alone
  std::vector<std::string> refused;    // there already with other content: left alone
  std::vector<wire::Message> notices;  // a race or a sweep that is there already with other content
};

// Everything is unpacked and checked in a hidden folder of the home before the first run is moved into place; what a killed
// import leaves there is never seen as a run, and purge() removes it. The runs are indexed by the next list().
wire::Result<ImportReport> importRuns(const std::filesystem::path& home, const std::filesystem::path& file,
                                      const ArchiveLimits& limits = {});

// A run as an archive tells it; record.folder is empty.
struct ArchivedRun {
  RunRecord record;
  nlohmann::json environment;
  std::vector<wire::RunEvent> events;
  int skipped_lines = 0;                    // of the events: could not be decoded
  std::optional<wire::RaceSummary> race{};  // the race it belongs to, when the archive has it
};

// The runs, newest first, without importing: for a replay. Writes nothing; holds all events in memory.
wire::Result<std::vector<ArchivedRun>> readArchive(const std::filesystem::path& file,
                                                   const ArchiveLimits& limits = {100'000, 1ULL << 28, 1ULL << 30});

}  // namespace atelier::registry
