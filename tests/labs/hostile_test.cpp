// Courses that were made to do harm: whatever lies in the folder, it is refused with file and reason, nothing outside is read,
// and nobody waits for it.
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "lab_fixture.h"
#include "labs/course_check.h"
#include "labs/course_walk.h"
#include "labs/lab_text.h"
#include "labs/lab_toml.h"
#include "labs/session.h"
#include "labs/toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

class HostileTest : public LabFixture {
 protected:
  fs::path course() const { return m_root / "course"; }
  void SetUp() override {
    LabFixture::SetUp();
    std::ofstream(course() / "course.toml")
        << "[[half_day]]\nid = \"day1-morning\"\ntitle = { en = \"Morning\", fr = \"Matin\" }\n";
  }
  static std::set<std::string> ids(const std::vector<wire::Error>& errors) {
    std::set<std::string> all;
    for (const auto& error : errors)
      for (const auto& message : error.messages) all.insert(message.id);
    return all;
  }
  static std::set<std::string> ids(const CourseReport& report) {
    std::set<std::string> all;
    for (const auto& problem : report.problems)
      if (problem.severity == Severity::Error) all.insert(problem.reason.id);
    return all;
  }
  // Both the loader and the author's check refuse the lab for this reason.
  void refused(const std::string& id) const {
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok()) << "expected " << id;
    EXPECT_EQ(lab.error().messages.front().id, id);
    EXPECT_TRUE(ids(checkCourse(course(), nullptr)).contains(id)) << id;
    EXPECT_EQ(loadCourse(course(), "en").find("tiny"), nullptr);
  }
  static std::string repeated(const std::string& piece, std::size_t bytes) {
    std::string all;
    while (all.size() + piece.size() <= bytes) all += piece;
    return all;
  }
};

TEST_F(HostileTest, APipeInPlaceOfAFileIsNotWaitedFor) {
  for (const char* name : {"lab.toml", "en.md", "instructor.en.md"}) {
    const auto file = m_folder / name;
    fs::rename(file, m_root / "kept");
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    refused("lab.unreadable");
    fs::remove(file);
    fs::rename(m_root / "kept", file);
  }
  fs::remove(course() / "course.toml");
  ASSERT_EQ(::mkfifo((course() / "course.toml").c_str(), 0600), 0);
  EXPECT_TRUE(ids(loadCourse(course(), "en").refused).contains("lab.unreadable"));
}

TEST_F(HostileTest, LinksOutAndInCirclesAreRefused) {
  const auto file = m_folder / "en.md";
  for (const auto& target : {fs::path("/dev/zero"), fs::path("/etc/hostname"), fs::path("en.md"), fs::path("../../../secret"),
                             fs::path("nowhere")}) {
    fs::remove(file);
    fs::create_symlink(target, file);
    refused("lab.outside");
  }
}

TEST_F(HostileTest, FoldersThatAreLinksOutOrInCirclesAreNotEntered) {
  fs::create_directories(m_root / "outside" / "tiny");
  fs::create_directory_symlink(m_root / "outside", course() / "day2-morning");
  fs::create_directory_symlink(course() / "loop", course() / "loop");
  fs::create_directory_symlink(course(), course() / "day1-morning" / "up");
  fs::create_directory_symlink("/", course() / "day1-morning" / "root");
  const auto read = loadCourse(course(), "en");
  EXPECT_NE(read.find("tiny"), nullptr);
  EXPECT_EQ(ids(read.refused), (std::set<std::string>{"lab.outside"}));
  EXPECT_EQ(read.refused.size(), 4U);
  EXPECT_EQ(labFolders(course()).size(), 1U);
}

TEST_F(HostileTest, FilesThatAreTooLargeAreNotRead) {
  for (const char* name : {"lab.toml", "en.md", "instructor.en.md"}) {
    const auto size = fs::file_size(m_folder / name);
    fs::resize_file(m_folder / name, std::uintmax_t{1} << 32);
    refused("lab.too_large");
    fs::resize_file(m_folder / name, size);
  }
  EXPECT_TRUE(loadLab(m_folder, "en").ok());
}

