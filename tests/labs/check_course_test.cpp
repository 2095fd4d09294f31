#include <algorithm>

#include "core/wire/catalog.h"
#include "lab_fixture.h"
#include "labs/course_check.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

class CheckCourseTest : public LabFixture {
 protected:
  fs::path course() const { return m_root / "course"; }
  void SetUp() override {
    LabFixture::SetUp();
    std::ofstream(course() / "course.toml")
        << "[[half_day]]\nid = \"day1-morning\"\ntitle = { en = \"Morning\", fr = \"Matin\" }\n";
  }
  static int lineOf(const std::string& text, const std::string& passage) {
    const auto at = text.find(passage);
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  }
  CourseReport check(const wire::Schema* schema = nullptr) const { return checkCourse(course(), schema); }
  static const Problem* find(const CourseReport& report, const std::string& id) {
    const auto found = std::find_if(report.problems.begin(), report.problems.end(),
                                    [&](const Problem& problem) { return problem.reason.id == id; });
    return found == report.problems.end() ? nullptr : &*found;
  }
  // Expects the problem at this line of this file, and that its sentence is a sentence in both languages.
  static void expect(const CourseReport& report, const std::string& id, const std::string& file, int line,
                     Severity severity = Severity::Error) {
    const auto* problem = find(report, id);
    ASSERT_NE(problem, nullptr) << "expected " << id;
    EXPECT_TRUE(problem->file.ends_with(file)) << problem->file;
    EXPECT_EQ(problem->line, line) << id;
    EXPECT_EQ(problem->severity, severity) << id;
    for (const char* language : {"en", "fr"}) {
      const auto reason = reasonText(*problem, wire::Catalog::builtIn(language));
      EXPECT_NE(reason, id);
      EXPECT_EQ(reason.find('{'), std::string::npos) << reason;
      EXPECT_EQ(reason.find(problem->file + ":"), std::string::npos) << "file and line stand apart: " << reason;
    }
  }
  void advises(const std::string& toml, const std::string& id, int line) const {
    write("lab.toml", toml);
    const auto report = check();
    expect(report, id, "lab.toml", line, Severity::Warning);
    EXPECT_TRUE(report.sound());
  }
  static wire::Schema schema() {
    auto built = wire::Schema::build({wire::textOption("model", "mlp"), wire::integerOption("steps", 200, 1, 1000),
                                      wire::integerOption("batch", 128, 1, 4096), wire::booleanOption("channels_last", false),
                                      wire::choiceOption("precision", {"fp32", "bf16"})});
    EXPECT_TRUE(built.ok());
    return std::move(built).value();
  }
};

TEST_F(CheckCourseTest, NothingIsSaidOfASoundCourse) {
  const auto engine = schema();
  const auto report = check(&engine);
  for (const auto& problem : report.problems) ADD_FAILURE() << problem.file << ":" << problem.line << " " << problem.reason.id;
  EXPECT_TRUE(report.sound());
  ASSERT_EQ(report.labs.size(), 1U);
  const auto& lab = report.labs[0];
  EXPECT_EQ(lab.id, "tiny");
  EXPECT_EQ(lab.title, "Tiny");
  EXPECT_EQ(lab.languages, (std::vector<std::string>{"en", "fr"}));
  EXPECT_EQ(lab.steps, 2);
  EXPECT_EQ(lab.experiments, 1);
  EXPECT_EQ(lab.checks, 2);
  EXPECT_EQ(lab.seconds, 60);
  EXPECT_EQ(lab.errors + lab.warnings, 0);
}

TEST_F(CheckCourseTest, TheBuiltInCourseHasNoErrors) {
  const auto report = checkCourse(fs::path(ATELIER_SOURCE_DIR) / "labs" / "course", nullptr);
  for (const auto& problem : report.problems)
    if (problem.severity == Severity::Error) ADD_FAILURE() << problem.file << ":" << problem.line << " " << problem.reason.id;
  EXPECT_FALSE(report.labs.empty());
}

