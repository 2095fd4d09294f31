#include "core/registry/index.h"

#include <sqlite3.h>

#include <chrono>
#include <cmath>

#include "fixture.h"

namespace atelier::registry::testing {
namespace {

class IndexTest : public RegistryTest {
 protected:
  fs::path file() const { return m_home / "index.sqlite"; }

  void fill(int runs) {
    for (int i = 0; i < runs; ++i) ASSERT_FALSE(writeRun(m_home).empty());
    ASSERT_EQ(open()->list()->size(), static_cast<std::size_t>(runs));
  }

  fs::path setAside() const {
    for (const auto& entry : fs::directory_iterator(m_home)) {
      const auto name = entry.path().filename().string();
      if (name.starts_with("index.sqlite.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")) return entry.path();
    }
    return {};
  }

  void expectMended(std::size_t runs) {
    const auto registry = open();
    ASSERT_TRUE(hasNotice(*registry, "registry.index_damaged"));
    EXPECT_EQ(registry->notices().front().args.front().second, setAside().string());
    EXPECT_EQ(registry->list()->size(), runs);
    const auto again = open();
    EXPECT_TRUE(again->notices().empty());
    EXPECT_EQ(again->list()->size(), runs);
  }
};

TEST_F(IndexTest, GarbageIsSetAsideAndTheIndexMadeAgain) {
  fill(3);
  overwrite(file(), std::string(9000, 'x'));
  expectMended(3);
  EXPECT_EQ(contentOf(setAside()), std::string(9000, 'x'));
}

TEST_F(IndexTest, ATruncatedFileIsSetAsideAndTheIndexMadeAgain) {
  fill(6);
  fs::resize_file(file(), fs::file_size(file()) / 2);
  expectMended(6);
}

TEST_F(IndexTest, ALostTableIsDamageToo) {
  fill(2);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "DROP TABLE runs", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  expectMended(2);
}

TEST_F(IndexTest, DamageUnderAnOpenRegistryIsMended) {
  fill(3);
  auto registry = open();
  overwrite(file(), std::string(9000, 'x'));
  EXPECT_EQ(registry->list()->size(), 3U);
  registry.reset();
  EXPECT_EQ(open()->list()->size(), 3U);
}

TEST_F(IndexTest, TheFoldersAreTheTruth) {
  fill(2);
  const auto registry = open();
  const auto runs = *registry->list();
  fs::rename(runs[0].folder, m_home / "runs" / "20200101-000000-000000");
  fs::remove_all(runs[1].folder);
  const auto now = registry->list();
  ASSERT_EQ(now->size(), 1U);
  EXPECT_EQ(now->front().id, "20200101-000000-000000");
  auto opened = Index::open(m_home);
  ASSERT_NE(opened.index, nullptr);
  std::vector<IndexRow> rows;
  ASSERT_EQ(opened.index->read(rows), IndexState::Ok);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().id, "20200101-000000-000000");
}

TEST_F(IndexTest, ChangesOfOtherProgramsAreSeen) {
  const auto id = writeRun(m_home);
  const auto registry = open();
  ASSERT_EQ(registry->list()->front().labels.name, "");
  ASSERT_TRUE(writeWhole(m_home / "runs" / id / "labels.json", R"({"name":"changed outside"})").ok());
  EXPECT_EQ(registry->list()->front().labels.name, "changed outside");
}

TEST_F(IndexTest, AFolderThatHasNotChangedIsReadFromTheIndex) {
  const auto id = writeRun(m_home);
  const auto folder = m_home / "runs" / id;
  fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto registry = open();
  ASSERT_EQ(registry->list()->front().summary.steps, 200);
  // Written in place, which the registry never does: the folder's stamp stays.
  overwrite(folder / "summary.json", R"({"status":"done","steps":1})");
  EXPECT_EQ(registry->list()->front().summary.steps, 200);
  ASSERT_TRUE(registry->label(id, {"new", "", {}, false}).ok());
  EXPECT_EQ(registry->list()->front().summary.steps, 1);
}

TEST_F(IndexTest, WithoutAnIndexTheFoldersServe) {
  fs::create_directories(file() / "in the way");
  const auto id = writeRun(m_home);
  ASSERT_FALSE(id.empty());
  const auto registry = open();
  EXPECT_TRUE(hasNotice(*registry, "registry.index_unavailable"));
  EXPECT_EQ(registry->list()->front().id, id);
  ASSERT_TRUE(registry->label(id, {"named", "", {}, false}).ok());
  EXPECT_EQ(registry->list()->front().labels.name, "named");
}

TEST_F(IndexTest, ANewerProgramsIndexIsLeftAlone) {
  fill(1);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version=99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const auto registry = open();
  EXPECT_TRUE(hasNotice(*registry, "registry.index_unavailable"));
  EXPECT_EQ(registry->list()->size(), 1U);
  EXPECT_TRUE(setAside().empty());
}

TEST_F(IndexTest, AnOlderProgramsRowsAreMadeAgain) {
  fill(2);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  const char* older =
      R"(DROP TABLE runs; CREATE TABLE runs(id TEXT PRIMARY KEY, created_ms INTEGER NOT NULL, stamp INTEGER NOT NULL,
    status TEXT NOT NULL, race TEXT NOT NULL, spec TEXT NOT NULL, summary TEXT NOT NULL, labels TEXT NOT NULL);
    INSERT INTO runs VALUES('gone', 1, 1, 'done', '', '{}', '{}', '{}'); PRAGMA user_version=1;)";
  ASSERT_EQ(sqlite3_exec(database, older, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  const auto registry = open();
  EXPECT_EQ(registry->list()->size(), 2U);
  EXPECT_TRUE(registry->notices().empty());
  EXPECT_TRUE(setAside().empty());
}

TEST_F(IndexTest, ARowTellsAllThatTheFolderTells) {
  auto summary = exampleSummary();
  summary.status = "interrupted";
  summary.variant = "b";
  summary.optimizer_steps = 100;
  summary.skipped_steps = 3;
  summary.samples = 25600;
  summary.epochs = 2;
  summary.step_p50 = 1.5;
  summary.step_p99 = 3.25;
  summary.startup_milliseconds = 240.125;
  summary.peak_memory_bytes = {21, 1, 2, 3, 4, 11};
  summary.rss_bytes = 1LL << 40;
  summary.stages = {1, 2, 3, 4, 5, 15};
  summary.loss = std::nan("");
  summary.evaluated = 10'000;
  summary.blocks = 10;
  summary.disturbed_blocks = 2;
  summary.naive = {{"no_warmup", 900.0, 0.75, ""}, {"no_synchronisation", {}, {}, "naive.cpu"}};
  summary.notices = {{"precision.tf32_needs_gpu", {{"asked", "tf32"}}}};
  summary.failure = {{"run.killed", {}}};
  const auto id = makeRunId();
  {
    auto writer = RunWriter::create(m_home, id, exampleSpec(), {});
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->finish(summary).ok());
  }
  const auto folder = m_home / "runs" / id;
  ASSERT_TRUE(open()->label(id, {"name", "note", {"a", "b"}, true}).ok());
  fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto told = open()->list()->front();
  // In place, so that the folder's stamp stays and the index is asked.
  for (const char* name : {"spec.json", "summary.json", "labels.json"}) overwrite(folder / name, "{}");
  const auto again = open()->list()->front();
  summary.id = id;
  EXPECT_EQ(wire::toJson(told.summary).dump(), wire::toJson(summary).dump());
  EXPECT_EQ(wire::toJson(again.summary).dump(), wire::toJson(summary).dump());
  EXPECT_EQ(again.spec, exampleSpec());
  EXPECT_EQ(again.labels.tags, told.labels.tags);
  EXPECT_EQ(again.labels.note, "note");
  EXPECT_TRUE(again.labels.pinned);
  EXPECT_EQ(again.created_ms, told.created_ms);
  EXPECT_EQ(again.folder, folder);
}

TEST_F(IndexTest, ReindexCountsTheRuns) {
  fill(4);
  EXPECT_EQ(*open()->reindex(), 4);
}

}  // namespace
}  // namespace atelier::registry::testing
