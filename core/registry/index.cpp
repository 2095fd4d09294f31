#include "index.h"

#include <sqlite3.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include "core/wire/number.h"
#include "files.h"
#include "run_id.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr int kPatience = 10'000;  // milliseconds for another process's transaction
constexpr const char* kSchema = R"(CREATE TABLE IF NOT EXISTS runs(
  id TEXT PRIMARY KEY, created_ms INTEGER NOT NULL, stamp INTEGER NOT NULL, status TEXT NOT NULL, race TEXT NOT NULL,
  spec TEXT NOT NULL, summary TEXT NOT NULL, labels TEXT NOT NULL);
PRAGMA user_version=1;)";

IndexState stateOf(int code) {
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return IndexState::Ok;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // our statements are right: a table or a column is missing
      return IndexState::Damaged;
    default:
      return IndexState::Unavailable;
  }
}

// A prepared statement; step() gives SQLITE_ROW, SQLITE_DONE or an error, from preparing it too.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) { m_code = sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(m_statement); }

  void bind(int at, std::int64_t value) { keep(sqlite3_bind_int64(m_statement, at, value)); }
  void bind(int at, const std::string& value) {
    keep(sqlite3_bind_text(m_statement, at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  int step() { return m_code != SQLITE_OK ? m_code : sqlite3_step(m_statement); }
  // Ready for the next values.
  void reset() { sqlite3_reset(m_statement); }

  std::int64_t integer(int column) { return sqlite3_column_int64(m_statement, column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))) : std::string();
  }

 private:
  void keep(int code) {
    if (m_code == SQLITE_OK) m_code = code;
  }

  sqlite3_stmt* m_statement = nullptr;
  int m_code = SQLITE_OK;
};

int execute(sqlite3* database, const char* sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
}

// WAL keeps its index in memory that is shared on one machine only.
bool onNetwork(const fs::path& folder) {
  // nfs, smb, cifs, smb2, lustre, gpfs, afs, fuse (sshfs), 9p
  static constexpr std::array<std::uint32_t, 9> kKinds = {0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x0BD00BD0,
                                                          0x47504653, 0x5346414F, 0x65735546, 0x01021997};
  struct statfs state {};
  if (::statfs(folder.c_str(), &state) != 0) return false;
  return std::find(kKinds.begin(), kKinds.end(), static_cast<std::uint32_t>(state.f_type)) != kKinds.end();
}

void chooseJournal(sqlite3* database, const fs::path& folder) {
  std::string mode;
  {
    Statement ask(database, "PRAGMA journal_mode");
    if (ask.step() == SQLITE_ROW) mode = ask.text(0);
  }
  const bool network = onNetwork(folder);
  if (mode == "wal" && !network) return;
  if (!network) {
    Statement set(database, "PRAGMA journal_mode=WAL");
    if (set.step() == SQLITE_ROW && set.text(0) == "wal") return;
  }
  execute(database, "PRAGMA journal_mode=TRUNCATE");
}

int makeSchema(sqlite3* database) {
  std::int64_t version = 0;
  {
    Statement ask(database, "PRAGMA user_version");
    const int code = ask.step();
    if (code != SQLITE_ROW) return code;
    version = ask.integer(0);
  }
  if (version > kVersion) return SQLITE_READONLY;
  return version == kVersion ? SQLITE_OK : execute(database, kSchema);
}

fs::path indexFile(const fs::path& home) {
  return home / "index.sqlite";
}

fs::path unusedName(const fs::path& file) {
  const auto base = file.string() + ".damaged-" + utcStamp(std::time(nullptr));
  fs::path name = base;
  std::error_code ignored;
  for (int i = 2; fs::exists(name, ignored); ++i) name = base + "-" + std::to_string(i);
  return name;
}

}  // namespace

IndexRow rowOf(const RunReading& reading) {
  const auto& record = reading.record;
  return {record.id,
          record.created_ms,
          reading.stamp,
          record.summary.status,
          record.race,
          jsonText(record.spec),
          jsonText(wire::toJson(record.summary)),
          jsonText(toJson(record.labels))};
}