TEST_F(CheckCourseTest, EveryMistakeOfEveryFileIsNamed) {
  const auto toml = with(with(kToml, "hints = 1", "hint = 1"), "at_least = 1.2", "at_leas = 1.2");
  const auto english = with(kText, "### solution", "### solutoin"), french = with(kText, "## end | The end", "## fin | La fin");
  write("lab.toml", toml);
  write("en.md", english);
  write("fr.md", french);
  std::ofstream(course() / "course.toml", std::ios::app) << "[[half_day]]\nid = \"day1-morning\"\ntitle = { en = \"Again\" }\n";
  const auto report = check();
  EXPECT_FALSE(report.sound());
  expect(report, "lab.unknown_section", "en.md", lineOf(english, "### solutoin"));
  expect(report, "lab.text_without_step", "fr.md", lineOf(french, "## fin"));
  expect(report, "lab.step_without_text", "fr.md", 1);
  expect(report, "lab.missing_key", "lab.toml", lineOf(toml, "[[step.check]]"));
  expect(report, "lab.twice", "course.toml", 5);
  std::vector<std::string> nearest;
  for (const auto& problem : report.problems)
    if (problem.reason.id == "lab.unknown_key_near") nearest.push_back(arg(problem.reason, "nearest"));
  EXPECT_EQ(nearest, (std::vector<std::string>{"hints", "at_least"}));
  EXPECT_EQ(report.labs.at(0).errors, report.errors - 1) << "all but the one of course.toml";
  EXPECT_TRUE(std::is_sorted(report.problems.begin(), report.problems.end(), [](const Problem& a, const Problem& b) {
    return a.file != b.file ? a.file < b.file : a.line < b.line;
  }));
}

TEST_F(CheckCourseTest, TheSameMistakeCountsOnce) {
  write("lab.toml", with(kToml, "hints = 1", "hints = \"one\""));
  const auto report = check();
  EXPECT_EQ(std::count_if(report.problems.begin(), report.problems.end(),
                          [](const Problem& problem) { return problem.reason.id == "lab.wrong_type.integer"; }),
            1);
}

TEST_F(CheckCourseTest, SpecsAreHeldAgainstTheSchemaLineByLine) {
  auto toml = with(kToml, "steps = 20", "stepz = 20");
  toml = with(toml, "b = { channels_last = true }", "b = { precision = \"bf61\" }");
  toml = with(toml, "knobs = [\"batch\"]", "knobs = [\"batch\", \"bach\"]");
  toml = with(toml, "precision = \"bf16\", batch = 64", "precision = \"bf16\", batch = 0");
  write("lab.toml", toml);
  EXPECT_TRUE(check().sound()) << "without a schema nobody knows";
  const auto engine = schema();
  const auto report = check(&engine);
  EXPECT_EQ(report.errors, 4);
  expect(report, "spec.unknown_key_near", "lab.toml", lineOf(toml, "spec = {"));
  expect(report, "option.choice", "lab.toml", lineOf(toml, "b = {"));
  expect(report, "course.unknown_knob_near", "lab.toml", lineOf(toml, "knobs = [\"batch\""));
  expect(report, "option.range", "lab.toml", lineOf(toml, "knobs = { precision"));
}

TEST_F(CheckCourseTest, ACourseInOneLanguageIsSoundAndShownInIt) {
  for (const char* name : {"en.md", "instructor.en.md"}) fs::remove(m_folder / name);
  write("fr.md", with(kText, "# Tiny", "# Petit"));
  const auto report = check();
  EXPECT_TRUE(report.sound());
  expect(report, "course.no_language", "en.md", 0, Severity::Warning);
  const auto read = loadCourse(course(), "en");
  ASSERT_NE(read.find("tiny"), nullptr);
  EXPECT_EQ(read.find("tiny")->title, "Petit");
  EXPECT_EQ(read.find("tiny")->language, "fr");
  fs::remove(m_folder / "fr.md");
  EXPECT_FALSE(check().sound());
}

TEST_F(CheckCourseTest, NotesForTheInstructorMayBeAbsent) {
  fs::remove(m_folder / "instructor.fr.md");
  const auto report = check();
  EXPECT_TRUE(report.sound());
  expect(report, "course.no_instructor", "instructor.fr.md", 0, Severity::Warning);
  const auto lab = loadLab(m_folder, "fr");
  ASSERT_TRUE(lab.ok());
  EXPECT_EQ(lab->instructor, "");
}

