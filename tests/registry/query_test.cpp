#include "core/registry/query.h"

#include <cmath>
#include <random>

#include "core/registry/query_text.h"
#include "core/wire/catalog.h"
#include "fixture.h"

namespace atelier::registry::testing {
namespace {

std::int64_t timeOf(const char* date) {
  return static_cast<std::int64_t>(parseDate(date)->first);
}

RunRecord slowRun() {
  RunRecord run;
  run.id = "20261130-104512-3f9a1c";
  run.created_ms = timeOf("2026-11-30 10:45:12");
  run.spec = {{"model", "resnet18"},    {"precision", "bf16"}, {"batch", 128},
              {"fused", true},          {"pinned", false},     {"memory_budget", 512 << 20},
              {"learning_rate", 0.001}, {"steps", 60},         {"odd_key", "Some Text"}};
  run.summary = exampleSummary();
  run.summary.peak_memory_bytes.total = 400 << 20;
  run.summary.step_p50 = 20;
  run.summary.loss = std::nan("");
  run.labels = {"Été, baseline", "two words here", {"slow", "Day 1"}, true};
  return run;
}

RunRecord bareRun() {
  RunRecord run;
  run.id = "20270101-000000-000000";
  run.created_ms = timeOf("2027-01-01");
  run.spec = {{"model", "mlp"}, {"memory_budget", 0}, {"fused", false}};
  run.summary.status = "failed";
  return run;
}

bool matches(const std::string& text, const RunRecord& run) {
  const auto query = Query::parse(text);
  EXPECT_TRUE(query.ok()) << text << ": " << firstId(query);
  return query && query->matches(run);
}

void expectTrue(const std::vector<std::string>& texts, const RunRecord& run) {
  for (const auto& text : texts) EXPECT_TRUE(matches(text, run)) << text;
}
void expectFalse(const std::vector<std::string>& texts, const RunRecord& run) {
  for (const auto& text : texts) EXPECT_FALSE(matches(text, run)) << text;
}

TEST(Query, WordsAreLookedForWhereAPersonWouldLook) {
  expectTrue({"", "  ", "resnet", "RESNET18", "bf16 resnet", "baseline", "été", "ÉTÉ", "words", "slow", "day", "3f9a1c",
              "\"two words\"", "\"Day 1\"", "\"some text\""},
             slowRun());
  expectFalse({"mlp", "resnet mlp", "\"words two\"", "batch", "128", "\"pinned\""}, slowRun());
}

TEST(Query, NumbersAreComparedInTheirUnits) {
  expectTrue({"samples_per_second > 1234",
              "samples_per_second>=1234.5",
              "samples_per_second = 1234.5",
              "steps != 60",
              "spec.steps = 60",
              "peak_memory < 512MiB",
              "peak_memory < 512 MiB",
              "peak_memory = 400mib",
              "peak_memory > 0.3GiB",
              "peak_memory < 512 Mio",
              "accuracy >= 81 %",
              "accuracy >= 81%",
              "accuracy < 82\u202f%",
              "accuracy = 0.8125",
              "accuracy = 81.25 %",
              "step_p50 = 20ms",
              "step_p50 <= 0.02 s",
              "step_p50 < 1min",
              "batch = 128",
              "batch == 128",
              "learning_rate = 1e-3",
              "memory_budget = 512MiB",
              "Samples_Per_Second > 1"},
             slowRun());
  expectFalse({"samples_per_second > 1234.5", "peak_memory > 512MiB", "accuracy > 82 %", "batch != 128", "batch < 128"},
              slowRun());
}

TEST(Query, TextsFlagsAndTags) {
  expectTrue({"precision = bf16",
              "precision = BF16",
              "precision != fp32",
              "model ~ net",
              "name = \"été, baseline\"",
              "note ~ \"two w\"",
              "tag = slow",
              "tag = \"day 1\"",
              "tag ~ da",
              "tag != fast",
              "pinned",
              "pinned = true",
              "not spec.pinned",
              "spec.pinned = false",
              "fused",
              "status = done",
              "status != failed",
              "id ~ 104512",
              "id > 20261101",
              "spec.odd_key ~ some",
              "spec.odd_key = \"some text\"",
              "race = \"\"",
              "race = none"},
             slowRun());
  expectFalse({"tag = slo", "tag != slow", "not pinned", "pinned = false", "model = resnet", "spec.pinned", "race ~ 2026"},
              slowRun());
}

TEST(Query, DatesMeanTheirWholeDay) {
  expectTrue({"created > 2026-11-01", "created = 2026-11-30", "created >= 2026-11-30", "created <= 2026-11-30",
              "created = 2026-11", "created = 2026", "created != 2025", "created < 2026-12", "created = \"2026-11-30 10:45\"",
              "created = 2026-11-30T10:45:12", "created > 2026-11-30T10:44"},
             slowRun());
  expectFalse({"created > 2026-11-30", "created < 2026-11-30", "created > 2026", "created = \"2026-11-30 10:46\""}, slowRun());
}

TEST(Query, WhatARunDoesNotHaveMatchesNoComparison) {
  expectFalse({"accuracy > 0.1", "accuracy < 0.1", "accuracy = 0.1", "accuracy != 0.1", "precision != bf16", "batch != 3",
               "memory_budget < 1GiB", "fused", "pinned", "samples_per_second != 1"},
              bareRun());
  expectTrue({"accuracy = none", "not accuracy > 80 %", "not (accuracy > 80 %)", "memory_budget = none", "name != x",
              "tag != slow", "tag = none", "note = \"\"", "precision = none", "not fused", "fused = false"},
             bareRun());
  expectTrue({"accuracy != none", "memory_budget != none", "tag != none", "precision != none"}, slowRun());
}

TEST(Query, ALossThatIsNotANumberCanBeAskedFor) {
  expectTrue({"loss = nan", "loss = NaN", "not loss < 1", "not loss >= 0", "loss != 0.5"}, slowRun());
  expectFalse({"loss != nan", "loss < 1", "loss > 1", "loss = 0.5"}, slowRun());
  expectFalse({"loss = nan", "loss != nan"}, bareRun());
}

TEST(Query, AndBindsMoreThanOr) {
  expectTrue({"mlp or resnet", "mlp fused or resnet fused", "(mlp or resnet) bf16", "mlp and nothing or pinned",
              "not mlp resnet", "not (mlp or vit)", "not not resnet", "resnet AND bf16", "mlp OR bf16", "(((resnet)))",
              "resnet and (bf16 or (mlp and fused))"},
             slowRun());
  expectFalse({"mlp or resnet and nothing", "(mlp or resnet) nothing", "not resnet", "not (resnet and bf16)", "not not mlp"},
              slowRun());
}

struct Mistake {
  std::string text, id, position;
};

TEST(Query, MistakesAreNamedWithTheirPlace) {
  for (const auto& [text, id, position] : std::vector<Mistake>{{"samples_per_secnd > 3", "query.unknown_field", "1"},
                                                               {"bf16 and acuracy > 3", "query.unknown_field", "10"},
                                                               {"été nonsense = 3", "query.unknown_field", "5"},
                                                               {"batch >", "query.no_value", "8"},
                                                               {"batch > and", "query.no_value", "9"},
                                                               {"batch > > 3", "query.no_value", "9"},
                                                               {"> 3", "query.unexpected", "1"},
                                                               {"\"batch\" > 3", "query.unexpected", "9"},
                                                               {"and x", "query.unexpected", "1"},
                                                               {"x and", "query.ends", "6"},
                                                               {"x or or y", "query.unexpected", "6"},
                                                               {"not", "query.ends", "4"},
                                                               {"()", "query.unexpected", "2"},
                                                               {"(x", "query.open_parenthesis", "1"},
                                                               {"x)", "query.unexpected", "2"},
                                                               {"name = \"x", "query.open_quote", "8"},
                                                               {"batch > many", "query.not_a_number", "9"},
                                                               {"batch > 0,5", "query.not_a_number", "9"},
                                                               {"accuracy > 85", "query.share", "12"},
                                                               {"steps < 5MiB", "query.not_a_number", "9"},
                                                               {"loss ~ 3", "query.no_contains", "8"},
                                                               {"pinned > true", "query.no_order", "10"},
                                                               {"pinned = maybe", "query.not_a_flag", "10"},
                                                               {"created > yesterday", "query.not_a_date", "11"},
                                                               {"created > 2026-13", "query.not_a_date", "11"},
                                                               {"created > 2026-02-30", "query.not_a_date", "11"},
                                                               {"created > 2026-11-30T25:00", "query.not_a_date", "11"},
                                                               {"status = dnoe", "query.status", "10"}}) {
    const auto query = Query::parse(text);
    ASSERT_FALSE(query.ok()) << text;
    EXPECT_EQ(query.error().code, wire::ExitCode::Usage) << text;
    EXPECT_EQ(firstId(query), id) << text;
    EXPECT_EQ(query.error().messages.front().args.front().second, position) << text;
    for (const char* language : {"en", "fr"}) {
      const auto sentence = wire::Catalog::builtIn(language).text(query.error().messages.front());
      EXPECT_EQ(sentence.find('{'), std::string::npos) << sentence;
    }
  }
}

TEST(Query, AnUnknownFieldIsAnsweredWithTheNearest) {
  const auto near = Query::parse("samples_per_secnd > 3");
  ASSERT_EQ(near.error().messages.size(), 2U);
  EXPECT_EQ(near.error().messages.at(1), (wire::Message{"registry.did_you_mean", {{"nearest", "samples_per_second"}}}));
  EXPECT_EQ(Query::parse("zzzzzz > 3").error().messages.at(1).id, "query.fields");
  EXPECT_FALSE(Query::parse("odd_key = 3").ok());
  EXPECT_TRUE(Query::parse("odd_key = 3", {"odd_key"}).ok());
  EXPECT_TRUE(Query::parse("spec.anything = 3").ok());
  EXPECT_EQ(Query::parse("od_key = 3", {"odd_key"}).error().messages.at(1).args.front().second, "odd_key");
}

TEST(Query, LengthAndDepthAreBounded) {
  EXPECT_TRUE(Query::parse(std::string(4096, 'x')).ok());
  EXPECT_EQ(firstId(Query::parse(std::string(4097, 'x'))), "query.too_long");
  EXPECT_TRUE(Query::parse(std::string(60, '(') + "x" + std::string(60, ')')).ok());
  EXPECT_EQ(firstId(Query::parse(std::string(2000, '(') + "x" + std::string(2000, ')'))), "query.too_deep");
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "not ";
  EXPECT_EQ(firstId(Query::parse(nots + "x")), "query.too_deep");
  std::string many;
  for (int i = 0; i < 800; ++i) many += "x or ";
  EXPECT_TRUE(Query::parse(many + "y").ok());
}

TEST(Query, CaseIsFoldedInWesternEuropeanLetters) {
  EXPECT_EQ(folded("AZaz09 ÀÉÞß×ŒŸ"), "azaz09 àéþß×œÿ");
  EXPECT_EQ(folded("\xC3"), "\xC3");
  EXPECT_EQ(folded(std::string("\xC5\xC3\x89", 3)), std::string("\xC5\xC3\xA9", 3));
}

TEST(Query, MutationsNeverCrash) {
  const std::vector<std::string> pieces{"samples_per_second",
                                        " > ",
                                        "3000",
                                        " and ",
                                        "or",
                                        "not ",
                                        "(",
                                        ")",
                                        "\"",
                                        "\\",
                                        "85 %",
                                        "512MiB",
                                        "=",
                                        "!",
                                        "~",
                                        "tag",
                                        "created",
                                        "2026-11",
                                        "\xC3",
                                        "\u202f",
                                        "none",
                                        "nan",
                                        "spec.",
                                        "pinned",
                                        std::string(1, '\0'),
                                        "\xFF",
                                        "é",
                                        "-",
                                        "1e999",
                                        " "};
  std::mt19937 random(20261130);
  const auto runs = {slowRun(), bareRun(), RunRecord()};
  int sound = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto count = random() % 12; count > 0; --count) text += pieces[random() % pieces.size()];
    const auto query = Query::parse(text);
    sound += query.ok();
    if (!query.ok()) {
      EXPECT_FALSE(query.error().messages.front().args.empty());
      continue;
    }
    for (const auto& run : runs) static_cast<void>(query->matches(run));
  }
  EXPECT_GT(sound, 100);
}

}  // namespace
}  // namespace atelier::registry::testing
