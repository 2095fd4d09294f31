#include "registry.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "core/wire/number.h"
#include "core/wire/option.h"
#include "event_log.h"
#include "files.h"
#include "index.h"
#include "run_folder.h"
#include "run_id.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

wire::Error usageError(wire::Message message) {
  return {wire::ExitCode::Usage, std::move(message)};
}
wire::Error failure(wire::Message message) {
  return {wire::ExitCode::Failed, std::move(message)};
}

wire::Error homeError(const fs::path& home, std::error_code error) {
  return failure({"registry.home", {{"folder", home.string()}, {"reason", error.message()}}});
}

// A run that has its place in the list; the record is made only when it is wanted.
struct Listed {
  std::int64_t created_ms = 0;
  std::string id;
  IndexRow* row = nullptr;            // set when the index's row holds
  std::unique_ptr<RunRecord> record;  // else what its folder says
};

bool listedFirst(const Listed& left, const Listed& right) {
  return left.created_ms != right.created_ms ? left.created_ms > right.created_ms : left.id > right.id;
}

class FolderRegistry final : public Registry {
 public:
  explicit FolderRegistry(fs::path home) : m_home(std::move(home)) {}

  void openIndex();

  const std::vector<wire::Message>& notices() const override { return m_notices; }
  wire::Result<std::vector<RunRecord>> list(int limit) override;
  wire::Result<RunRecord> find(std::string_view idOrPrefix) override;
  wire::Result<std::vector<wire::RunEvent>> events(const std::string& id) override;
  wire::Status label(const std::string& id, const Labels& labels) override;
  wire::Status remove(const std::string& id) override;
  wire::Status restore(const std::string& id) override;
  wire::Status purge() override;
  wire::Result<int> reindex() override;
  wire::Status putRace(const std::string& id, const wire::RaceSummary& race) override;
  wire::Result<wire::RaceSummary> race(const std::string& id) override;
  wire::Status putSweep(const wire::SweepSummary& sweep) override;
  wire::Result<wire::SweepSummary> sweep(const std::string& id) override;

 private:
  fs::path runs() const { return m_home / "runs"; }
  fs::path trash() const { return m_home / "trash"; }

  void notice(wire::Message message);
  std::optional<RunReading> load(const std::string& id);
  std::vector<IndexRow> readRows();
  std::vector<RunRecord> synchronise(std::size_t wanted);
  std::vector<RunRecord> recordsOf(std::vector<Listed>& listed);
  wire::Status checkRun(const std::string& id) const;
  wire::Error noRun(std::string_view wanted) const;
  void setAside(Index::Opened opened, const fs::path& aside);
  void put(const std::string& id);
  template <class Operation>
  void withIndex(Operation operation);

  fs::path m_home;
  std::unique_ptr<Index> m_index;                 // null: the folders serve
  std::optional<std::vector<IndexRow>> m_opened;  // read when the index was opened: serves the first list
  std::vector<wire::Message> m_notices;
};

void FolderRegistry::notice(wire::Message message) {
  if (std::find(m_notices.begin(), m_notices.end(), message) == m_notices.end()) m_notices.push_back(std::move(message));
}

void FolderRegistry::setAside(Index::Opened opened, const fs::path& aside) {
  if (!aside.empty()) notice({"registry.index_damaged", {{"file", aside.string()}}});
  m_index = std::move(opened.index);
  if (!m_index) notice({"registry.index_unavailable", {{"file", (m_home / "index.sqlite").string()}}});
}

void FolderRegistry::openIndex() {
  auto opened = Index::open(m_home);
  // Damage inside shows only when the rows are read.
  m_opened.emplace();
  if (opened.index) opened.state = opened.index->read(*m_opened);
  if (opened.state != IndexState::Ok) m_opened.reset();
  fs::path aside;
  if (opened.state == IndexState::Damaged) {
    opened.index.reset();
    opened = Index::renew(m_home, aside);
  }
  setAside(std::move(opened), aside);
  if (!aside.empty()) synchronise(0);
}

template <class Operation>
void FolderRegistry::withIndex(Operation operation) {
  if (!m_index) return;
  auto state = operation(*m_index);
  if (state == IndexState::Damaged) {
    m_index.reset();
    fs::path aside;
    setAside(Index::renew(m_home, aside), aside);
    if (!m_index) return;
    state = operation(*m_index);
  }
  if (state != IndexState::Ok) notice({"registry.index_unavailable", {{"file", (m_home / "index.sqlite").string()}}});
}

// A run's folder, after a killed run was given its end.
std::optional<RunReading> FolderRegistry::load(const std::string& id) {
  auto reading = readRun(runs() / id);
  if (!reading || !reading->killed) return reading;
  auto summary = endKilled(m_home, runs() / id);
  if (summary.status == "failed") notice({"registry.killed", {{"run", id}}});
  reading = readRun(runs() / id);
  if (reading && reading->killed) reading->record.summary = std::move(summary);
  return reading;
}