std::optional<RunRecord> recordOf(const IndexRow& row, const fs::path& folder) {
  auto spec = wire::parseJson(row.spec);
  const auto summary = wire::parseJson(row.summary), labels = wire::parseJson(row.labels);
  if (!spec || !summary || !labels || !summary->is_object() || !labels->is_object()) return std::nullopt;
  return RunRecord{
      row.id, row.created_ms, row.race, std::move(*spec), wire::runSummaryFromJson(*summary), labelsFromJson(*labels), folder};
}

void Index::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Index::Opened Index::openUnlocked(const fs::path& file) {
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(raw);
  if (code != SQLITE_OK) return {nullptr, stateOf(code)};
  sqlite3_busy_timeout(raw, kPatience);
  chooseJournal(raw, file.parent_path());
  // The index can be made again: it need not survive a power cut, only stay consistent.
  execute(raw, "PRAGMA synchronous=NORMAL");
  code = makeSchema(raw);
  if (code != SQLITE_OK) return {nullptr, stateOf(code)};
  return {std::unique_ptr<Index>(new Index(std::move(database))), IndexState::Ok};
}

Index::Opened Index::open(const fs::path& home) {
  // Switching the journal isn't covered by SQLite's patience: two processes that make a new index would collide.
  const auto guard = lockFile(home / ".index.lock");
  return openUnlocked(indexFile(home));
}

Index::Opened Index::renew(const fs::path& home, fs::path& aside) {
  const auto guard = lockFile(home / ".index.lock");
  const auto file = indexFile(home);
  if (auto opened = openUnlocked(file); opened.state != IndexState::Damaged) {
    if (!opened.index || opened.index->sound()) return opened;
  }
  const auto name = unusedName(file);
  std::error_code error;
  fs::rename(file, name, error);
  if (error) return {};
  aside = name;
  for (const char* part : {"-wal", "-shm"}) fs::rename(file.string() + part, name.string() + part, error);
  return openUnlocked(file);
}

bool Index::sound() {
  Statement check(m_database.get(), "PRAGMA integrity_check(1)");
  if (check.step() != SQLITE_ROW || check.text(0) != "ok") return false;
  std::vector<IndexRow> rows;
  return read(rows) == IndexState::Ok;
}

IndexState Index::read(std::vector<IndexRow>& rows) {
  rows.clear();
  Statement all(m_database.get(), "SELECT id, created_ms, stamp, status, race, spec, summary, labels FROM runs");
  int code = all.step();
  for (; code == SQLITE_ROW; code = all.step())
    rows.push_back(
        {all.text(0), all.integer(1), all.integer(2), all.text(3), all.text(4), all.text(5), all.text(6), all.text(7)});
  return stateOf(code);
}

IndexState Index::write(const std::vector<IndexRow>& put, const std::vector<std::string>& drop) {
  return put.empty() && drop.empty() ? IndexState::Ok : transact(put, drop, false);
}

IndexState Index::clear() {
  return transact({}, {}, true);
}

IndexState Index::transact(const std::vector<IndexRow>& put, const std::vector<std::string>& drop, bool all) {
  auto* database = m_database.get();
  int code = execute(database, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return stateOf(code);
  if (all) code = execute(database, "DELETE FROM runs");
  const auto go = [&code] { return stateOf(code) == IndexState::Ok; };
  {
    Statement insert(database, "INSERT OR REPLACE INTO runs VALUES(?,?,?,?,?,?,?,?)");
    for (auto row = put.begin(); go() && row != put.end(); ++row) {
      insert.bind(1, row->id);
      insert.bind(2, row->created_ms);
      insert.bind(3, row->stamp);
      int column = 3;
      for (const auto* text : {&row->status, &row->race, &row->spec, &row->summary, &row->labels}) insert.bind(++column, *text);
      code = insert.step();
      insert.reset();
    }
    Statement remove(database, "DELETE FROM runs WHERE id=?");
    for (auto id = drop.begin(); go() && id != drop.end(); ++id) {
      remove.bind(1, *id);
      code = remove.step();
      remove.reset();
    }
  }
  if (go()) code = execute(database, "COMMIT");
  if (!go()) execute(database, "ROLLBACK");
  return stateOf(code);
}

void indexRun(const fs::path& home, const std::string& id) {
  const auto reading = readRun(home / "runs" / id);
  const auto opened = Index::open(home);
  if (reading && opened.index) opened.index->write({rowOf(*reading)}, {});
}

}  // namespace atelier::registry
