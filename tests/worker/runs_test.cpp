// The verb `runs` as a person or a script uses it, on runs that were not measured but written: nothing here takes long.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "program.h"

namespace atelier::worker {
namespace {

namespace fs = std::filesystem;

std::string writeRun(const fs::path& home, const std::string& model, double rate, std::optional<double> accuracy) {
  const auto id = registry::makeRunId();
  auto writer =
      registry::RunWriter::create(home, id, {{"model", model}, {"precision", "bf16"}, {"batch", 32}}, {{"cpu", "test"}});
  wire::RunSummary summary;
  summary.steps = 60;
  summary.samples_per_second = wire::Interval{rate, rate * 0.9, rate * 1.1, 10};
  summary.accuracy = accuracy;
  const bool done = writer.ok() && (*writer)->append(wire::encodeEvent({0, 0, "", wire::PhaseChanged{"measuring"}})).ok() &&
                    (*writer)->finish(summary).ok();
  EXPECT_TRUE(done);
  return id;
}

std::vector<std::string> idsIn(const nlohmann::json& list) {
  std::vector<std::string> ids;
  for (const auto& run : list) ids.push_back(run.value("id", ""));
  return ids;
}

class RunsVerb : public ::testing::Test {
 protected:
  Output runs(const std::string& arguments) const { return shell(m_home, "\"$E\" runs --lang en " + arguments); }

  const Home m_home;
  const std::string m_slow = writeRun(m_home.folder(), "mlp", 900, 0.7);
  const std::string m_fast = writeRun(m_home.folder(), "cnn", 4000, 0.9);
  const std::string m_bare = writeRun(m_home.folder(), "mlp", 2000, std::nullopt);
};

}  // namespace

TEST_F(RunsVerb, ListsWhatWhereWantsInTheOrderOfSort) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(idsIn(runs("list --json").json()), (Ids{m_bare, m_fast, m_slow}));
  EXPECT_EQ(idsIn(runs("list --json --where 'samples_per_second > 1000 and precision = bf16'").json()), (Ids{m_bare, m_fast}));
  EXPECT_EQ(idsIn(runs("list --json --where 'accuracy >= 85 % or samples_per_second < 1000'").json()), (Ids{m_fast, m_slow}));
  EXPECT_EQ(idsIn(runs("list --json --sort samples_per_second").json()), (Ids{m_slow, m_bare, m_fast}));
  EXPECT_EQ(idsIn(runs("list --json --sort -accuracy").json()), (Ids{m_fast, m_slow, m_bare}));
  EXPECT_EQ(idsIn(runs("list --json --where mlp --sort -samples_per_second --limit 1").json()), Ids{m_bare});
  EXPECT_TRUE(runs("list --json --where 'tag = none and model = vit'").json().empty());
  const auto shown = runs("list --where mlp --limit 1");
  EXPECT_NE(shown.out.find(m_bare), std::string::npos);
  EXPECT_EQ(shown.out.find(m_slow), std::string::npos);
  EXPECT_NE(shown.out.find("1 more"), std::string::npos) << shown.out;
  EXPECT_NE(runs("list --where nothing").out.find("No run fits"), std::string::npos);
}

TEST_F(RunsVerb, AMistakeInTheFilterIsNamed) {
  const auto field = runs("list --where 'samples_per_secnd > 3'");
  EXPECT_EQ(field.code, 2);
  EXPECT_NE(field.err.find("Did you mean samples_per_second?"), std::string::npos) << field.err;
  const auto sort = runs("list --sort acuracy");
  EXPECT_EQ(sort.code, 2);
  EXPECT_NE(sort.err.find("Did you mean accuracy?"), std::string::npos) << sort.err;
  for (const char* arguments :
       {"list --where '('", "list --where 'accuracy > 85'", "show", "show --where 'model = vit'", "label", "import",
        "reindex --where mlp", "export --out x.atelir --where mlp", "list --limit 0", "nonsense"})
    EXPECT_EQ(runs(arguments).code, 2) << arguments;
  EXPECT_EQ(runs("label " + m_slow).code, 2) << "nothing to label it with";
  EXPECT_EQ(runs("show " + m_slow + " --where mlp").code, 2);
}

TEST_F(RunsVerb, EveryOptionOfTheEngineIsAFieldOfTheFilter) {
  std::string where;
  const auto described = shell(m_home, "\"$E\" describe --json").json();
  for (const auto& option : described["options"])
    where += (where.empty() ? "" : " or ") + option["key"].get<std::string>() + " = none";
  ASSERT_GT(where.size(), 100U);
  const auto listed = runs("list --json --where '" + where + "'");
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_EQ(listed.json().size(), 3U);
}

