#include "labs/load.h"

#include <algorithm>

#include "core/wire/option.h"
#include "lab_fixture.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

class LoadTest : public LabFixture {
 protected:
  static int lineOf(const std::string& text, const std::string& passage) {
    const auto at = text.find(passage);
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
  }
  void tomlRefused(const std::string& from, const std::string& to, const std::string& id, const std::string& at) const {
    const auto text = with(kToml, from, to);
    write("lab.toml", text);
    SCOPED_TRACE(id);
    expectRefused(id, "lab.toml", lineOf(text, at));
  }
  void textRefused(const std::string& from, const std::string& to, const std::string& id, const std::string& at) const {
    const auto text = with(kText, from, to);
    write("en.md", text);
    SCOPED_TRACE(id);
    expectRefused(id, "en.md", at.empty() ? 1 : lineOf(text, at));
  }
};

TEST_F(LoadTest, ReadsAWholeLab) {
  const auto lab = tiny();
  EXPECT_EQ(lab.title, "Tiny");
  EXPECT_EQ(lab.question, "Is it fast?");
  EXPECT_EQ(lab.instructor, "Notes\n");
  ASSERT_EQ(lab.steps.size(), 2U);
  const auto& race = lab.steps[0];
  EXPECT_EQ(race.prediction->about, "race");
  EXPECT_EQ(race.experiment->b, nlohmann::json({{"channels_last", true}}));
  EXPECT_NE(race.body.find("## not a heading"), std::string::npos);
  EXPECT_EQ(race.hints, std::vector<std::string>{"Try bf16."});
  EXPECT_EQ(race.checks[1].parameters["quantity"], "ratio");
  const auto& question = lab.steps[1].quiz[0];
  EXPECT_EQ(question.text, "Why so?");
  EXPECT_EQ(question.choices, (std::vector<std::string>{"No", "Yes, indeed"}));
  EXPECT_EQ(question.answer, 1);
}

TEST_F(LoadTest, WindowsLineEndsAndByteOrderMarkMakeNoDifference) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : std::string(kText)) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write("en.md", text);
  EXPECT_EQ(tiny().steps[1].quiz[0].choices[1], "Yes, indeed");
}

TEST_F(LoadTest, NamesMistakesOfTheTomlWithTheirLine) {
  tomlRefused("number = \"1.1\"", "number = ", "lab.syntax", "number = ");
  tomlRefused("number = \"1.1\"\n", "", "lab.missing_key", "id = \"tiny\"");
  tomlRefused("hints = 1", "hint = 1", "lab.unknown_key_near", "hint = 1");
  tomlRefused("hints = 1", "zzz = 1", "lab.unknown_key", "zzz = 1");
  tomlRefused("hints = 1", "hints = \"one\"", "lab.wrong_type.integer", "hints =");
  tomlRefused("hints = 1", "hints = 10", "lab.out_of_range", "hints =");
  tomlRefused("verb = \"race\"", "verb = \"walk\"", "lab.not_a_choice", "verb =");
  tomlRefused("verb = \"race\"", "verb = 1", "lab.wrong_type.text", "verb =");
  tomlRefused("knobs = [\"batch\"]", "knobs = [1]", "lab.wrong_type.words", "knobs =");
  tomlRefused("kind = \"ratio_at_least\"", "kind = \"ratio_at_last\"", "lab.unknown_check_near", "kind =");
  tomlRefused("percent = 20", "percent = \"20\"", "lab.wrong_type.number", "percent =");
  tomlRefused("id = \"end\"", "id = \"race\"", "lab.twice", "[[step]]\nid = \"race\"\n[[step.quiz]]");
  tomlRefused("id = \"end\"", "id = \"../end\"", "lab.bad_identifier", "id = \"../end\"");
  tomlRefused("[step.prediction]", "[step.prediction]\nabout = \"rac\"", "lab.unknown_step", "about =");
  tomlRefused("[step.prediction]", "[step.prediction]\nabout = \"end\"", "lab.no_experiment", "about =");
  tomlRefused("quantity = \"ratio\"", "quantity = \"ration\"", "lab.unknown_quantity", "quantity =");
  tomlRefused("max = 10", "max = 0.1", "lab.empty_range", "min =");
  tomlRefused("precision = \"bf16\"", "fused = true", "lab.solution_not_a_knob", "knobs = { fused");
}

