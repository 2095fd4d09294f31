#include "core/registry/fields.h"

#include <cmath>
#include <optional>
#include <set>

#include "core/wire/catalog.h"
#include "fixture.h"

namespace atelier::registry::testing {
namespace {

RunRecord exampleRecord() {
  RunRecord run;
  run.id = "20261130-104512-3f9a1c";
  run.created_ms = 1'796'035'512'000;
  run.spec = {{"model", "cnn"}, {"steps", 60}, {"pinned", true}, {"memory_budget", 0}, {"odd_key", 3}, {"list", {1, 2}}};
  run.summary = exampleSummary();
  run.summary.peak_memory_bytes.total = 1 << 20;
  run.labels.tags = {"slow", "day 1"};
  return run;
}

TEST(Fields, EveryFieldHasItsTextsAndItsOwnName) {
  const auto texts = wire::Catalog::builtIn("en");
  std::set<std::string> names;
  for (const auto& info : knownFields()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(texts.has(info.label)) << info.name << ": " << info.label;
    EXPECT_TRUE(info.unit.empty() || texts.has(info.unit)) << info.name << ": " << info.unit;
    ASSERT_NE(findField(info.name), nullptr) << info.name;
    EXPECT_EQ(findField(info.name)->label, info.label);
  }
  EXPECT_EQ(findField("nonsense"), nullptr);
}

TEST(Fields, AFigureIsTheRunsAndAKeyTheSpecs) {
  const auto run = exampleRecord();
  EXPECT_EQ(figure(run, "samples_per_second"), 1234.5);
  EXPECT_EQ(figure(run, "steps"), 200);
  EXPECT_EQ(figure(run, "spec.steps"), 60);
  EXPECT_EQ(field(run, "pinned"), FieldValue(false));
  EXPECT_EQ(field(run, "spec.pinned"), FieldValue(true));
  EXPECT_EQ(field(run, "model"), FieldValue(std::string("cnn")));
  EXPECT_EQ(field(run, "tag"), FieldValue(std::string("slow, day 1")));
  EXPECT_EQ(figure(run, "peak_memory"), 1 << 20);
  EXPECT_EQ(figure(run, "created"), 1'796'035'512'000);
  EXPECT_EQ(figure(run, "odd_key"), 3);
}

TEST(Fields, WhatARunDoesNotHaveIsNothing) {
  const auto run = exampleRecord();
  for (const char* name : {"loss", "rss", "name", "note", "race", "memory_budget", "list", "no_such_key", "spec.", ""})
    EXPECT_EQ(field(run, name), FieldValue()) << name;
  EXPECT_EQ(figure(run, "model"), std::nullopt);
  auto bare = run;
  bare.spec = "no object";
  EXPECT_EQ(field(bare, "model"), FieldValue());
}

TEST(Fields, SortedRunsHaveWhatIsMissingLast) {
  std::vector<RunRecord> runs(5);
  const std::vector<std::optional<double>> losses{0.5, std::nullopt, std::nan(""), 0.25, 0.5};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].id = std::to_string(i);
    runs[i].summary.loss = losses[i];
  }
  const auto order = [&runs] {
    std::string ids;
    for (const auto& run : runs) ids += run.id;
    return ids;
  };
  sortRuns(runs, "loss", false);
  EXPECT_EQ(order(), "30421");
  sortRuns(runs, "id", false);
  sortRuns(runs, "loss", true);
  EXPECT_EQ(order(), "04321");
  sortRuns(runs, "id", true);
  EXPECT_EQ(order(), "43210");
}

}  // namespace
}  // namespace atelier::registry::testing
