#include "core/registry/run_lock.h"

#include <chrono>

#include "fixture.h"

namespace atelier::registry::testing {
namespace {

using namespace std::chrono_literals;

// The start of a process that is waited for afterwards, so that its id names nobody.
WriterMark markOfADeadProcess() {
  auto mark = ownMark();
  mark.pid = startChild([] { return 0; });
  waitFor(static_cast<pid_t>(mark.pid));
  return mark;
}

TEST(WriterMarkTest, ReadsBackAsWritten) {
  EXPECT_EQ(parseMark(markText(ownMark())), ownMark());
  for (const auto* text : {"", "{}", "[1]", R"({"host":"h","boot":"b","pid":"1","start":2})"})
    EXPECT_FALSE(parseMark(text)) << text;
}

TEST(WriterMarkTest, NamesOneProcessOnly) {
  EXPECT_TRUE(markAlive(ownMark(), 0s));
  EXPECT_FALSE(markAlive(markOfADeadProcess(), 0s));
  auto reused = ownMark();
  ++reused.start;
  EXPECT_FALSE(markAlive(reused, 0s));
  auto earlierBoot = ownMark();
  earlierBoot.boot = "another";
  EXPECT_FALSE(markAlive(earlierBoot, 0s));
}

TEST(WriterMarkTest, AnotherHostsWriterLivesWhileItWrites) {
  auto foreign = ownMark();
  foreign.host += "-other";
  EXPECT_TRUE(markAlive(foreign, 1h));
  EXPECT_FALSE(markAlive(foreign, 25h));
}

TEST_F(RegistryTest, WithoutLocksTheWriterFileDecides) {
  const auto id = makeRunId();
  { ASSERT_TRUE(RunWriter::create(m_home, id, exampleSpec(), {}).ok()); }
  const auto folder = m_home / "runs" / id;
  overwrite(folder / "writer", markText(ownMark()));
  EXPECT_EQ(open()->find(id)->summary.status, "running");
  overwrite(folder / "writer", markText(markOfADeadProcess()));
  EXPECT_EQ(open()->find(id)->summary.status, "failed");
}

}  // namespace
}  // namespace atelier::registry::testing
