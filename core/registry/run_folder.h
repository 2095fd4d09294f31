// A run's folder as a record: what is whole is read, what is damaged is named, and a killed run is given its end. Any
// thread or process at once: files are replaced whole, and the end of a killed run is written under a lock of the home.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "registry.h"

namespace atelier::registry {

struct RunReading {
  RunRecord record;
  std::int64_t stamp = 0;  // of the folder before it was read; 0: not to be trusted later
  bool killed = false;     // ended without a last word, and its writer is gone: endKilled() is due
};

// nullopt when there is no such folder. Damage gives status failed with registry.damaged {file} in its failure.
std::optional<RunReading> readRun(const std::filesystem::path& folder);

// Writes the end of a killed run unless another process has just done so, and returns the run's summary. Where nothing can
// be written the summary is what would have been.
wire::RunSummary endKilled(const std::filesystem::path& home, const std::filesystem::path& folder);

// summary.json, written into the space reserved for it where there still is one.
wire::Status writeSummary(const std::filesystem::path& folder, const wire::RunSummary& summary);
// Reserves that space: a file that becomes summary.json.
wire::Status reserveSummary(const std::filesystem::path& folder);

nlohmann::json toJson(const Labels& labels);
Labels labelsFromJson(const nlohmann::json& json);  // lenient, like the summaries

// Valid ids among the folder's entries, the greatest first; `suffix` (".json") is left off.
std::vector<std::string> idsIn(const std::filesystem::path& folder, const std::string& suffix = "");

// Removes what writers left that were killed while they made a folder.
void removeAbandoned(const std::filesystem::path& runs);

}  // namespace atelier::registry