std::vector<IndexRow> FolderRegistry::readRows() {
  std::vector<IndexRow> rows;
  if (m_opened) rows = std::move(*m_opened);
  else withIndex([&rows](Index& index) { return index.read(rows); });
  m_opened.reset();
  return rows;
}

// The newest runs, and the index brought in line with all folders. The rows are read before the folders: a run that appears
// in between is then only missing in the rows, never taken for one whose folder is gone.
std::vector<RunRecord> FolderRegistry::synchronise(std::size_t wanted) {
  auto rows = readRows();
  std::unordered_map<std::string_view, IndexRow*> known;
  known.reserve(rows.size());
  for (auto& row : rows) known.emplace(row.id, &row);
  std::vector<Listed> listed;
  std::vector<IndexRow> stale;
  for (auto& id : idsIn(runs())) {
    const auto found = known.find(id);
    auto* row = found == known.end() ? nullptr : found->second;
    if (row) known.erase(found);
    const bool ended = row && row->summary.status != "running" && row->stamp != 0;
    if (ended && row->stamp == folderStamp(runs() / id)) {
      listed.push_back({row->created_ms, std::move(id), row, nullptr});
      continue;
    }
    auto reading = load(id);
    if (!reading) continue;
    const bool stillRuns = row && row->summary.status == "running" && reading->record.summary.status == "running";
    if (!stillRuns) stale.push_back(rowOf(*reading));
    listed.push_back(
        {reading->record.created_ms, std::move(id), nullptr, std::make_unique<RunRecord>(std::move(reading->record))});
  }
  std::vector<std::string> gone;
  for (const auto& [id, row] : known) gone.emplace_back(id);
  withIndex([&](Index& index) { return index.write(stale, gone); });
  std::sort(listed.begin(), listed.end(), listedFirst);
  if (listed.size() > wanted) listed.erase(listed.begin() + static_cast<std::ptrdiff_t>(wanted), listed.end());
  return recordsOf(listed);
}

std::vector<RunRecord> FolderRegistry::recordsOf(std::vector<Listed>& listed) {
  std::vector<RunRecord> records;
  records.reserve(listed.size());
  for (auto& run : listed) {
    if (run.record) {
      records.push_back(std::move(*run.record));
    } else if (auto record = recordOf(std::move(*run.row), runs() / run.id)) {
      records.push_back(std::move(*record));
    } else if (auto reading = load(run.id)) {  // the row is garbled
      withIndex([&](Index& index) { return index.write({rowOf(*reading)}, {}); });
      records.push_back(std::move(reading->record));
    }
  }
  return records;
}

wire::Result<std::vector<RunRecord>> FolderRegistry::list(int limit) {
  return synchronise(static_cast<std::size_t>(std::max(limit, 0)));
}

wire::Error FolderRegistry::noRun(std::string_view wanted) const {
  const std::string name(wanted);
  auto error = usageError({"registry.no_run", {{"run", name}}});
  if (const auto nearest = wire::nearestName(name, idsIn(runs())); !nearest.empty()) {
    error.messages.front().args.emplace_back("nearest", nearest);
    error.messages.push_back({"registry.did_you_mean", {{"nearest", nearest}}});
  }
  return error;
}

wire::Status FolderRegistry::checkRun(const std::string& id) const {
  if (auto status = checkId(id); !status) return status;
  std::error_code ignored;
  if (!fs::is_directory(runs() / id, ignored)) return noRun(id);
  return wire::success();
}

wire::Result<RunRecord> FolderRegistry::find(std::string_view idOrPrefix) {
  if (auto status = checkId(idOrPrefix); !status) return status.error();
  std::string id(idOrPrefix);
  std::error_code ignored;
  if (!fs::is_directory(runs() / id, ignored)) {
    auto fitting = idsIn(runs());
    std::erase_if(fitting, [&](const std::string& other) { return !other.starts_with(id); });
    if (fitting.size() > 1) {
      const auto examples = fitting[0] + ", " + fitting[1] + (fitting.size() > 2 ? ", …" : "");
      return usageError(
          {"registry.ambiguous", {{"run", id}, {"count", std::to_string(fitting.size())}, {"examples", examples}}});
    }
    if (fitting.empty()) return noRun(id);
    id = fitting.front();
  }
  auto reading = load(id);
  if (!reading) return noRun(id);
  return std::move(reading->record);
}

wire::Result<std::vector<wire::RunEvent>> FolderRegistry::events(const std::string& id) {
  if (auto status = checkRun(id); !status) return status.error();
  auto log = readLog(runs() / id / "events.jsonl");
  if (!log) return log.error();
  if (log->skipped > 0) notice({"registry.skipped_lines", {{"run", id}, {"count", std::to_string(log->skipped)}}});
  return std::move(log->events);
}