TEST_F(RunsVerb, LabelsAreGivenAndTakenAway) {
  const auto given =
      runs("label " + m_slow + " --name baseline --note 'two words' --tag slow --tag 'day 1' --pin --json").json();
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0]["id"], m_slow);
  EXPECT_EQ(given[0]["tags"], (nlohmann::json{"slow", "day 1"}));
  EXPECT_EQ(idsIn(runs("list --json --where 'tag = \"day 1\" pinned baseline'").json()), std::vector<std::string>{m_slow});
  EXPECT_EQ(runs("label " + m_slow + " --untag slow --unpin --name '' --tag new --tag new").code, 0);
  const auto labels = runs("show " + m_slow + " --json").json()["labels"];
  EXPECT_EQ(labels["name"], "");
  EXPECT_EQ(labels["note"], "two words");
  EXPECT_EQ(labels["tags"], (nlohmann::json{"day 1", "new"}));
  EXPECT_EQ(labels["pinned"], false);
  EXPECT_EQ(runs("label " + m_slow + " --pin --unpin").code, 2);
  EXPECT_EQ(runs("label --where mlp --tag both --json").json().size(), 2U);
  EXPECT_EQ(runs("list --json --where 'tag = both'").json().size(), 2U);
}

TEST_F(RunsVerb, AnArchiveBringsRunsToAnotherHome) {
  const auto file = (m_home.folder() / "some.atelier").string();
  const auto packed = runs("export --where mlp --out " + file + " --json");
  ASSERT_EQ(packed.code, 0) << packed.err;
  EXPECT_EQ(packed.json()["runs"].size(), 2U);
  EXPECT_TRUE(packed.json()["left_out"].empty());
  const Home other;
  const auto brought = shell(other, "\"$E\" runs import " + file + " --json");
  ASSERT_EQ(brought.code, 0) << brought.err;
  EXPECT_EQ(brought.json()["runs"].size(), 2U);
  EXPECT_EQ(shell(other, "\"$E\" runs list --json --where 'tag = imported'").json().size(), 2U);
  const auto again = shell(other, "\"$E\" runs import " + file + " --json");
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.json()["present"].size(), 2U);
  const auto summary = other.folder() / "runs" / m_slow / "summary.json";
  ASSERT_TRUE(registry::writeWhole(summary, R"({"status":"done","steps":1})").ok());
  const auto refused = shell(other, "\"$E\" runs import " + file + " --json");
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.json()["refused"], (nlohmann::json::array({m_slow})));
  EXPECT_NE(refused.err.find(m_slow), std::string::npos);
  EXPECT_EQ(readAll(summary.string()), R"({"status":"done","steps":1})");
}

TEST_F(RunsVerb, WhatIsNoArchiveIsRefusedWithASentence) {
  const auto file = m_home.folder() / "no.atelier";
  ASSERT_TRUE(registry::writeWhole(file, "not an archive").ok());
  const auto refused = runs("import " + file.string());
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("no archive of runs"), std::string::npos) << refused.err;
  EXPECT_EQ(runs("import /no/such/file").code, 3);
  EXPECT_EQ(runs("list --json").json().size(), 3U);
}

TEST_F(RunsVerb, TablesGoToMarkdownAndCsv) {
  ASSERT_EQ(runs("label " + m_fast + " --name 'a|b'").code, 0);
  const auto file = m_home.folder() / "table.md";
  ASSERT_EQ(runs("export --where 'model = cnn' --out " + file.string()).code, 0);
  const auto markdown = readAll(file.string());
  EXPECT_EQ(markdown.find("| Run |"), 0U) << markdown;
  EXPECT_NE(markdown.find("a\\|b"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("4,000"), std::string::npos) << markdown;
  const auto csv = m_home.folder() / "table.csv";
  ASSERT_EQ(runs("export --where mlp --out " + csv.string()).code, 0);
  EXPECT_NE(readAll(csv.string()).find(m_bare + ",,done,mlp,"), std::string::npos);
}

TEST_F(RunsVerb, DeletingByAFilterCanBeUndone) {
  EXPECT_EQ(runs("delete --where mlp --json").json()["deleted"].size(), 2U);
  EXPECT_EQ(idsIn(runs("list --json").json()), std::vector<std::string>{m_fast});
  EXPECT_EQ(runs("restore " + m_slow + " " + m_bare + " --json").json()["restored"].size(), 2U);
  EXPECT_EQ(runs("list --json").json().size(), 3U);
  const auto half = runs("restore " + m_slow + " --json");
  EXPECT_EQ(half.code, 2);
  EXPECT_TRUE(half.json()["restored"].empty());
}

TEST_F(RunsVerb, NothingInALabelMovesTheTerminalsCursor) {
  auto opened = registry::Registry::open(m_home.folder());
  ASSERT_TRUE((*opened)->label(m_slow, {"red\x1b[31m\r\nrow", "", {"\x1b]0;title\x07"}, false}).ok());
  const auto shown = runs("list").out + runs("show " + m_slow).out;
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\r'), std::string::npos);
  EXPECT_NE(shown.find("red [31m"), std::string::npos);
}

TEST_F(RunsVerb, HelpHasExamplesInBothLanguages) {
  EXPECT_NE(runs("--help").out.find("samples_per_second > 3000 and precision = bf16"), std::string::npos);
  EXPECT_NE(shell(m_home, "\"$E\" runs --help --lang fr").out.find("Exemples"), std::string::npos);
  const auto completion = shell(m_home, "\"$E\" completion").out;
  for (const char* flag : {"--where", "--sort", "--untag"}) EXPECT_NE(completion.find(flag), std::string::npos) << flag;
}

}  // namespace atelier::worker
