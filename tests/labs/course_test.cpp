#include <fstream>
#include <set>
#include <sstream>

#include "core/wire/catalog.h"
#include "lab_fixture.h"
#include "labs/session.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

const fs::path kCourse = fs::path(ATELIER_SOURCE_DIR) / "labs" / "course";

std::string content(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream(file, std::ios::binary).rdbuf();
  return all.str();
}

std::string reasons(const Course& course) {
  std::string all;
  const auto english = wire::Catalog::builtIn("en");
  for (const auto& error : course.refused)
    for (const auto& message : error.messages) all += english.text(message) + "\n";
  return all;
}

TEST(CourseTest, TheCourseReadsInBothLanguagesWithTheSameSteps) {
  const auto english = loadCourse(kCourse, "en"), french = loadCourse(kCourse, "fr");
  EXPECT_EQ(reasons(english) + reasons(french), "");
  ASSERT_EQ(english.half_days.size(), 6U);
  ASSERT_EQ(french.half_days.size(), 6U);
  for (std::size_t day = 0; day < 6; ++day) {
    EXPECT_NE(english.half_days[day].title, french.half_days[day].title);
    ASSERT_EQ(english.half_days[day].labs.size(), french.half_days[day].labs.size());
    for (const auto& lab : english.half_days[day].labs) {
      const auto* other = french.find(lab.id);
      ASSERT_NE(other, nullptr) << lab.id;
      ASSERT_EQ(lab.steps.size(), other->steps.size());
      for (std::size_t i = 0; i < lab.steps.size(); ++i) {
        EXPECT_EQ(lab.steps[i].id, other->steps[i].id);
        ASSERT_EQ(lab.steps[i].quiz.size(), other->steps[i].quiz.size());
        for (std::size_t k = 0; k < lab.steps[i].quiz.size(); ++k)
          EXPECT_EQ(lab.steps[i].quiz[k].choices.size(), other->steps[i].quiz[k].choices.size());
      }
      EXPECT_NE(lab.title, other->title);
    }
  }
}

TEST(CourseTest, EveryLabIsHeldInItsPlaceOrPlanned) {
  const auto course = loadCourse(kCourse, "en");
  std::size_t all = 0;
  for (const auto& day : course.half_days) all += day.labs.size() + day.planned.size();
  EXPECT_EQ(all, 29U);
  const auto* first = course.find("1.1");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->id, "measure-first");
  for (const auto& day : course.half_days)
    for (const auto& lab : day.labs) {
      int seconds = 0, questions = 0;
      for (const auto& step : lab.steps) {
        seconds += step.experiment ? step.experiment->seconds : 0;
        questions += static_cast<int>(step.quiz.size());
      }
      EXPECT_LE(seconds, 360) << lab.id << ": six minutes of computing on a small machine";
      EXPECT_GE(questions, 3) << lab.id;
      EXPECT_FALSE(lab.instructor.empty()) << lab.id;
    }
}

TEST(CourseTest, TheFirstMorningIsComplete) {
  const auto course = loadCourse(kCourse, "fr");
  const auto& morning = course.half_days.at(0);
  EXPECT_TRUE(morning.planned.empty());
  std::vector<std::string> ids;
  for (const auto& lab : morning.labs) ids.push_back(lab.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"measure-first", "profile", "hooks", "profile-pretrained"}));
}

TEST(CourseTest, TheWorkshopRacesItsPlanFixByFix) {
  const auto course = loadCourse(kCourse, "en");
  const auto* workshop = course.find("profile-pretrained");
  ASSERT_NE(workshop, nullptr);
  std::vector<int> numbers;
  for (const auto& step : workshop->steps)
    if (step.experiment && step.experiment->appliesPlan()) {
      EXPECT_EQ(step.experiment->plan, "profile");
      numbers.push_back(step.experiment->b_from_plan);
    }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 0}));
}

