#include "labs/class/class.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "core/registry/registry.h"
#include "core/registry/run_id.h"
#include "core/wire/number.h"
#include "lab_fixture.h"
#include "labs/class/results.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::int64_t at(int hour, int minute) {
  char id[64];
  std::snprintf(id, sizeof id, "20261130-%02d%02d00-000000", hour, minute);
  return registry::idMilliseconds(id).value_or(0);
}

class ClassTest : public LabFixture {
 protected:
  fs::path shared() const { return m_root / "shared"; }
  void SetUp() override {
    LabFixture::SetUp();
    fs::create_directory(shared());
  }
  // A session whose race was run at 10:MINUTE with this ratio.
  LabSession raced(double ratio, const std::string& verdict, int minute, std::optional<double> predicted = {}) const {
    LabSession session(tiny());
    session.predict("race", predicted);
    wire::RaceSummary race;
    race.ratio = wire::Interval{ratio, ratio - 0.05, ratio + 0.05, 10};
    race.verdict = verdict;
    char id[64];
    std::snprintf(id, sizeof id, "20261130-10%02d00-000abc", minute);
    session.record("race", {"race", toJson(race), {id}});
    return session;
  }
  static ResultsAbout about(const std::string& learner, std::int64_t now = at(10, 0), const std::string& origin = "") {
    return {learner, origin, json{{"cpu", "Some CPU"}, {"cores", 4}, {"memory_bytes", 1 << 30}, {"gpus", json::array()}}, now};
  }
  fs::path put(const LabSession& session, const ResultsAbout& about) const {
    const auto folder = writeResults(shared(), session, about);
    EXPECT_TRUE(folder.ok());
    return folder.ok() ? *folder : fs::path();
  }
  Class read(std::int64_t now = at(12, 0)) const { return readClass(shared(), now); }
  static std::string content(const fs::path& file) {
    const auto text = registry::readWhole(file);
    return text.ok() ? *text : std::string();
  }
  static std::set<std::string> ids(const Class& all) {
    std::set<std::string> found;
    for (const auto& problem : all.problems) found.insert(problem.id);
    return found;
  }
};

TEST_F(ClassTest, AResultHoldsWhatWasDone) {
  auto session = raced(1.42, "faster", 30, 1.5);
  session.answer("end", "why", 1);
  const auto folder = put(session, about("Anna"));
  EXPECT_EQ(folder, shared() / "Anna-tiny");
  EXPECT_EQ(content(folder / "checks.json"), toJson(session.allChecks()).dump(1) + "\n");
  const auto spec = wire::parseJson(content(folder / "specs" / "race.json"));
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ((*spec)["verb"], "race");
  EXPECT_EQ((*spec)["b"]["channels_last"], true);
  const auto all = read();
  EXPECT_TRUE(all.problems.empty());
  ASSERT_EQ(all.learners.size(), 1U);
  const auto& result = all.learners[0].labs.at(0);
  EXPECT_EQ(all.learners[0].name, "Anna");
  EXPECT_EQ(result.lab, "tiny");
  EXPECT_EQ(result.title, "Tiny");
  EXPECT_TRUE(result.finished());
  EXPECT_EQ(result.at(), nullptr);
  EXPECT_EQ(result.count(CheckState::Passed), 2);
  EXPECT_EQ(result.machine.cpu, "Some CPU");
  EXPECT_EQ(result.machine.cores, 4);
  EXPECT_EQ(result.last_activity_ms, at(10, 30));
  ASSERT_EQ(result.measured.size(), 1U);
  EXPECT_DOUBLE_EQ(result.measured[0].value.median, 1.42);
  EXPECT_NEAR(result.predictions.at(0).ratio().value_or(0), 1.42 / 1.5, 1e-12);
  EXPECT_EQ(result.steps.at(1).right, 1);
  EXPECT_FALSE(result.report);
}