TEST_F(HostileTest, TooManyFoldersAreRefusedRatherThanWalked) {
  for (std::size_t i = 0; i <= kMostEntries; ++i) fs::create_directory(course() / "day1-morning" / ("lab" + std::to_string(i)));
  const auto read = loadCourse(course(), "en");
  EXPECT_EQ(ids(read.refused), (std::set<std::string>{"lab.too_many_entries"}));
  EXPECT_EQ(read.find("tiny"), nullptr);
  EXPECT_EQ(ids(checkCourse(course(), nullptr)), (std::set<std::string>{"lab.too_many_entries"}));
}

TEST_F(HostileTest, LabsBeyondTheThousandthAreLeftOut) {
  for (std::size_t i = 0; i < kMostLabs + 5; ++i)
    fs::create_directory(course() / "day1-morning" / ("lab" + std::to_string(100'000 + i)));
  const auto read = loadCourse(course(), "en");
  EXPECT_TRUE(ids(read.refused).contains("lab.too_many_labs"));
  EXPECT_EQ(read.refused.size(), kMostLabs + 1);
  const auto report = checkCourse(course(), nullptr);
  EXPECT_EQ(report.labs.size(), kMostLabs);
  EXPECT_LE(report.problems.size(), 1000U);
}

TEST_F(HostileTest, WithoutPermissionIsARefusal) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(m_folder / "en.md", fs::perms::none);
  refused("lab.unreadable");
  fs::permissions(m_folder / "en.md", fs::perms::owner_all);
  fs::permissions(course() / "day1-morning", fs::perms::none);
  EXPECT_EQ(ids(loadCourse(course(), "en").refused), (std::set<std::string>{"lab.unreadable_folder"}));
  fs::permissions(course() / "day1-morning", fs::perms::owner_all);
}

TEST_F(HostileTest, NestingOfAllKindsIsBounded) {
  std::string lists = "a = ", tables = "a = ", dotted;
  for (int i = 0; i < 5000; ++i) {
    lists += "[\n";
    tables += "[\n{" + std::string(i % 2 == 0 ? "a.b.c.d" : "x.y.z") + " = ";
  }
  std::string path = "a";
  while (path.size() < 900) path += ".a";
  for (int i = 0; i < 200; ++i) dotted += "a = [\n{ " + path + " = \n";
  for (const auto& text : {lists, tables, dotted, "[" + path + "]\n" + path + " = 1\n"}) {
    write("lab.toml", text);
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok());
    const auto& id = lab.error().messages.front().id;
    EXPECT_TRUE(id == "lab.syntax" || id == "lab.nested_too_deep") << id;
  }
}

TEST_F(HostileTest, TomlThatIsNotTextIsRefused) {
  for (const std::string& bad : {std::string("id = \"\xFF\xFE\"\n"), std::string("id\0 = 1\n", 8), std::string(5000, '\0')}) {
    write("lab.toml", bad);
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok());
    EXPECT_FALSE(lab.error().messages.empty());
  }
}

TEST_F(HostileTest, TextsWithControlCharactersAreRefused) {
  for (const std::string bad : {"\x1b[31m", "\x07", "\x7f"}) {
    write("en.md", with(kText, "Answer.", "An" + bad + "swer."));
    refused("lab.control");
  }
  write("en.md", with(kText, "Answer.", std::string("An\0swer.", 8)));
  refused("lab.control");
}

TEST_F(HostileTest, IdsAreNoPaths) {
  for (const char* id : {"../tiny", "/etc", "a/b", "..", ".", "a\\\\b", "A", "caf\u00e9", "-x"}) {
    write("lab.toml", with(kToml, "id = \"tiny\"", std::string("id = \"") + id + "\""));
    refused("lab.bad_identifier");
  }
  write("lab.toml", with(kToml, "number = \"1.1\"", "number = \"../1\""));
  refused("lab.bad_number");
  write("lab.toml", with(kToml, "id = \"end\"", "id = \"../../end\""));
  refused("lab.bad_identifier");
}

