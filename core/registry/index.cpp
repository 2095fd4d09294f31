#include "index.h"

#include <sqlite3.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>

#include "files.h"
#include "run_id.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 2;
constexpr int kPatience = 10'000;  // milliseconds for another process's transaction

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
  if (version == kVersion) return SQLITE_OK;
  // An older program's rows are only a copy: they are made again as the folders are read.
  const auto schema = "DROP TABLE IF EXISTS runs; CREATE TABLE runs(" + columnDefinitions() +
                      "); PRAGMA user_version=" + std::to_string(kVersion) + ";";
  return execute(database, ("BEGIN IMMEDIATE; " + schema + " COMMIT;").c_str());
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
  Statement all(m_database.get(), ("SELECT " + columnNames() + " FROM runs").c_str());
  int code = all.step();
  for (; code == SQLITE_ROW; code = all.step()) rows.push_back(readRow(all));
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
    Statement insert(database, ("INSERT OR REPLACE INTO runs VALUES(" + columnMarks() + ")").c_str());
    for (auto row = put.begin(); go() && row != put.end(); ++row) {
      bindRow(insert, *row);
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