TEST_F(LoadTest, NamesMistakesOfTheTextWithTheirLine) {
  textRefused("# Tiny\n", "", "lab.no_title", "");
  textRefused("> Is it fast?\n", "", "lab.no_question", "");
  textRefused("## race | A race", "stray\n## race | A race", "lab.stray_text", "stray");
  textRefused("## race | A race", "## race", "lab.bad_section", "## race");
  textRefused("## end | The end", "## race | The end", "lab.twice", "## race | The end");
  textRefused("## end | The end", "## other | The end", "lab.step_without_text", "");
  textRefused("### solution", "### solutoin", "lab.unknown_section", "### solutoin");
  textRefused("### hint\nTry bf16.\n", "", "lab.hints_differ", "## race");
  textRefused("### solution\nUse bf16.\n", "", "lab.solution_without_text", "## race");
  textRefused("{measured.race}", "{measured.rice}", "lab.unknown_placeholder", "Predicted");
  textRefused("### quiz why", "### quiz who", "lab.question_without_text", "## end");
  textRefused("- No\n", "", "lab.quiz_incomplete", "### quiz");
  textRefused("Answer.", "```", "lab.code_open", "```\n### quiz");
  textRefused("Tiny", "T\xFF", "lab.not_utf8", "");
}

TEST_F(LoadTest, AnswersMustBeAmongTheChoices) {
  write("lab.toml", with(kToml, "answer = 1", "answer = 2"));
  expectRefused("lab.answer_out_of_range", "en.md", lineOf(kText, "### quiz why"));
}

TEST_F(LoadTest, RefusesFilesThatCannotBeRead) {
  write("en.md", std::string(kLargestLabFile + 1, 'x'));
  expectRefused("lab.too_large", "en.md", 0);
  fs::remove(m_folder / "en.md");
  expectRefused("lab.missing_file", "en.md", 0);
  fs::create_directory(m_folder / "en.md");
  expectRefused("lab.unreadable", "en.md", 0);
}

TEST_F(LoadTest, AMissingLanguageRefusesThatLanguageOnly) {
  fs::remove(m_folder / "fr.md");
  EXPECT_TRUE(loadLab(m_folder, "en").ok());
  const auto french = loadLab(m_folder, "fr");
  ASSERT_FALSE(french.ok());
  EXPECT_EQ(french.error().messages.front().id, "lab.missing_file");
  EXPECT_TRUE(arg(french.error().messages.front(), "file").ends_with("fr.md"));
}

TEST_F(LoadTest, LinksDoNotLeaveTheFolder) {
  std::ofstream(m_root / "secret.md") << kText;
  fs::remove(m_folder / "en.md");
  fs::create_symlink(m_root / "secret.md", m_folder / "en.md");
  expectRefused("lab.outside", "en.md", 0);
  fs::remove(m_folder / "en.md");
  fs::create_symlink(m_folder / "fr.md", m_folder / "en.md");
  EXPECT_TRUE(loadLab(m_folder, "en").ok());
}

TEST_F(LoadTest, NamesAllMistakesAtOnceInTheOrderOfTheFile) {
  write("lab.toml", with(with(kToml, "min = 0.1", "min = \"low\""), "at_least = 1.2", "at_leas = 1.2"));
  const auto lab = loadLab(m_folder, "en");
  ASSERT_FALSE(lab.ok());
  std::vector<std::string> ids;
  for (const auto& message : lab.error().messages) ids.push_back(message.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"lab.wrong_type.number", "lab.missing_key", "lab.unknown_key_near"}));
  EXPECT_EQ(arg(lab.error().messages.back(), "nearest"), "at_least");
}

TEST_F(LoadTest, DeepOrEndlessTomlIsRefused) {
  std::string deep = "a";
  for (int i = 0; i < 40; ++i) deep += ".a";
  write("lab.toml", deep + " = 1\n");
  expectRefused("lab.nested_too_deep", "lab.toml", 1);
  write("lab.toml", "a = \"" + std::string(5000, 'x') + "\"\n");
  expectRefused("lab.line_too_long", "lab.toml", 1);
}

TEST_F(LoadTest, TruncatedFilesNeverCrash) {
  for (const auto& [name, whole] : {std::pair<std::string, std::string>{"lab.toml", kToml}, {"en.md", kText}}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write(name, whole.substr(0, size));
      const auto lab = loadLab(m_folder, "en");
      EXPECT_TRUE(lab.ok() || !lab.error().messages.empty());
    }
    write(name, whole);
  }
}

TEST_F(LoadTest, SpecsAreVerifiedAgainstTheEnginesSchema) {
  auto schema = wire::Schema::build({wire::textOption("model", "mlp"), wire::integerOption("steps", 200, 1, 1000),
                                     wire::integerOption("batch", 128, 1, 4096), wire::booleanOption("channels_last", false),
                                     wire::choiceOption("precision", {"fp32", "bf16"})});
  ASSERT_TRUE(schema.ok());
  auto lab = tiny();
  EXPECT_TRUE(verifySpecs(lab, *schema).ok());
  lab.steps[0].experiment->spec["steps"] = 0;
  lab.steps[0].experiment->knobs = {"bach"};
  const auto status = verifySpecs(lab, *schema);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().messages.front().id, "lab.bad_spec");
  EXPECT_EQ(status.error().messages[1].id, "option.range");
  EXPECT_EQ(status.error().messages.back().id, "lab.unknown_knob");
  EXPECT_EQ(arg(status.error().messages.back(), "nearest"), "batch");
}

}  // namespace
}  // namespace atelier::lab