TEST_F(HostileTest, MoreThanAPersonWouldWriteIsRefused) {
  write("lab.toml", kToml + repeated("[[step]]\nid = \"x\"\n", 1'000'000));
  refused("lab.too_many");
  write("lab.toml", kToml + std::string("x = [") + repeated("1,\n", 900'000) + "]\n");
  refused("lab.unknown_key");
  std::vector<wire::Message> mistakes;
  draftLabShape(repeated("[[step]]\n", 1800), "lab.toml", mistakes);
  EXPECT_LE(mistakes.size(), kMostMistakes);
}

// Each of these made a naive reader search or copy the rest of the file for every few bytes of it.
TEST_F(HostileTest, TextsThatAreLongInOneThingAreReadOnce) {
  constexpr std::size_t kSize = 1'000'000;
  const std::string head = "# T\n> Q?\n## race | R\n";
  for (const std::string piece : {"\n", "{", "{measured.", "{measured.}", "## x | y\n", "### hint\n", "### quiz q\n", "- c\n",
                                  "```\n", "> x\n", "#", "x "}) {
    std::vector<wire::Message> mistakes;
    const auto text = draftLabText(head + repeated(piece, kSize), "en.md", mistakes);
    EXPECT_LE(mistakes.size(), kMostMistakes) << piece;
    EXPECT_LE(text.steps.size(), kMostItems + 1) << piece;
    write("en.md", head + repeated(piece, kSize));
    const auto lab = loadLab(m_folder, "en");
    ASSERT_FALSE(lab.ok());
    for (const auto& message : lab.error().messages)
      for (const auto& [name, value] : message.args) EXPECT_LE(value.size(), 4096U) << message.id;
  }
}

TEST_F(HostileTest, ABodyFullOfBracesIsShownAtOnce) {
  auto text = with(kText, "Answer.", repeated("{", 900'000));
  write("en.md", text);
  LabSession session(tiny());
  ASSERT_EQ(session.lab().steps.size(), 2U);
  EXPECT_EQ(session.body(session.lab().steps[1], "en").size(), session.lab().steps[1].body.size());
}

TEST_F(HostileTest, RecordingsThatCanNotBeTakenAreLeftOutAndTold) {
  fs::create_directory(m_folder / "recorded");
  const auto file = m_folder / "recorded" / "race.atelier";
  const auto leftOut = [&](const std::string& id) {
    const auto lab = loadLab(m_folder, "en");
    ASSERT_TRUE(lab.ok()) << "the lab itself can be taught";
    EXPECT_TRUE(lab->recorded.empty());
    ASSERT_EQ(lab->notices.size(), 1U);
    EXPECT_EQ(lab->notices[0].id, id);
    EXPECT_EQ(ids(loadCourse(course(), "en").refused), std::set<std::string>{id});
    EXPECT_EQ(ids(checkCourse(course(), nullptr)), std::set<std::string>{id});
    fs::remove_all(file);
  };
  std::ofstream(file) << "x";
  fs::resize_file(file, kLargestRecording + 1);
  leftOut("lab.too_large");
  fs::create_symlink("/etc/hostname", file);
  leftOut("lab.outside");
  fs::create_directory(file);
  leftOut("lab.unreadable");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  leftOut("lab.unreadable");
  std::ofstream(file) << "x";
  fs::resize_file(file, kLargestRecording);
  EXPECT_EQ(tiny().recorded.size(), 1U);
  fs::remove_all(m_folder / "recorded");
  fs::create_directories(m_root / "outside");
  std::ofstream(m_root / "outside" / "race.atelier") << "x";
  fs::create_directory_symlink(m_root / "outside", m_folder / "recorded");
  leftOut("lab.outside");
}

TEST_F(HostileTest, WhatStandsInPlaceOfAFolderIsNoCourse) {
  EXPECT_TRUE(ids(loadCourse(course() / "course.toml", "en").refused).contains("lab.no_folder"));
  EXPECT_TRUE(ids(loadCourse("/dev/null", "en").refused).contains("lab.no_folder"));
  fs::remove_all(m_folder);
  std::ofstream(m_folder) << "a file where a lab was";
  EXPECT_TRUE(loadCourse(course(), "en").refused.empty());
}

}  // namespace
}  // namespace atelier::lab
