// The registry: a folder a run under $ATELIER_HOME/runs is the truth; an SQLite index beside them can be rebuilt from it.
//   runs/<id>/spec.json environment.json events.jsonl summary.json labels.json race.json, artifacts; races/<id>.json;
//   sweeps/<id>.json; trash/<id>; index.sqlite
// Many processes may write and read at once. A writer holds a lock on its run's events file while it lives, so that a
// reader can tell a killed run (lock free, no summary) and marks it failed. Folders are append-only but for labels.
// RunWriter: one thread at a time. Registry: one thread at a time; open one a thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"
#include "core/wire/run_event.h"
#include "core/wire/summary.h"
#include "core/wire/sweep.h"

namespace atelier::registry {

// $ATELIER_HOME, else the folder chosen for this account (home.h), else $XDG_DATA_HOME/atelier, else ~/.local/share/atelier.
std::filesystem::path defaultHome();

// Sortable by time (UTC, to 1/4096 s) and unique over processes: "20261130-104512-3f9a1c".
std::string makeRunId();

// Writes one run's folder. Destroyed without finish(): the run reads as killed.
class RunWriter {
 public:
  static wire::Result<std::unique_ptr<RunWriter>> create(const std::filesystem::path& home, const std::string& id,
                                                         const nlohmann::json& spec, const nlohmann::json& environment);
  virtual ~RunWriter() = default;
  virtual const std::string& id() const = 0;
  virtual const std::filesystem::path& folder() const = 0;
  // Appends one line. Fails with registry.disk_full (or registry.write) and keeps what was written before; a torn last
  // line is cut off. A process that limits its files' sizes must ignore SIGXFSZ to see the failure.
  // REQUIRES: no newline in the line.
  virtual wire::Status append(std::string_view eventLine) = 0;
  // Writes summary.json whole, into space reserved at creation so that it succeeds on a full disk, and indexes the run.
  virtual wire::Status finish(const wire::RunSummary& summary) = 0;
};

struct Labels {
  std::string name, note;
  std::vector<std::string> tags;
  bool pinned = false;
};

struct RunRecord {
  std::string id;
  std::int64_t created_ms = 0;  // Unix time
  std::string race;             // the race it belongs to (putRace, else "race" in its environment), or ""
  nlohmann::json spec;
  wire::RunSummary summary;  // status "running" while its writer lives
  Labels labels;
  std::filesystem::path folder;
};

// Reads and keeps the runs of one home. What it had to repair on the way is told in notices(), and never fatal. Where the
// index cannot be written (a read-only home) everything is read from the folders.
class Registry {
 public:
  // Opens or makes the index. A damaged index is renamed aside (index.sqlite.damaged-TIME) and rebuilt; see notices().
  static wire::Result<std::unique_ptr<Registry>> open(const std::filesystem::path& home);
  virtual ~Registry() = default;

  virtual const std::vector<wire::Message>& notices() const = 0;
  // Newest first. Killed runs found on the way are marked failed (run.killed) and told in notices().
  virtual wire::Result<std::vector<RunRecord>> list(int limit = 1000) = 0;
  // By id or unique prefix: registry.no_run (and registry.did_you_mean with the nearest id), registry.ambiguous,
  // registry.bad_id for what can't be an id (a path, say). The other functions want the whole id.
  virtual wire::Result<RunRecord> find(std::string_view idOrPrefix) = 0;
  // Lines that can't be decoded are left out and counted in notices().
  virtual wire::Result<std::vector<wire::RunEvent>> events(const std::string& id) = 0;
  virtual wire::Status label(const std::string& id, const Labels& labels) = 0;
  // Moves the folder to trash/ (undo: restore); purge() empties the trash. A run that goes on isn't removed:
  // registry.running.
  virtual wire::Status remove(const std::string& id) = 0;
  virtual wire::Status restore(const std::string& id) = 0;
  virtual wire::Status purge() = 0;
  virtual wire::Result<int> reindex() = 0;  // number of runs found
  // Also leaves the race's id in the folders of its runs.
  virtual wire::Status putRace(const std::string& id, const wire::RaceSummary& race) = 0;
  virtual wire::Result<wire::RaceSummary> race(const std::string& id) = 0;
  // Replaces what was there: a sweep is kept after each of its points. Its runs name it in their environment ("sweep").
  virtual wire::Status putSweep(const wire::SweepSummary& sweep) = 0;
  virtual wire::Result<wire::SweepSummary> sweep(const std::string& id) = 0;
};

// File helpers shared with the app: written whole to a temporary file beside it, synced, renamed.
wire::Status writeWhole(const std::filesystem::path& file, std::string_view content);
wire::Result<std::string> readWhole(const std::filesystem::path& file, std::uintmax_t largest = 1ULL << 30);

}  // namespace atelier::registry
