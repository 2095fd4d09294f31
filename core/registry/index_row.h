// A row of the index: what a run's folder said when its stamp was taken. The summary's figures are columns of their own, so
// that ten thousand runs are listed without parsing ten thousand summaries; the spec stays JSON, parsed only for the runs
// that are asked for. Any thread; values only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "run_folder.h"
#include "statement.h"

namespace atelier::registry {

struct IndexRow {
  std::string id;
  std::int64_t created_ms = 0, stamp = 0;
  std::string race;
  std::string spec;          // JSON
  std::string labels;        // JSON, or "": none
  std::string words;         // JSON: the summary's notices, failure and naive readings, or "": none
  wire::RunSummary summary;  // without those
};

IndexRow rowOf(const RunReading& reading);
// nullopt when the row's JSON is garbled: read the folder then.
std::optional<RunRecord> recordOf(IndexRow&& row, const std::filesystem::path& folder);

// "id TEXT PRIMARY KEY, …" for CREATE TABLE, "id, …" for SELECT, "?, …" for INSERT: always in the same order.
std::string columnDefinitions();
std::string columnNames();
std::string columnMarks();

void bindRow(Statement& statement, const IndexRow& row);
IndexRow readRow(Statement& statement);

}  // namespace atelier::registry