TEST(CourseTest, CatalogsHaveTheSameTexts) {
  const auto english = wire::Catalog::builtIn("en"), french = wire::Catalog::builtIn("fr");
  for (const auto& id : english.ids()) {
    const bool ours = id.starts_with("lab.") || id.starts_with("check.");
    EXPECT_TRUE(!ours || french.has(id)) << id;
  }
}

class CourseFolderTest : public LabFixture {
 protected:
  fs::path course() const { return m_root / "course"; }
  void SetUp() override {
    LabFixture::SetUp();
    std::ofstream(course() / "course.toml") << R"([[half_day]]
id = "day1-morning"
title = { en = "Morning", fr = "Matin" }
[[half_day.lab]]
number = "1.1"
title = { en = "Tiny", fr = "Petit" }
[[half_day.lab]]
number = "1.2"
title = { en = "Later", fr = "Plus tard" }
)";
  }
  void copyLab(const std::string& id, const std::string& number) const {
    const auto to = course() / "day1-morning" / id;
    fs::copy(m_folder, to, fs::copy_options::recursive);
    std::ofstream(to / "lab.toml") << with(with(kToml, "\"tiny\"", "\"" + id + "\""), "\"1.1\"", "\"" + number + "\"");
  }
};

TEST_F(CourseFolderTest, SortsByNumberAndKeepsPlannedLabs) {
  copyLab("ten", "1.10");
  copyLab("nine", "1.9");
  const auto read = loadCourse(course(), "fr");
  EXPECT_EQ(reasons(read), "");
  ASSERT_EQ(read.half_days.size(), 1U);
  const auto& day = read.half_days[0];
  EXPECT_EQ(day.title, "Matin");
  ASSERT_EQ(day.labs.size(), 3U);
  EXPECT_EQ(day.labs[1].id, "nine");
  EXPECT_EQ(day.labs[2].id, "ten");
  ASSERT_EQ(day.planned.size(), 1U);
  EXPECT_EQ(day.planned[0].title, "Plus tard");
}

TEST_F(CourseFolderTest, ABrokenLabDoesNotKeepTheOthersFromBeingRead) {
  copyLab("broken", "1.3");
  std::ofstream(course() / "day1-morning" / "broken" / "lab.toml") << "id = ";
  copyLab("again", "1.1");
  fs::create_directory(course() / "day9-night");
  fs::create_directories(m_root / "outside");
  fs::create_directory_symlink(m_root / "outside", course() / "day1-morning" / "link");
  const auto read = loadCourse(course(), "en");
  EXPECT_EQ(read.half_days.at(0).labs.size(), 1U);
  std::set<std::string> ids;
  for (const auto& error : read.refused) ids.insert(error.messages.front().id);
  EXPECT_EQ(ids, (std::set<std::string>{"lab.syntax", "lab.number_twice", "lab.unknown_half_day", "lab.outside"}));
}

TEST_F(CourseFolderTest, LabsAreReadWithoutACourseFile) {
  fs::remove(course() / "course.toml");
  const auto read = loadCourse(course(), "en");
  EXPECT_NE(read.find("tiny"), nullptr);
  EXPECT_EQ(read.refused.at(0).messages.front().id, "lab.missing_file");
}

// Whatever is cut off, the first lab is read or refused with a reason.
TEST_F(CourseFolderTest, TruncationsOfTheFirstLabNeverCrash) {
  constexpr std::size_t kStride = 50;
  const auto from = kCourse / "day1-morning" / "measure-first";
  const auto to = course() / "day1-morning" / "measure-first";
  fs::copy(from, to, fs::copy_options::recursive);
  for (const char* name : {"lab.toml", "en.md"}) {
    const auto whole = content(from / name);
    for (std::size_t size = 0; size < whole.size(); size += kStride) {
      std::ofstream(to / name, std::ios::binary) << whole.substr(0, size);
      const auto lab = loadLab(to, "en");
      EXPECT_TRUE(lab.ok() || !lab.error().messages.empty());
    }
    std::ofstream(to / name, std::ios::binary) << whole;
  }
  EXPECT_TRUE(loadLab(to, "en").ok());
}

}  // namespace
}  // namespace atelier::lab
