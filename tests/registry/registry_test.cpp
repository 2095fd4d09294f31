#include "core/registry/registry.h"

#include <algorithm>
#include <clocale>
#include <locale>

#include "fixture.h"

namespace atelier::registry::testing {
namespace {

TEST_F(RegistryTest, ARunComesBackAsItWasWritten) {
  const auto id = writeRun(m_home);
  ASSERT_FALSE(id.empty());
  const auto registry = open();
  const auto runs = registry->list();
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 1U);
  const auto& run = runs->front();
  EXPECT_EQ(run.id, id);
  EXPECT_EQ(run.spec, exampleSpec());
  EXPECT_EQ(run.summary.id, id);
  EXPECT_EQ(run.summary.status, "done");
  EXPECT_EQ(run.summary.samples_per_second->median, 1234.5);
  EXPECT_EQ(run.folder, m_home / "runs" / id);
  EXPECT_TRUE(fs::exists(run.folder / "environment.json"));
  EXPECT_FALSE(fs::exists(run.folder / ".reserve"));
  const auto events = registry->events(id);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ(std::get<wire::BlockDone>(events->at(2).body).samples_per_second, 1002);
  EXPECT_TRUE(registry->notices().empty());
}

TEST_F(RegistryTest, TheNewestComesFirstAndTheLimitHolds) {
  const auto first = writeRun(m_home), second = writeRun(m_home), third = writeRun(m_home);
  const auto runs = open()->list(2);
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ(runs->at(0).id, third);
  EXPECT_EQ(runs->at(1).id, second);
  EXPECT_LT(first, second);
}

TEST_F(RegistryTest, TheTimeOfARunIsThatOfItsId) {
  ASSERT_FALSE(writeRun(m_home, "20261130-104512-800abc").empty());
  EXPECT_EQ(open()->list()->front().created_ms, 1796035512500);
}

TEST_F(RegistryTest, AnUnfinishedRunIsRunningWhileItsWriterLives) {
  auto writer = RunWriter::create(m_home, makeRunId(), exampleSpec(), {});
  ASSERT_TRUE(writer.ok());
  const auto registry = open();
  EXPECT_EQ(registry->list()->front().summary.status, "running");
  EXPECT_EQ(registry->list()->front().summary.seed, 7);
  EXPECT_EQ(firstId(registry->remove((*writer)->id())), "registry.running");
  ASSERT_TRUE((*writer)->finish(exampleSummary()).ok());
  EXPECT_EQ(registry->list()->front().summary.status, "done");
}

TEST_F(RegistryTest, APrefixFindsARun) {
  ASSERT_FALSE(writeRun(m_home, "20261130-104512-3f9a1c").empty());
  ASSERT_FALSE(writeRun(m_home, "20261130-104512-3f9bbb").empty());
  ASSERT_FALSE(writeRun(m_home, "20270101-000000-000000").empty());
  const auto registry = open();
  EXPECT_EQ(registry->find("2027")->id, "20270101-000000-000000");
  EXPECT_EQ(registry->find("20261130-104512-3f9a1c")->id, "20261130-104512-3f9a1c");
  EXPECT_EQ(firstId(registry->find("20261130")), "registry.ambiguous");
  const auto missing = registry->find("20261130-104512-3f9a1d");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(missing.error().messages.at(0).id, "registry.no_run");
  EXPECT_EQ(missing.error().messages.at(1), (wire::Message{"registry.did_you_mean", {{"nearest", "20261130-104512-3f9a1c"}}}));
}

TEST_F(RegistryTest, AnIdIsNeverAPath) {
  fs::create_directories(m_home / "runs");
  fs::create_directories(m_home / "x");
  overwrite(m_home / "x" / "spec.json", "{}");
  const auto registry = open();
  for (const std::string id : {"../x", "/etc", "", ".", "..", "a/b", "a..b", ".new-1", "-x", "a\nb"}) {
    EXPECT_EQ(firstId(RunWriter::create(m_home, id, {}, {})), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->find(id)), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->events(id)), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->label(id, {})), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->remove(id)), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->restore(id)), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->putRace(id, {})), "registry.bad_id") << id;
    EXPECT_EQ(firstId(registry->race(id)), "registry.bad_id") << id;
  }
  EXPECT_TRUE(fs::exists(m_home / "x" / "spec.json"));
}