TEST_F(CheckCourseTest, AdvisesOnWhatAClassWouldStumbleOver) {
  const std::string toml = kToml;
  advises(with(toml, "number = \"1.1\"", "number = \"1.1\"\nminutes = 100"), "course.long_lab", 3);
  advises(with(toml, "verb = \"race\"", "verb = \"race\"\nseconds = 901"), "course.long_runs", 1);
  const std::string reader = "[[step.check]]\nid = \"gain\"\nkind = \"ratio_at_least\"\nat_least = 1.2\n";
  const std::string late =
      "[[step]]\nid = \"end\"\n[step.prediction]\nabout = \"race\"\nquantity = \"ratio\"\nunit = \"ratio\"\nmin = 1\nmax = 2\n";
  advises(with(toml, "[[step]]\nid = \"end\"\n", late), "course.late_prediction", lineOf(toml, "[[step]]\nid = \"end\""));
  auto unread =
      with(with(toml, reader, ""), "[[step.check]]\nid = \"guess\"\nkind = \"prediction_within\"\npercent = 20\n", "");
  unread = with(unread, "[step.prediction]\nquantity = \"ratio\"\nunit = \"ratio\"\nmin = 0.1\nmax = 10\n", "");
  const auto plain = with(kText, "Predicted {prediction.race}, measured {measured.race}.", "Look.");
  for (const char* name : {"en.md", "fr.md"}) write(name, plain);
  advises(unread, "course.unread_experiment", lineOf(unread, "[[step]]\nid = \"race\""));
}

TEST_F(CheckCourseTest, HintsWithoutATaskAndOtherChoicesAreAdvisedOn) {
  const auto toml =
      with(with(kToml, "id = \"end\"", "id = \"end\"\nhints = 1"), "[[step.quiz]]\nid = \"why\"\nanswer = 1\n", "");
  const auto text = with(kText, "### quiz why\nWhy\nso?\n- No\n- Yes,\n  indeed\n> Because.\n", "### hint\nThink.\n");
  for (const char* name : {"en.md", "fr.md"}) write(name, text);
  advises(toml, "course.idle_hints", lineOf(toml, "[[step]]\nid = \"end\""));
  write("lab.toml", kToml);
  write("en.md", kText);
  write("fr.md", with(kText, "- No\n", "- No\n- Perhaps\n"));
  const auto report = check();
  expect(report, "course.choices_differ", "fr.md", lineOf(kText, "### quiz why"), Severity::Warning);
}

TEST_F(CheckCourseTest, RecordedRunsAreFoundByStep) {
  fs::create_directory(m_folder / "recorded");
  for (const char* name : {"race.atelier", "end.atelier"}) std::ofstream(m_folder / "recorded" / name) << "archive";
  const auto lab = tiny();
  ASSERT_EQ(lab.recorded.size(), 1U);
  EXPECT_EQ(lab.recorded.at("race"), m_folder / "recorded" / "race.atelier");
  const auto report = check();
  EXPECT_EQ(report.labs.at(0).recorded, 1);
  expect(report, "course.stray_recording", "end.atelier", 0, Severity::Warning);
}

TEST_F(CheckCourseTest, AFolderOfOneLabIsACourse) {
  const auto report = checkCourse(m_folder, nullptr);
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.labs.size(), 1U);
  const auto read = loadCourse(m_folder, "en");
  EXPECT_NE(read.find("1.1"), nullptr);
  write("lab.toml", "id = ");
  EXPECT_FALSE(checkCourse(m_folder, nullptr).sound());
}

TEST_F(CheckCourseTest, NoFolderIsAnError) {
  const auto report = checkCourse(m_root / "nowhere", nullptr);
  EXPECT_FALSE(report.sound());
  expect(report, "lab.no_folder", "nowhere", 0);
}

TEST_F(CheckCourseTest, AsJson) {
  write("lab.toml", with(kToml, "hints = 1", "hint = 1"));
  const auto json = toJson(check(), wire::Catalog::builtIn("en"));
  EXPECT_EQ(json["sound"], false);
  EXPECT_EQ(json["labs"][0]["id"], "tiny");
  const auto& problem = json["problems"][0];
  EXPECT_EQ(problem["severity"], "error");
  EXPECT_EQ(problem["id"], "lab.unknown_key_near");
  EXPECT_EQ(problem["line"], lineOf(kToml, "hints = 1"));
  EXPECT_EQ(problem["reason"], "the key “hint” is not known here. Did you mean “hints”?");
}

}  // namespace
}  // namespace atelier::lab