TEST_F(ClassTest, ThirtyLearnersAreRolledUp) {
  constexpr int kLearners = 30, kRaced = 27, kPredicted = 20;
  for (int i = 0; i < kLearners; ++i) {
    auto session = i < kRaced ? raced(1.01 + 0.05 * i, "faster", i, i < kPredicted ? std::optional(1.5) : std::nullopt)
                              : LabSession(tiny());
    if (i % 2 == 0) session.answer("end", "why", 0);
    put(session, about("Learner " + std::to_string(i)));
  }
  put(raced(9, "machine-busy", 40), about("Busy"));
  const auto all = read();
  EXPECT_TRUE(all.problems.empty());
  EXPECT_EQ(all.learners.size(), kLearners + 1U);
  ASSERT_EQ(all.labs.size(), 1U);
  const auto& lab = all.labs[0];
  EXPECT_EQ(lab.learners, kLearners + 1);
  EXPECT_EQ(lab.finished, 14) << "0, 2, … 26";
  ASSERT_EQ(lab.steps.size(), 2U);
  EXPECT_EQ(lab.steps[0].done, kRaced + 1);
  EXPECT_EQ(lab.steps[0].here, kLearners - kRaced);
  EXPECT_EQ(lab.steps[1].done, 15);
  ASSERT_EQ(lab.measured.size(), 1U);
  const auto& measured = lab.measured[0];
  EXPECT_EQ(measured.quantity, "ratio");
  EXPECT_EQ(measured.points.size(), kRaced + 1U);
  EXPECT_EQ(measured.undecided, 1);
  EXPECT_EQ(measured.faster, kRaced);
  EXPECT_EQ(measured.distribution.count, kRaced) << "an undecided race is no gain";
  EXPECT_DOUBLE_EQ(measured.distribution.min, 1.01);
  EXPECT_NEAR(measured.distribution.low, 1.335, 1e-9);
  EXPECT_NEAR(measured.distribution.median, 1.66, 1e-9);
  EXPECT_NEAR(measured.distribution.max, 2.31, 1e-9);
  EXPECT_EQ(all.learners[measured.points.front().learner].name, "Learner 0");
  const auto& gain = lab.checks.at(0);
  EXPECT_EQ(gain.check, "gain");
  EXPECT_EQ(gain.failed, 3);
  EXPECT_EQ(gain.noise, 2) << "1.16 straddles 1.2; the busy machine";
  EXPECT_EQ(gain.passed, 23);
  EXPECT_EQ(gain.not_run, 3);
  EXPECT_NEAR(gain.sharePassed().value_or(0), 23.0 / 28, 1e-12);
  const auto& prediction = lab.predictions.at(0);
  EXPECT_EQ(prediction.learners, kRaced + 1);
  EXPECT_EQ(prediction.predicted, kPredicted);
  EXPECT_EQ(prediction.points.size(), kPredicted * 1U);
  EXPECT_NEAR(prediction.ratio.median, (1.46 + 1.51) / 2 / 1.5, 1e-9);
  EXPECT_EQ(all.latest_ms, at(10, 40));
}

TEST_F(ClassTest, AnyTypedNameGivesAFolderInTheSharedOne) {
  std::vector<std::string> names{"",    "..",   "../../etc/passwd", "/",       "a/b", "a\\b",       "Zoë Łukasz 李",       "  ",
                                 "CON", "a\nb", "\x1b[31mred",      ".hidden", "-x",  "a:b*?\"<>|", std::string(5000, 'x')};
  const auto session = raced(1.3, "faster", 1);
  std::set<fs::path> folders;
  for (const auto& name : names) {
    const auto folder = put(session, about(name));
    EXPECT_EQ(folder.parent_path(), shared()) << name;
    EXPECT_LE(folder.filename().string().size(), 100U);
    EXPECT_TRUE(fs::is_regular_file(folder / "results.json")) << name;
    folders.insert(folder);
  }
  EXPECT_EQ(folders.size(), names.size()) << "different names never share a folder";
  EXPECT_EQ(std::distance(fs::directory_iterator(m_root), fs::directory_iterator()), 2) << "course and shared";
  const auto all = read();
  EXPECT_TRUE(all.problems.empty());
  EXPECT_EQ(all.learners.size(), names.size());
  std::set<std::string> labels;
  for (const auto& learner : all.learners) labels.insert(learner.label);
  EXPECT_EQ(labels.size(), names.size());
  EXPECT_EQ(put(session, about("\xFF\xFE")).parent_path(), shared());
}

TEST_F(ClassTest, EqualNamesOnTwoMachinesAreTwoLearners) {
  const auto first = put(raced(1.3, "faster", 1), about("Anna", at(10, 0), "aaaaaaaaaaaaaaaa"));
  const auto second = put(raced(1.6, "faster", 2), about("Anna", at(10, 0), "bbbbbbbbbbbbbbbb"));
  EXPECT_NE(first, second);
  EXPECT_EQ(put(raced(1.4, "faster", 3), about("Anna", at(10, 5), "aaaaaaaaaaaaaaaa")), first) << "her own folder again";
  const auto all = read();
  ASSERT_EQ(all.learners.size(), 2U);
  EXPECT_EQ(all.learners[0].label, "Anna (1)");
  EXPECT_EQ(all.learners[1].label, "Anna (2)");
  EXPECT_DOUBLE_EQ(all.learners[0].labs.at(0).measured.at(0).value.median, 1.4);
}

