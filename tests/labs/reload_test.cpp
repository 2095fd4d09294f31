#include "labs/reload.h"

#include <chrono>

#include "lab_fixture.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

class ReloadTest : public LabFixture {
 protected:
  fs::path course() const { return m_root / "course"; }
  void SetUp() override {
    LabFixture::SetUp();
    std::ofstream(course() / "course.toml")
        << "[[half_day]]\nid = \"day1-morning\"\ntitle = { en = \"Morning\", fr = \"Matin\" }\n";
  }
};

TEST_F(ReloadTest, TheStampChangesWithTheFilesAndNotOtherwise) {
  const auto before = courseStamp(course());
  EXPECT_NE(before, 0U);
  EXPECT_EQ(courseStamp(course()), before);
  write("en.md", std::string(kText) + "\nOne line more.\n");
  const auto longer = courseStamp(course());
  EXPECT_NE(longer, before);
  fs::last_write_time(m_folder / "en.md", fs::last_write_time(m_folder / "en.md") + std::chrono::seconds(1));
  const auto later = courseStamp(course());
  EXPECT_NE(later, longer);
  fs::create_directory(m_folder / "recorded");
  std::ofstream(m_folder / "recorded" / "race.atelier") << "x";
  const auto recorded = courseStamp(course());
  EXPECT_NE(recorded, later);
  fs::rename(m_folder / "recorded" / "race.atelier", m_folder / "recorded" / "else.atelier");
  EXPECT_NE(courseStamp(course()), recorded);
  EXPECT_EQ(courseStamp(m_root / "nowhere"), 0U);
}

TEST_F(ReloadTest, TheStampIsNotLedOutOrInCircles) {
  fs::create_directory_symlink(m_root, m_folder / "up");
  fs::create_directory_symlink(m_folder / "round", m_folder / "round");
  EXPECT_NE(courseStamp(course()), 0U);
}

TEST_F(ReloadTest, ABrokenLabKeepsItsLastGoodForm) {
  const auto shown = loadCourse(course(), "en");
  ASSERT_NE(shown.find("tiny"), nullptr);
  write("lab.toml", "id = ");
  const auto broken = reloadCourse(course(), "en", shown);
  const auto* kept = broken.find("tiny");
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(kept->outdated);
  EXPECT_EQ(kept->steps.size(), 2U);
  ASSERT_EQ(broken.refused.size(), 1U);
  EXPECT_EQ(broken.refused[0].messages.front().id, "lab.syntax");
  // Broken twice is still the last good one; mended it is itself again.
  EXPECT_TRUE(reloadCourse(course(), "en", broken).find("tiny")->outdated);
  write("lab.toml", with(kToml, "number = \"1.1\"", "number = \"1.7\""));
  const auto mended = reloadCourse(course(), "en", broken);
  ASSERT_NE(mended.find("tiny"), nullptr);
  EXPECT_FALSE(mended.find("tiny")->outdated);
  EXPECT_EQ(mended.find("tiny")->number, "1.7");
  EXPECT_TRUE(mended.refused.empty());
}

TEST_F(ReloadTest, ALabThatIsGoneIsGone) {
  const auto shown = loadCourse(course(), "en");
  fs::remove_all(m_folder);
  EXPECT_EQ(reloadCourse(course(), "en", shown).find("tiny"), nullptr);
}

TEST_F(ReloadTest, ABrokenCourseFileLeavesTheTitles) {
  const auto shown = loadCourse(course(), "fr");
  std::ofstream(course() / "course.toml") << "[[half_day]\n";
  const auto read = reloadCourse(course(), "fr", shown);
  ASSERT_EQ(read.half_days.size(), 1U);
  EXPECT_EQ(read.half_days[0].title, "Matin");
  EXPECT_EQ(read.half_days[0].labs.size(), 1U);
  EXPECT_EQ(read.refused.size(), 1U);
}

}  // namespace
}  // namespace atelier::lab
