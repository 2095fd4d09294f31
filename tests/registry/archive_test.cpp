#include "core/registry/archive.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "archive_builder.h"
#include "fixture.h"

namespace atelier::registry::testing {
namespace {

class ArchiveTest : public RegistryTest {
 protected:
  fs::path file() const { return m_home / "some.atelier"; }
  fs::path other() const { return m_home / "other"; }

  void pack(const std::vector<std::string>& ids) const {
    const auto packed = exportRuns(*open(), ids, file());
    ASSERT_TRUE(packed.ok()) << packed.error().messages.front().id;
    EXPECT_TRUE(packed->left_out.empty());
  }

  ImportReport unpack() const {
    const auto report = importRuns(other(), file());
    EXPECT_TRUE(report.ok()) << firstId(report);
    return report ? *report : ImportReport();
  }
};

std::set<std::string> namesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST_F(ArchiveTest, ARunArrivesInAnotherHomeAsItWas) {
  const auto id = writeRun(m_home);
  fs::create_directories(m_home / "runs" / id / "profile");
  overwrite(m_home / "runs" / id / "profile" / "trace.json", std::string(200'000, 't'));
  ASSERT_TRUE(open()->label(id, {"été", "a note", {"slow"}, true}).ok());
  pack({id.substr(0, id.size() - 1)});
  const auto report = unpack();
  EXPECT_EQ(report.runs, std::vector<std::string>{id});
  for (const char* name : {"spec.json", "environment.json", "events.jsonl", "summary.json", "profile/trace.json"})
    EXPECT_EQ(contentOf(other() / "runs" / id / name), contentOf(m_home / "runs" / id / name)) << name;
  const auto opened = Registry::open(other());
  ASSERT_TRUE(opened.ok());
  const auto runs = (*opened)->list();
  ASSERT_EQ(runs->size(), 1U);
  EXPECT_EQ(runs->front().summary.samples_per_second->median, 1234.5);
  EXPECT_EQ(runs->front().labels.name, "été");
  EXPECT_EQ(runs->front().labels.tags, (std::vector<std::string>{"slow", "imported"}));
  EXPECT_TRUE((*opened)->notices().empty());
  EXPECT_EQ((*opened)->events(id)->size(), 3U);
  EXPECT_EQ(namesIn(other() / "runs"), std::set<std::string>{id}) << "nothing is left of the unpacking";
}

TEST_F(ArchiveTest, TheSameRunsMakeTheSameBytes) {
  const auto one = writeRun(m_home), two = writeRun(m_home);
  pack({one, two});
  const auto first = contentOf(file());
  pack({two, one, one});
  EXPECT_EQ(contentOf(file()), first);
  EXPECT_EQ(first.substr(0, 2), "\x1f\x8b") << "gzip";
}

TEST_F(ArchiveTest, RacesAndSweepsComeAlong) {
  wire::RaceSummary race;
  race.a.id = writeRun(m_home);
  race.b.id = writeRun(m_home);
  race.verdict = "faster";
  const auto raceId = makeRunId(), sweepId = makeRunId();
  ASSERT_TRUE(open()->putRace(raceId, race).ok());
  wire::SweepSummary sweep;
  sweep.id = sweepId;
  ASSERT_TRUE(open()->putSweep(sweep).ok());
  overwrite(m_home / "runs" / race.a.id / "environment.json", R"({"sweep":")" + sweepId + R"("})");
  pack({race.a.id});
  EXPECT_EQ(unpack().runs.size(), 1U);
  const auto opened = Registry::open(other());
  EXPECT_EQ((*opened)->race(raceId)->verdict, "faster");
  EXPECT_TRUE((*opened)->sweep(sweepId).ok());
  EXPECT_EQ((*opened)->list()->front().race, raceId);
}

TEST_F(ArchiveTest, WhatIsThereIsNeverChanged) {
  const auto same = writeRun(m_home), changed = writeRun(m_home), fresh = writeRun(m_home);
  pack({same, changed});
  EXPECT_EQ(unpack().runs.size(), 2U);
  overwrite(other() / "runs" / changed / "summary.json", R"({"status":"done","steps":1})");
  ASSERT_TRUE((*Registry::open(other()))->label(same, {"mine", "", {}, false}).ok());
  pack({same, changed, fresh});
  const auto report = unpack();
  EXPECT_EQ(report.present, std::vector<std::string>{same});
  EXPECT_EQ(report.refused, std::vector<std::string>{changed});
  EXPECT_EQ(report.runs, std::vector<std::string>{fresh});
  EXPECT_EQ(contentOf(other() / "runs" / changed / "summary.json"), R"({"status":"done","steps":1})");
  EXPECT_EQ((*Registry::open(other()))->find(same)->labels.name, "mine");
}

TEST_F(ArchiveTest, ARecordThatIsThereStays) {
  wire::RaceSummary race;
  race.a.id = writeRun(m_home);
  race.b.id = writeRun(m_home);
  const auto id = makeRunId();
  ASSERT_TRUE(open()->putRace(id, race).ok());
  pack({race.a.id});
  fs::create_directories(other() / "races");
  overwrite(other() / "races" / (id + ".json"), R"({"verdict":"slower"})");
  const auto report = unpack();
  ASSERT_EQ(report.notices.size(), 1U);
  EXPECT_EQ(report.notices.front().id, "archive.record_kept");
  EXPECT_EQ(contentOf(other() / "races" / (id + ".json")), R"({"verdict":"slower"})");
}

TEST_F(ArchiveTest, ReadingAnArchiveWritesNothing) {
  wire::RaceSummary race;
  race.a.id = writeRun(m_home, "20261130-104512-3f9a1c");
  race.b.id = writeRun(m_home, "20261130-104513-3f9a1c");
  race.verdict = "faster";
  const auto raceId = makeRunId();
  ASSERT_TRUE(open()->putRace(raceId, race).ok());
  pack({race.a.id, race.b.id});
  const auto before = namesIn(m_home);
  const auto runs = readArchive(file());
  ASSERT_TRUE(runs.ok()) << firstId(runs);
  EXPECT_EQ(namesIn(m_home), before);
  ASSERT_EQ(runs->size(), 2U);
  const auto& run = runs->at(1);
  EXPECT_EQ(run.record.id, race.a.id) << "newest first";
  EXPECT_EQ(run.record.created_ms, open()->find(race.a.id)->created_ms);
  EXPECT_EQ(run.record.spec, exampleSpec());
  EXPECT_EQ(run.record.summary.samples_per_second->median, 1234.5);
  EXPECT_EQ(run.record.race, raceId);
  EXPECT_EQ(run.environment["cpu"], "test");
  ASSERT_EQ(run.events.size(), 3U);
  EXPECT_EQ(std::get<wire::BlockDone>(run.events.at(1).body).samples_per_second, 1001);
  ASSERT_TRUE(run.race.has_value());
  EXPECT_EQ(run.race->verdict, "faster");
}

TEST_F(ArchiveTest, ADamagedRunIsPackedAsItIs) {
  const auto id = writeRun(m_home);
  overwrite(m_home / "runs" / id / "spec.json", "{");
  std::ofstream(m_home / "runs" / id / "events.jsonl", std::ios::app) << "no event\n";
  pack({id});
  const auto runs = readArchive(file());
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->front().record.summary.status, "failed");
  EXPECT_EQ(runs->front().record.summary.failure.front().id, "registry.damaged");
  EXPECT_EQ(runs->front().skipped_lines, 1);
  EXPECT_EQ(runs->front().events.size(), 3U);
  EXPECT_EQ(unpack().runs.size(), 1U);
}

TEST_F(ArchiveTest, ARunThatGoesOnIsNotPacked) {
  auto writer = RunWriter::create(m_home, makeRunId(), exampleSpec(), {});
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(firstId(exportRuns(*open(), {(*writer)->id()}, file())), "archive.running");
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(ArchiveTest, LinksAndOddNamesAreLeftOutAndTold) {
  const auto id = writeRun(m_home);
  const auto folder = m_home / "runs" / id;
  fs::create_symlink("/etc/passwd", folder / "link");
  fs::create_directory_symlink("/etc", folder / "etc");
  overwrite(folder / "tr\xC3\xA8s.txt", "x");
  overwrite(folder / ".hidden", "x");
  const auto packed = exportRuns(*open(), {id}, file());
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->left_out.size(), 3U);
  EXPECT_EQ(unpack().runs.size(), 1U);
  EXPECT_EQ(namesIn(other() / "runs" / id),
            (std::set<std::string>{"spec.json", "environment.json", "events.jsonl", "summary.json", "labels.json"}));
}

TEST_F(ArchiveTest, AnExportThatFailsLeavesTheFileThatWasThere) {
  const auto id = writeRun(m_home);
  overwrite(file(), "mine");
  EXPECT_EQ(firstId(exportRuns(*open(), {id, "20000101-000000-000000"}, file())), "registry.no_run");
  EXPECT_EQ(contentOf(file()), "mine");
  EXPECT_EQ(firstId(exportRuns(*open(), {id}, m_home / "missing" / "x.atelier")), "registry.write");
  const auto names = namesIn(m_home);
  EXPECT_TRUE(
      std::none_of(names.begin(), names.end(), [](const auto& name) { return name.find(".tmp-") != std::string::npos; }));
}

TEST_F(ArchiveTest, AKilledImportLeavesNoRunBehind) {
  ASSERT_FALSE(writeRun(m_home).empty());
  // As a killed import leaves it: unpacked, not moved.
  const auto staging = m_home / "runs" / ".new-import-20261130-104512-3f9a1c";
  fs::create_directories(staging / "runs" / kHandmadeId);
  overwrite(staging / "runs" / kHandmadeId / "spec.json", "{}");
  EXPECT_EQ(open()->list()->size(), 1U);
  fs::last_write_time(staging, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(open()->purge().ok());
  EXPECT_FALSE(fs::exists(staging));
}

}  // namespace
}  // namespace atelier::registry::testing