TEST_F(ClassTest, WritingAgainKeepsTheReportAndDropsStaleSpecs) {
  const auto folder = put(raced(1.3, "faster", 1), about("Anna"));
  std::ofstream(folder / "report.pdf") << "pages";
  EXPECT_TRUE(fs::exists(folder / "specs" / "race.json"));
  EXPECT_EQ(put(LabSession(tiny()), about("Anna", at(10, 9))), folder);
  EXPECT_EQ(content(folder / "report.pdf"), "pages");
  EXPECT_FALSE(fs::exists(folder / "specs" / "race.json"));
  const auto all = read();
  EXPECT_TRUE(all.learners.at(0).labs.at(0).report);
  EXPECT_EQ(all.learners[0].stepsDone(), 0);
}

TEST_F(ClassTest, NothingIsLeftHalfAndNoFolderIsMadeInPlaceOfADrive) {
  put(raced(1.3, "faster", 1), about("Anna"));
  std::ofstream(shared() / "Bo-tiny") << "a file of that name";
  EXPECT_EQ(put(raced(1.3, "faster", 1), about("Bo")), shared() / "Bo-tiny-2");
  for (const auto& entry : fs::recursive_directory_iterator(shared()))
    EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path();
  const auto nowhere = writeResults(m_root / "drive", raced(1.3, "faster", 1), about("Anna"));
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().messages.front().id, "class.no_folder");
  EXPECT_FALSE(fs::exists(m_root / "drive"));
}

TEST_F(ClassTest, ALinkInAnOwnFolderIsNotFollowed) {
  const auto folder = put(raced(1.3, "faster", 1), about("Anna"));
  fs::remove_all(folder / "specs");
  fs::create_directory(m_root / "victim");
  fs::create_directory_symlink(m_root / "victim", folder / "specs");
  EXPECT_FALSE(writeResults(shared(), raced(1.3, "faster", 2), about("Anna")).ok());
  EXPECT_TRUE(fs::is_empty(m_root / "victim"));
}

TEST_F(ClassTest, OnlyTheTypedNameAndTheMachineAreTold) {
  auto told = about("Anna");
  for (const char* key : {"host", "user", "home", "os", "kernel", "load"}) told.machine[key] = "private-word";
  const auto folder = put(raced(1.3, "faster", 1), told);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto text = content(entry.path());
    EXPECT_EQ(text.find("private-word"), std::string::npos) << entry.path();
    EXPECT_EQ(text.find(m_root.string()), std::string::npos) << entry.path();
  }
}

TEST_F(ClassTest, AnInstallationKeepsItsMark) {
  const auto mark = originOf(m_root / "home");
  EXPECT_EQ(mark.size(), 16U);
  EXPECT_EQ(originOf(m_root / "home"), mark);
  EXPECT_NE(originOf(m_root / "other"), mark);
  std::ofstream(m_root / "home" / "course" / "origin") << "../../etc";
  EXPECT_EQ(originOf(m_root / "home").find('/'), std::string::npos);
}

TEST_F(ClassTest, CopiesCountOnceAndFoldersMayBeNested) {
  const auto folder = put(raced(1.3, "faster", 1), about("Anna", at(10, 0)));
  fs::create_directories(shared() / "monday" / "room");
  fs::copy(folder, shared() / "monday" / "room" / "copy", fs::copy_options::recursive);
  put(raced(1.7, "faster", 2), about("Anna", at(11, 0)));
  const auto all = read();
  ASSERT_EQ(all.learners.size(), 1U);
  EXPECT_EQ(all.superseded, 1);
  EXPECT_DOUBLE_EQ(all.learners[0].labs.at(0).measured.at(0).value.median, 1.7) << "the newer one";
}

