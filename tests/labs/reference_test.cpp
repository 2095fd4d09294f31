#include "labs/reference.h"

#include <fstream>
#include <sstream>

#include "core/wire/catalog.h"
#include "lab_fixture.h"
#include "labs/check.h"
#include "labs/figures.h"
#include "labs/lab_keys.h"
#include "labs/lab_toml.h"

namespace atelier::lab {
namespace {

TEST(ReferenceTest, TheFileIsWhatTheProgramPrints) {
  std::ostringstream kept;
  kept << std::ifstream(std::filesystem::path(ATELIER_SOURCE_DIR) / "labs" / "REFERENCE.md", std::ios::binary).rdbuf();
  EXPECT_EQ(kept.str(), reference("en")) << "stale: atelier --course-reference --lang en > labs/REFERENCE.md";
}

TEST(ReferenceTest, EveryKeyAndParameterIsExplainedInBothLanguages) {
  for (const char* language : {"en", "fr"}) {
    const auto catalog = wire::Catalog::builtIn(language);
    for (const auto& key : labKeys()) EXPECT_TRUE(catalog.has("reference.key." + key.table + "." + key.key)) << key.key;
    for (const auto& kind : allCheckKinds()) {
      EXPECT_TRUE(catalog.has("check." + kind.id + ".help")) << kind.id;
      for (const auto& parameter : kind.parameters)
        EXPECT_TRUE(catalog.has("check." + kind.id + ".parameter." + parameter.name)) << kind.id << " " << parameter.name;
    }
    const auto text = reference(language);
    EXPECT_EQ(text.find("reference."), std::string::npos) << "an id instead of a text";
    for (const auto& kind : allCheckKinds()) EXPECT_NE(text.find("### `" + kind.id + "`"), std::string::npos);
  }
  EXPECT_NE(reference("en"), reference("fr"));
}

TEST(ReferenceTest, ItsExamplesOfFiguresExist) {
  for (const char* verb : {"run", "race", "max-batch"})
    for (const auto& figure : exampleFigures(verb)) EXPECT_TRUE(isKnownQuantity(verb, figure)) << verb << " " << figure;
}

// A lab that uses every declared key is read; one that uses another is refused.
TEST(ReferenceTest, TheReaderTakesEveryDeclaredKey) {
  const std::string all = R"(id = "all"
number = "9.9"
half_day = "day1-morning"
minutes = 20
[[step]]
id = "one"
hints = 1
[step.prediction]
about = "one"
quantity = "ratio"
unit = "ratio"
min = 0.1
max = 10
[step.experiment]
verb = "race"
spec = { model = "cnn" }
b = { fused = true }
knobs = ["batch"]
knobs_b = ["precision"]
seconds = 30
[step.solution]
knobs = { batch = 3 }
[[step.check]]
id = "c"
kind = "decided"
on = "one"
percent = 5
[[step.quiz]]
id = "q"
answer = 0
[[step]]
id = "two"
[step.prediction]
quantity = "operators"
unit = "name"
choices = ["convolution", "addmm"]
[step.experiment]
verb = "profile"
spec = { model = "cnn" }
[[step]]
id = "three"
[step.experiment]
verb = "race"
plan = "two"
b_from_plan = 1
spec = { steps = 20 }
[[step]]
id = "foot"
[step.experiment]
verb = "run"
epoch_samples = 60000
spec = { model = "cnn" }
[[step]]
id = "rung"
[step.experiment]
verb = "race"
ladder = "foot"
spec = { steps = 20 }
b = { workers = 2 }
)";
  EXPECT_TRUE(parseLabShape(all, "lab.toml").ok());
  for (const auto& key : labKeys()) {
    const bool ofCourse = key.table == "course" || key.table == "half_day" || key.table == "planned_lab";
    EXPECT_TRUE(ofCourse || all.find(key.key) != std::string::npos) << key.key << " is not tried here";
  }
  const auto other = parseLabShape(all + "wiegth = 1\n", "lab.toml");
  ASSERT_FALSE(other.ok());
  EXPECT_TRUE(other.error().messages.front().id.starts_with("lab.unknown_key"));
}

TEST(ReferenceTest, ParametersAreVerifiedAsTheyAreDeclared) {
  const auto refused = [](const std::string& check, const std::string& verb) {
    const auto text = "id = \"x\"\nnumber = \"1\"\nhalf_day = \"d\"\n[[step]]\nid = \"s\"\n[step.experiment]\nverb = \"" +
                      verb + "\"\nspec = {}\n[[step.check]]\nid = \"c\"\n" + check;
    const auto shape = parseLabShape(text, "lab.toml");
    return shape.ok() ? std::string() : shape.error().messages.front().id;
  };
  EXPECT_EQ(refused("kind = \"decided\"\npercent = 5\n", "race"), "");
  EXPECT_EQ(refused("kind = \"decided\"\npercent = -5\n", "race"), "lab.negative");
  EXPECT_EQ(refused("kind = \"decided\"\npercent = 5\n", "run"), "lab.check_needs_race");
  EXPECT_EQ(refused("kind = \"verdict_is\"\nverdict = \"faster\"\n", "race"), "");
  EXPECT_EQ(refused("kind = \"verdict_is\"\nverdict = \"fastest\"\n", "race"), "lab.not_a_choice");
  EXPECT_EQ(refused("kind = \"naive_error\"\nnaive = \"no_warm\"\n", "run"), "lab.not_a_choice");
  EXPECT_EQ(refused("kind = \"ratio_at_least\"\nat_least = 2\n", "run"), "lab.unknown_quantity")
      << "the default is checked too";
  EXPECT_EQ(refused("kind = \"value_at_most\"\nvalue = 2\nquantity = \"los\"\n", "run"), "lab.unknown_quantity");
  EXPECT_EQ(refused("kind = \"breakdown_sums\"\npercent = 5\n", "profile"), "");
  EXPECT_EQ(refused("kind = \"breakdown_sums\"\npercent = 5\n", "run"), "lab.check_needs_profile");
  EXPECT_EQ(refused("kind = \"decided\"\npercent = 5\n", "profile"), "lab.check_needs_race");
  EXPECT_EQ(refused("kind = \"value_at_most\"\nvalue = 1\nquantity = \"shares.data\"\n", "profile"), "");
  EXPECT_EQ(refused("kind = \"value_at_most\"\nvalue = 1\nquantity = \"shares.data\"\n", "run"), "lab.unknown_quantity");
  EXPECT_EQ(refused("kind = \"diagnosis_names\"\nrule = \"input_bound\"\nfirst = true\n", "profile"), "");
  EXPECT_EQ(refused("kind = \"diagnosis_names\"\nrule = [\"small_batch\", \"launch_bound\"]\n", "profile"), "");
  EXPECT_EQ(refused("kind = \"diagnosis_names\"\nrule = \"input_bund\"\n", "profile"), "lab.not_a_choice");
  EXPECT_EQ(refused("kind = \"diagnosis_names\"\nrule = 3\n", "profile"), "lab.wrong_type.words");
  EXPECT_EQ(refused("kind = \"diagnosis_names\"\nrule = \"input_bound\"\nfirst = 1\n", "profile"), "lab.wrong_type.boolean");
  EXPECT_EQ(refused("kind = \"diagnosis_silent\"\nrules = []\n", "profile"), "lab.too_few") << "it would always pass";
  EXPECT_EQ(refused("kind = \"diagnosis_silent\"\n", "profile"), "lab.missing_key");
}

}  // namespace
}  // namespace atelier::lab