TEST_F(RegistryTest, AnIdIsTakenOnce) {
  const auto id = writeRun(m_home);
  EXPECT_EQ(firstId(RunWriter::create(m_home, id, {}, {})), "registry.exists");
  EXPECT_EQ(open()->find(id)->spec, exampleSpec());
}

TEST_F(RegistryTest, LabelsStayWithTheFolder) {
  const auto id = writeRun(m_home);
  {
    const auto registry = open();
    ASSERT_TRUE(registry->label(id, {"été", "a note\nof two lines", {"day 1", "bf16"}, true}).ok());
    EXPECT_EQ(registry->list()->front().labels.name, "été");
    EXPECT_EQ(firstId(registry->label("20000101-000000-000000", {})), "registry.no_run");
  }
  fs::remove(m_home / "index.sqlite");
  const auto labels = open()->find(id)->labels;
  EXPECT_EQ(labels.note, "a note\nof two lines");
  EXPECT_EQ(labels.tags, (std::vector<std::string>{"day 1", "bf16"}));
  EXPECT_TRUE(labels.pinned);
}

TEST_F(RegistryTest, ARemovedRunCanBeRestoredUntilThePurge) {
  const auto kept = writeRun(m_home), id = writeRun(m_home);
  const auto registry = open();
  ASSERT_EQ(registry->list()->size(), 2U);
  ASSERT_TRUE(registry->remove(id).ok());
  EXPECT_EQ(registry->list()->size(), 1U);
  EXPECT_EQ(firstId(registry->find(id)), "registry.no_run");
  ASSERT_TRUE(registry->restore(id).ok());
  EXPECT_EQ(registry->find(id)->summary.status, "done");
  EXPECT_EQ(registry->list()->size(), 2U);
  ASSERT_TRUE(registry->remove(id).ok());
  ASSERT_TRUE(registry->purge().ok());
  EXPECT_EQ(firstId(registry->restore(id)), "registry.not_in_trash");
  EXPECT_EQ(registry->list()->front().id, kept);
}

TEST_F(RegistryTest, ARaceIsKnownByItsRuns) {
  wire::RaceSummary race;
  race.a = exampleSummary();
  race.b = exampleSummary();
  race.a.id = writeRun(m_home);
  race.b.id = writeRun(m_home);
  race.ratio = wire::Interval{1.62, 1.55, 1.70, 9};
  race.verdict = "faster";
  const auto id = makeRunId();
  {
    const auto registry = open();
    ASSERT_TRUE(registry->putRace(id, race).ok());
    EXPECT_EQ(registry->race(id)->verdict, "faster");
    EXPECT_EQ(registry->race(id)->ratio->median, 1.62);
    EXPECT_EQ(firstId(registry->race(makeRunId())), "registry.no_race");
  }
  fs::remove(m_home / "index.sqlite");
  const auto runs = *open()->list();
  EXPECT_EQ(runs.size(), 2U);
  for (const auto& run : runs) EXPECT_EQ(run.race, id);
}

TEST_F(RegistryTest, ARunNamesItsRaceBeforeTheRaceHasEnded) {
  auto writer = RunWriter::create(m_home, makeRunId(), exampleSpec(), {{"race", "20261130-104512-3f9a1c"}});
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(open()->list()->front().race, "20261130-104512-3f9a1c");
}

