// The instructor's notes step by step.
#include <gtest/gtest.h>

#include "labs/instructor.h"
#include "labs/load.h"

namespace atelier::lab {
namespace {

Lab labWith(const std::string& notes) {
  Lab lab;
  lab.id = "example";
  for (const char* id : {"one", "two"}) {
    Step step;
    step.id = id;
    lab.steps.push_back(step);
  }
  lab.instructor = notes;
  return lab;
}

TEST(Instructor, AStepHasItsOwnSection) {
  const auto lab =
      labWith("# Title\n\nFor all.\n\n## one | The first\nSay this.\n\n## Questions\nAsk that.\n\n## two\nSay more.\n");
  const auto one = instructorNotes(lab, "one"), two = instructorNotes(lab, "two");
  EXPECT_EQ(one.step, "Say this.");
  EXPECT_EQ(two.step, "Say more.");
  EXPECT_EQ(one.general, "# Title\n\nFor all.\n\n## Questions\nAsk that.");
  EXPECT_EQ(two.general, one.general);
}

TEST(Instructor, WithoutSectionsAllIsAboutTheLab) {
  const auto notes = instructorNotes(labWith("Only this.\n"), "one");
  EXPECT_EQ(notes.step, "");
  EXPECT_EQ(notes.general, "Only this.");
  EXPECT_EQ(instructorNotes(labWith(""), "one").general, "");
}

TEST(Instructor, AHeadingInCodeIsCode) {
  const auto notes = instructorNotes(labWith("## one\n```\n## two\n```\nAfter.\n"), "one");
  EXPECT_EQ(notes.step, "```\n## two\n```\nAfter.");
  EXPECT_EQ(instructorNotes(labWith("## one\n```\n## two\n```\n"), "two").step, "");
}

TEST(Instructor, LineEndsOfAnotherSystemAreNoPartOfAName) {
  EXPECT_EQ(instructorNotes(labWith("## one\r\nSay.\r\n"), "one").step, "Say.");
}

TEST(Instructor, AnUnknownStepHasNone) {
  EXPECT_EQ(instructorNotes(labWith("## one\nSay.\n"), "three").step, "");
}

TEST(Instructor, EveryStepOfTheFirstLabHasNotesInBothLanguages) {
  const auto folder = std::filesystem::path(ATELIER_SOURCE_DIR) / "labs/course/day1-morning/measure-first";
  for (const char* language : {"en", "fr"}) {
    const auto lab = loadLab(folder, language);
    ASSERT_TRUE(lab.ok());
    for (const auto& step : lab->steps) {
      EXPECT_NE(instructorNotes(*lab, step.id).step, "") << language << " " << step.id;
    }
  }
}

}  // namespace
}  // namespace atelier::lab