void FolderRegistry::put(const std::string& id) {
  if (const auto reading = load(id)) withIndex([&](Index& index) { return index.write({rowOf(*reading)}, {}); });
}

wire::Status FolderRegistry::label(const std::string& id, const Labels& labels) {
  if (auto status = checkRun(id); !status) return status;
  if (auto status = writeWhole(runs() / id / "labels.json", jsonText(toJson(labels))); !status) return status;
  put(id);
  return wire::success();
}

wire::Status FolderRegistry::remove(const std::string& id) {
  if (auto status = checkRun(id); !status) return status;
  if (const auto reading = load(id); reading && reading->record.summary.status == "running")
    return usageError({"registry.running", {{"run", id}}});
  std::error_code error;
  fs::create_directories(trash(), error);
  if (!error) fs::rename(runs() / id, trash() / id, error);
  if (error) return systemError("registry.write", runs() / id, error.value());
  withIndex([&](Index& index) { return index.write({}, {id}); });
  return wire::success();
}

wire::Status FolderRegistry::restore(const std::string& id) {
  if (auto status = checkId(id); !status) return status;
  std::error_code error;
  if (!fs::is_directory(trash() / id, error)) return usageError({"registry.not_in_trash", {{"run", id}}});
  if (fs::exists(runs() / id, error)) return failure({"registry.exists", {{"run", id}}});
  fs::rename(trash() / id, runs() / id, error);
  if (error) return systemError("registry.write", trash() / id, error.value());
  put(id);
  return wire::success();
}

wire::Status FolderRegistry::purge() {
  std::error_code error;
  fs::remove_all(trash(), error);
  if (error) return systemError("registry.write", trash(), error.value());
  removeAbandoned(runs());
  return wire::success();
}

wire::Result<int> FolderRegistry::reindex() {
  if (!m_index) openIndex();
  withIndex([](Index& index) { return index.clear(); });
  m_opened.reset();
  return static_cast<int>(synchronise(std::numeric_limits<std::size_t>::max()).size());
}

wire::Status FolderRegistry::putRace(const std::string& id, const wire::RaceSummary& race) {
  if (auto status = checkId(id); !status) return status;
  std::error_code error;
  fs::create_directories(m_home / "races", error);
  if (error) return systemError("registry.write", m_home / "races", error.value());
  if (auto status = writeWhole(m_home / "races" / (id + ".json"), jsonText(wire::toJson(race))); !status) return status;
  for (const auto* run : race.runs()) {
    if (!checkRun(run->id)) continue;
    if (auto status = writeWhole(runs() / run->id / "race.json", jsonText({{"race", id}})); !status) return status;
    put(run->id);
  }
  return wire::success();
}

wire::Result<wire::RaceSummary> FolderRegistry::race(const std::string& id) {
  if (auto status = checkId(id); !status) return status.error();
  const auto file = m_home / "races" / (id + ".json");
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return usageError({"registry.no_race", {{"race", id}}});
  const auto text = readWhole(file);
  if (!text) return text.error();
  const auto object = wire::parseJson(*text);
  if (!object || !object->is_object()) return failure({"registry.damaged", {{"file", file.string()}}});
  return wire::raceSummaryFromJson(*object);
}

wire::Status FolderRegistry::putSweep(const wire::SweepSummary& sweep) {
  if (auto status = checkId(sweep.id); !status) return status;
  std::error_code error;
  fs::create_directories(m_home / "sweeps", error);
  if (error) return systemError("registry.write", m_home / "sweeps", error.value());
  return writeWhole(m_home / "sweeps" / (sweep.id + ".json"), jsonText(wire::toJson(sweep)));
}

wire::Result<wire::SweepSummary> FolderRegistry::sweep(const std::string& id) {
  if (auto status = checkId(id); !status) return status.error();
  const auto file = m_home / "sweeps" / (id + ".json");
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return usageError({"registry.no_sweep", {{"sweep", id}}});
  const auto text = readWhole(file);
  if (!text) return text.error();
  const auto object = wire::parseJson(*text);
  if (!object || !object->is_object()) return failure({"registry.damaged", {{"file", file.string()}}});
  return wire::sweepSummaryFromJson(*object);
}

}  // namespace

wire::Result<std::unique_ptr<Registry>> Registry::open(const fs::path& home) {
  std::error_code error;
  fs::create_directories(home / "runs", error);
  // A home that can't be written can still be read.
  if (std::error_code ignored; error && !fs::is_directory(home, ignored)) return homeError(home, error);
  auto registry = std::make_unique<FolderRegistry>(home);
  registry->openIndex();
  return std::unique_ptr<Registry>(std::move(registry));
}

}  // namespace atelier::registry