TEST_F(RegistryTest, DamagedFilesAreNamedAndTheRestIsRead) {
  const auto noSpec = writeRun(m_home), badSummary = writeRun(m_home), whole = writeRun(m_home);
  fs::remove(m_home / "runs" / noSpec / "spec.json");
  overwrite(m_home / "runs" / badSummary / "summary.json", "{\"status\": \"do");
  fs::create_directories(m_home / "runs" / "empty");
  const auto registry = open();
  ASSERT_EQ(registry->list()->size(), 4U);
  const auto expectDamage = [&](const std::string& id, const std::string& file) {
    const auto run = registry->find(id);
    EXPECT_EQ(run->summary.status, "failed") << id;
    EXPECT_TRUE(std::any_of(run->summary.failure.begin(), run->summary.failure.end(), [&](const wire::Message& message) {
      return message.id == "registry.damaged" && message.args.front().second.ends_with(file);
    })) << id;
  };
  expectDamage(noSpec, "spec.json");
  expectDamage(badSummary, "summary.json");
  expectDamage("empty", "events.jsonl");
  EXPECT_EQ(registry->find(noSpec)->summary.samples_per_second->median, 1234.5);
  EXPECT_EQ(registry->find(badSummary)->summary.samples_per_second->median, 1001);
  EXPECT_EQ(registry->find(whole)->summary.status, "done");
  EXPECT_EQ(contentOf(m_home / "runs" / badSummary / "summary.json"), "{\"status\": \"do");
}

TEST_F(RegistryTest, LinesThatAreNoEventsAreCountedAndSkipped) {
  const auto id = writeRun(m_home);
  std::ofstream(m_home / "runs" / id / "events.jsonl", std::ios::app) << "not json\n{\"v\":1}\n{\"v\":1,\"kind\":\"bl";
  const auto registry = open();
  EXPECT_EQ(registry->events(id)->size(), 3U);
  ASSERT_TRUE(hasNotice(*registry, "registry.skipped_lines"));
  EXPECT_EQ(registry->notices().front().args.at(1).second, "2");
}

TEST_F(RegistryTest, TheLocaleChangesNothing) {
  ASSERT_NE(std::setlocale(LC_ALL, "fr_FR.UTF-8"), nullptr);
  const auto before = std::locale::global(std::locale("fr_FR.UTF-8"));
  const auto id = writeRun(m_home);
  const auto summary = open()->find(id)->summary;
  const auto reindexed = open()->reindex();
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(summary.samples_per_second->low, 1200.25);
  EXPECT_EQ(*reindexed, 1);
  EXPECT_NE(contentOf(m_home / "runs" / id / "summary.json").find("1234.5"), std::string::npos);
  EXPECT_NE(contentOf(m_home / "runs" / id / "spec.json").find("0.001"), std::string::npos);
}

TEST(DefaultHomeTest, FollowsItsVariables) {
  ::setenv("ATELIER_HOME", "/a/home", 1);
  ::setenv("XDG_DATA_HOME", "/x/data", 1);
  ::setenv("HOME", "/h/me", 1);
  EXPECT_EQ(defaultHome(), "/a/home");
  ::unsetenv("ATELIER_HOME");
  EXPECT_EQ(defaultHome(), "/x/data/atelier");
  ::setenv("XDG_DATA_HOME", "relative", 1);
  EXPECT_EQ(defaultHome(), "/h/me/.local/share/atelier");
  ::unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(defaultHome(), "/h/me/.local/share/atelier");
}

TEST_F(RegistryTest, AFileIsReplacedWholeOrNotAtAll) {
  const auto file = m_home / "file";
  ASSERT_TRUE(writeWhole(file, "first").ok());
  ASSERT_TRUE(writeWhole(file, "second").ok());
  EXPECT_EQ(*readWhole(file), "second");
  EXPECT_EQ(firstId(readWhole(file, 3)), "registry.too_large");
  EXPECT_EQ(firstId(readWhole(m_home)), "registry.read");
  EXPECT_EQ(firstId(writeWhole(m_home / "missing" / "file", "x")), "registry.write");
  EXPECT_EQ(std::distance(fs::directory_iterator(m_home), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace atelier::registry::testing