TEST_F(ClassTest, WhoStaysBehindWhileOthersGoOnIsStuck) {
  for (const char* name : {"Ada", "Bo"}) put(raced(1.3, "faster", 50), about(name));
  put(LabSession(tiny()), about("Cy", at(10, 0)));
  put(LabSession(tiny()), about("Di", at(10, 45)));
  const auto stuck = [&](const Class& all) {
    std::set<std::string> names;
    for (const auto& learner : all.learners)
      if (learner.stuck()) names.insert(learner.name);
    return names;
  };
  const auto all = read();
  EXPECT_EQ(stuck(all), std::set<std::string>{"Cy"}) << "Di was there five minutes before the others";
  EXPECT_EQ(all.labs.at(0).stuck, 1);
  // With most others at the same step it is the step, not the learner.
  for (const char* name : {"Ed", "Flo", "Gus"}) put(LabSession(tiny()), about(name, at(10, 50)));
  EXPECT_TRUE(stuck(read()).empty());
}

TEST_F(ClassTest, TimesInTheFutureCountAsNow) {
  put(raced(1.3, "faster", 50), about("Ada", at(23, 0)));
  const auto all = read(at(10, 20));
  EXPECT_EQ(all.latest_ms, at(10, 20));
}

TEST_F(ClassTest, BrokenAndHostileResultsNeverKeepTheOthersOut) {
  const auto good = put(raced(1.3, "faster", 1), about("Anna"));
  const auto text = content(good / "results.json");
  const auto broken = [&](const std::string& name, const std::string& results) {
    fs::create_directories(shared() / name);
    std::ofstream(shared() / name / "results.json", std::ios::binary) << results;
  };
  broken("empty", "");
  broken("cut", text.substr(0, text.size() / 2));
  broken("other", "{\"kind\":\"something\"}");
  broken("list", "[1,2,3]");
  broken("newer", with(text, "\"v\": 1", "\"v\": 2"));
  broken("path", with(text, "\"lab\": \"tiny\"", "\"lab\": \"../../tiny\""));
  broken("large", text + std::string(2 << 20, ' '));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[";
  broken("deep", deep);
  fs::create_directories(shared() / "pipe");
  ASSERT_EQ(::mkfifo((shared() / "pipe" / "results.json").c_str(), 0600), 0);
  fs::create_directories(shared() / "link");
  fs::create_symlink(good / "results.json", shared() / "link" / "results.json");
  fs::create_directory_symlink(shared(), shared() / "round");
  fs::create_directories(shared() / "1" / "2" / "3" / "4" / "5" / "6" / "7");
  const auto all = read();
  EXPECT_EQ(all.learners.size(), 1U);
  EXPECT_EQ(ids(all), (std::set<std::string>{"class.not_results", "class.newer", "class.unreadable", "class.too_deep"}));
  EXPECT_EQ(all.problems.size(), 11U);
  for (const char* language : {"en", "fr"}) {
    const auto catalog = wire::Catalog::builtIn(language);
    for (const auto& problem : all.problems) EXPECT_EQ(catalog.text(problem).find('{'), std::string::npos);
  }
}

TEST_F(ClassTest, ForeignValuesAreBoundedAndMadePlain) {
  auto foreign = json::parse(content(put(raced(1.3, "faster", 1), about("Anna")) / "results.json"));
  foreign["learner"] = "Eve\n\x1b[2J| evil";
  foreign["written_ms"] = -5e300;
  foreign["machine"] = {{"cpu", std::string(100'000, 'x')}, {"cores", 1e300}, {"gpus", 3}};
  foreign["steps"][0]["hints_shown"] = 1e18;
  foreign["steps"][0]["runs"] = json::array({"99991231-235959-000000", 4, "x"});
  foreign["measured"][0]["value"] = {{"median", nullptr}, {"non_finite", {{"median", "NaN"}}}, {"low", 0}, {"high", 1}};
  for (int i = 0; i < 5000; ++i) foreign["checks"].push_back({{"step", "s"}, {"check", "c" + std::to_string(i)}});
  fs::create_directory(shared() / "eve");
  std::ofstream(shared() / "eve" / "results.json") << foreign.dump();
  const auto all = read();
  ASSERT_EQ(all.learners.size(), 2U);
  const auto& eve = all.learners[1];
  EXPECT_EQ(eve.name, "Eve  [2J| evil");
  EXPECT_LE(eve.labs[0].machine.cpu.size(), 200U);
  EXPECT_LE(eve.labs[0].machine.cores, 4096);
  EXPECT_LE(eve.labs[0].checks.size(), 300U);
  EXPECT_TRUE(eve.labs[0].measured.empty());
  EXPECT_EQ(eve.last_activity_ms, at(12, 0)) << "no later than now";
  EXPECT_LE(all.labs.at(0).checks.size(), 300U);
}

// Whatever is damaged in a result, it is read or refused.
TEST_F(ClassTest, TruncationsAndSwapsNeverCrash) {
  const auto text = content(put(raced(1.3, "faster", 1, 1.2), about("Anna")) / "results.json");
  const auto file = shared() / "Anna-tiny" / "results.json";
  for (std::size_t size = 0; size < text.size(); size += 13) {
    std::ofstream(file, std::ios::binary) << text.substr(0, size);
    EXPECT_LE(read().learners.size(), 1U);
  }
  const auto whole = json::parse(text);
  for (const auto& [key, value] : whole.items())
    for (const auto& other : {json(), json(-1), json("x"), json::array({1}), json{{"a", 1}}}) {
      auto changed = whole;
      changed[key] = other;
      std::ofstream(file, std::ios::binary) << changed.dump();
      EXPECT_EQ(read().learners.size() + read().problems.size(), 1U) << key;
    }
}

TEST_F(ClassTest, AFolderThatIsNotThereIsToldAndAnEmptyOneIsAClassOfNobody) {
  EXPECT_TRUE(read().learners.empty());
  EXPECT_TRUE(read().problems.empty());
  EXPECT_EQ(ids(readClass(m_root / "nowhere", at(12, 0))), std::set<std::string>{"class.no_folder_to_read"});
}

TEST_F(ClassTest, AsATableForSpreadsheets) {
  put(raced(1.3, "faster", 1), about("=cmd|' /C calc'!A0"));
  put(raced(1.3, "faster", 2), about("Last, \"First\""));
  const auto csv = toCsv(read());
  EXPECT_TRUE(csv.starts_with("learner,lab,number,steps_done,steps,finished,stuck,at,passed,"));
  EXPECT_NE(csv.find("\r\n'=cmd|' /C calc'!A0,tiny,1.1,1,2,false,false,end,1,0,0,0,1,Some CPU,4,2026-11-30T10:01:00Z\r\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\r\n\"Last, \"\"First\"\"\",tiny,"), std::string::npos) << csv;
}

TEST_F(ClassTest, AsJsonAndMarkdown) {
  put(raced(1.3, "faster", 1, 1.2), about("Pi|pe *bold*"));
  fs::create_directory(shared() / "bad");
  std::ofstream(shared() / "bad" / "results.json") << "{";
  const auto all = read();
  const auto english = wire::Catalog::builtIn("en");
  const auto object = toJson(all, english);
  EXPECT_EQ(object["learners"][0]["learner"], "Pi|pe *bold*");
  EXPECT_EQ(object["learners"][0]["labs"][0]["at"], "end");
  EXPECT_EQ(object["learners"][0]["last_activity"], "2026-11-30T10:01:00Z");
  EXPECT_EQ(object["labs"][0]["measured"][0]["distribution"]["median"], 1.3);
  EXPECT_EQ(object["labs"][0]["measured"][0]["points"][0]["learner"], "Pi|pe *bold*");
  EXPECT_EQ(object["problems"][0]["id"], "class.not_results");
  const auto markdown = toMarkdown(all, english);
  EXPECT_NE(markdown.find("Pi\\|pe \\*bold\\*"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("1.30×"), std::string::npos) << markdown;
  EXPECT_NE(markdown, toMarkdown(all, wire::Catalog::builtIn("fr")));
  for (const char* language : {"en", "fr"}) {
    const auto text = toMarkdown(all, wire::Catalog::builtIn(language));
    EXPECT_EQ(text.find("class."), std::string::npos) << "an id instead of a text: " << text;
    EXPECT_EQ(text.find('{'), std::string::npos);
  }
}

TEST(DistributionTest, QuantilesAreInterpolated) {
  EXPECT_EQ(distributionOf({}).count, 0);
  const auto one = distributionOf({3});
  EXPECT_DOUBLE_EQ(one.low + one.median + one.high, 9);
  const auto four = distributionOf({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(four.low, 1.75);
  EXPECT_DOUBLE_EQ(four.median, 2.5);
  EXPECT_DOUBLE_EQ(four.high, 3.25);
  EXPECT_EQ(distributionOf({1, std::nan(""), HUGE_VAL}).count, 1) << "what is no number is not counted";
}

}  // namespace
}  // namespace atelier::lab
