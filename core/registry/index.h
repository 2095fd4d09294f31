// The SQLite index: one row a run, a copy of what its folder said when its stamp was taken. Never the truth: a row counts
// only while its stamp is the folder's, and a lost or damaged index is made again from the folders. Many processes at once
// (WAL, or a rollback journal where WAL can't be: refused, or a network file system, where its shared memory isn't shared).
// An Index belongs to one thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "index_row.h"

namespace atelier::registry {

// Damaged: to be set aside. Unavailable: can't be read or written now (rights, disk full, a newer program's, busy for ten
// seconds); the folders serve.
enum class IndexState { Ok, Damaged, Unavailable };

class Index {
 public:
  struct Opened {
    std::unique_ptr<Index> index;  // set when Ok
    IndexState state = IndexState::Unavailable;
  };
  static Opened open(const std::filesystem::path& home);
  // Renames a damaged index aside, unless another process has just done so, and opens a new one. `aside` is the name it was
  // given, empty when none was.
  static Opened renew(const std::filesystem::path& home, std::filesystem::path& aside);

  IndexState read(std::vector<IndexRow>& rows);
  // One transaction.
  IndexState write(const std::vector<IndexRow>& put, const std::vector<std::string>& drop);
  IndexState clear();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  using Database = std::unique_ptr<sqlite3, Close>;

  explicit Index(Database database) : m_database(std::move(database)) {}
  bool sound();  // looks at every page: slow
  static Opened openUnlocked(const std::filesystem::path& file);
  IndexState transact(const std::vector<IndexRow>& put, const std::vector<std::string>& drop, bool all);

  Database m_database;
};

// What a writer does about the index: its row, or nothing when that can't be. Readers mend the rest.
void indexRun(const std::filesystem::path& home, const std::string& id);

}  // namespace atelier::registry
