// Many processes on one home, and writers that are killed.
#include <algorithm>
#include <array>

#include "fixture.h"

namespace atelier::registry::testing {
namespace {

constexpr int kWriters = 4, kRunsEach = 25;

int writeMany(const fs::path& home) {
  for (int i = 0; i < kRunsEach; ++i)
    if (writeRun(home).empty()) return 1;
  return 0;
}

// Lists until all runs are done. No run may be lost again, or taken for a killed one.
int watch(const fs::path& home) {
  auto registry = Registry::open(home);
  if (!registry) return 1;
  std::size_t seen = 0;
  for (int tries = 0; tries < 10'000; ++tries) {
    const auto runs = (*registry)->list();
    if (!runs || runs->size() < seen) return 2;
    seen = runs->size();
    int done = 0;
    for (const auto& run : *runs) {
      if (run.summary.status == "done") ++done;
      else if (run.summary.status != "running") return 3;
    }
    if (done == kWriters * kRunsEach) return (*registry)->notices().empty() ? 0 : 4;
    ::usleep(20'000);
  }
  return 5;
}

TEST_F(RegistryTest, FourWritersAndTwoReadersLoseNothing) {
  std::vector<pid_t> children;
  for (int i = 0; i < kWriters; ++i) children.push_back(startChild([&] { return writeMany(m_home); }));
  for (int i = 0; i < 2; ++i) children.push_back(startChild([&] { return watch(m_home); }));
  for (const auto child : children) EXPECT_EQ(waitFor(child), 0);
  const auto registry = open();
  EXPECT_EQ(registry->list()->size(), static_cast<std::size_t>(kWriters * kRunsEach));
  EXPECT_EQ(*registry->reindex(), kWriters * kRunsEach);
}

// A process that writes some blocks and then waits to be killed.
class KilledWriterTest : public RegistryTest {
 protected:
  void SetUp() override {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe(ready.data()), 0);
    m_child = startChild([&] { return writeAndWait(ready[1]); });
    ::close(ready[1]);
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
  }
  void TearDown() override {
    if (m_child > 0) kill();
  }

  void kill() {
    ::kill(m_child, SIGKILL);
    EXPECT_EQ(waitFor(m_child), 128 + SIGKILL);
    m_child = 0;
  }

  int writeAndWait(int ready) {
    auto writer = RunWriter::create(m_home, m_id, exampleSpec(), {});
    if (!writer) return 1;
    for (int block = 0; block < 5; ++block)
      if (!(*writer)->append(blockLine(block, 1000 + block, block == 4))) return 2;
    if (::write(ready, "x", 1) != 1) return 3;
    for (;;) ::pause();
  }

  fs::path events() const { return m_home / "runs" / m_id / "events.jsonl"; }

  const std::string m_id = "20261130-104512-3f9a1c";
  pid_t m_child = 0;
};

TEST_F(KilledWriterTest, IsFoundByTheNextReaderWithWhatItMeasured) {
  const auto registry = open();
  EXPECT_EQ(registry->list()->front().summary.status, "running");
  kill();
  const auto run = registry->list()->front();
  EXPECT_EQ(run.summary.status, "failed");
  EXPECT_EQ(run.summary.failure, (std::vector<wire::Message>{{"run.killed"}}));
  EXPECT_EQ(run.summary.steps, 100);
  EXPECT_EQ(run.summary.seed, 7);
  EXPECT_EQ(run.summary.samples_per_second->median, 1001.5);
  EXPECT_EQ(run.summary.samples_per_second->count, 4);
  EXPECT_TRUE(hasNotice(*registry, "registry.killed"));
  const auto recorded = *registry->events(m_id);
  ASSERT_EQ(recorded.size(), 6U);
  EXPECT_TRUE(std::holds_alternative<wire::RunFailed>(recorded.back().body));
  // Told once: for later readers it is a failed run like any other.
  const auto later = open();
  EXPECT_EQ(later->find(m_id)->summary.status, "failed");
  EXPECT_TRUE(later->notices().empty());
}

TEST_F(KilledWriterTest, LeavesATornLineThatIsCutOff) {
  kill();
  std::ofstream(events(), std::ios::app) << "{\"v\":1,\"kind\":\"blo";
  const auto registry = open();
  EXPECT_EQ(registry->find(m_id)->summary.blocks, 5);
  EXPECT_EQ(registry->events(m_id)->size(), 6U);
  EXPECT_FALSE(hasNotice(*registry, "registry.skipped_lines"));
}

TEST_F(KilledWriterTest, IsMarkedOnceByManyReaders) {
  kill();
  std::vector<pid_t> readers;
  for (int i = 0; i < 6; ++i)
    readers.push_back(startChild([&] {
      auto registry = Registry::open(m_home);
      if (!registry) return 1;
      const auto runs = (*registry)->list();
      return runs && runs->size() == 1 && runs->front().summary.status == "failed" ? 0 : 2;
    }));
  for (const auto reader : readers) EXPECT_EQ(waitFor(reader), 0);
  const auto recorded = *open()->events(m_id);
  EXPECT_EQ(std::count_if(recorded.begin(), recorded.end(),
                          [](const wire::RunEvent& event) { return std::holds_alternative<wire::RunFailed>(event.body); }),
            1);
}

TEST_F(KilledWriterTest, AfterItsLastWordIsDone) {
  kill();
  auto summary = exampleSummary();
  summary.id = m_id;
  std::ofstream(events(), std::ios::app) << wire::encodeEvent({0, 9, "", wire::RunFinished{summary}}) << "\n";
  const auto registry = open();
  EXPECT_EQ(registry->find(m_id)->summary.status, "done");
  EXPECT_EQ(registry->events(m_id)->size(), 6U);
}

}  // namespace
}  // namespace atelier::registry::testing
