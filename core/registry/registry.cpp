#include "registry.h"

#include <algorithm>
#include <map>

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

bool newerFirst(const RunRecord& left, const RunRecord& right) {
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

 private:
  fs::path runs() const { return m_home / "runs"; }
  fs::path trash() const { return m_home / "trash"; }

  void notice(wire::Message message);
  std::optional<RunReading> load(const std::string& id);
  std::vector<RunRecord> synchronise();
  wire::Status checkRun(const std::string& id) const;
  wire::Error noRun(std::string_view wanted) const;
  void setAside(Index::Opened opened, const fs::path& aside);
  void put(const std::string& id);
  template <class Operation>
  void withIndex(Operation operation);

  fs::path m_home;
  std::unique_ptr<Index> m_index;  // null: the folders serve
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
  std::vector<IndexRow> rows;
  if (opened.index) opened.state = opened.index->read(rows);
  fs::path aside;
  if (opened.state == IndexState::Damaged) {
    opened.index.reset();
    opened = Index::renew(m_home, aside);
  }
  setAside(std::move(opened), aside);
  if (!aside.empty()) synchronise();
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

// All runs, the index brought in line with the folders. The rows are read before the folders: a run that appears in
// between is then only missing in the rows, never taken for one whose folder is gone.
std::vector<RunRecord> FolderRegistry::synchronise() {
  std::map<std::string, IndexRow> rows;
  withIndex([&rows](Index& index) {
    std::vector<IndexRow> all;
    const auto state = index.read(all);
    for (auto& row : all) rows.emplace(row.id, std::move(row));
    return state;
  });
  std::vector<RunRecord> records;
  std::vector<IndexRow> stale;
  for (const auto& id : idsIn(runs())) {
    const auto row = rows.extract(id);
    const bool ended = row && row.mapped().status != "running" && row.mapped().stamp != 0;
    const bool same = ended && row.mapped().stamp == folderStamp(runs() / id);
    if (auto record = same ? recordOf(row.mapped(), runs() / id) : std::nullopt) {
      records.push_back(std::move(*record));
      continue;
    }
    auto reading = load(id);
    if (!reading) continue;
    const bool stillRuns = row && row.mapped().status == "running" && reading->record.summary.status == "running";
    if (!stillRuns) stale.push_back(rowOf(*reading));
    records.push_back(std::move(reading->record));
  }
  std::vector<std::string> gone;
  for (const auto& [id, row] : rows) gone.push_back(id);
  withIndex([&](Index& index) { return index.write(stale, gone); });
  std::sort(records.begin(), records.end(), newerFirst);
  return records;
}

wire::Result<std::vector<RunRecord>> FolderRegistry::list(int limit) {
  auto records = synchronise();
  const auto wanted = static_cast<std::size_t>(std::max(limit, 0));
  if (records.size() > wanted) records.erase(records.begin() + static_cast<std::ptrdiff_t>(wanted), records.end());
  return records;
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
  return static_cast<int>(synchronise().size());
}

wire::Status FolderRegistry::putRace(const std::string& id, const wire::RaceSummary& race) {
  if (auto status = checkId(id); !status) return status;
  std::error_code error;
  fs::create_directories(m_home / "races", error);
  if (error) return systemError("registry.write", m_home / "races", error.value());
  if (auto status = writeWhole(m_home / "races" / (id + ".json"), jsonText(wire::toJson(race))); !status) return status;
  for (const auto& run : {race.a.id, race.b.id}) {
    if (!checkRun(run)) continue;
    if (auto status = writeWhole(runs() / run / "race.json", jsonText({{"race", id}})); !status) return status;
    put(run);
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
