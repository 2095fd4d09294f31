#include "core/wire/sweep.h"

#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace atelier::wire {
namespace {

using nlohmann::json;

Schema schema() {
  auto built = Schema::build({integerOption("batch", 128, 1, 1 << 20), choiceOption("precision", {"fp32", "bf16"}),
                              booleanOption("fused", false), bytesOption("memory_budget"), textOption("device", "auto")});
  EXPECT_TRUE(built.ok());
  return *built;
}

// The id of the first mistake, or "" when there is none.
std::string mistake(const std::vector<std::string>& words) {
  const auto axes = readAxes(schema(), words);
  return axes.ok() ? "" : axes.error().messages.front().id;
}

SweepPoint point(double rate, std::int64_t bytes, const std::string& status = "done") {
  SweepPoint made{"1", {{"batch", 32}}};
  made.summary.status = status;
  made.summary.samples_per_second = Interval{rate, rate, rate, 10};
  made.summary.peak_memory_bytes.total = bytes;
  return made;
}

SweepSummary judged(std::vector<SweepPoint> points) {
  SweepSummary sweep;
  sweep.points = std::move(points);
  judge(sweep);
  return sweep;
}

}  // namespace

TEST(SweepAxes, ReadTypedValues) {
  const auto axes = readAxes(schema(), {"batch=32,64", "precision=bf16", "fused=true,false", "memory_budget=none,64MiB"});
  ASSERT_TRUE(axes.ok());
  ASSERT_EQ(axes->size(), 4U);
  EXPECT_EQ((*axes)[0].key, "batch");
  EXPECT_EQ((*axes)[0].values, (std::vector<json>{32, 64}));
  EXPECT_EQ((*axes)[2].values, (std::vector<json>{true, false}));
  EXPECT_EQ((*axes)[3].values, (std::vector<json>{0, 64 << 20}));
}

TEST(SweepAxes, NameEveryMistake) {
  EXPECT_EQ(mistake({}), "sweep.no_grid");
  EXPECT_EQ(mistake({"batch"}), "sweep.no_values");
  EXPECT_EQ(mistake({"batch="}), "sweep.no_values");
  EXPECT_EQ(mistake({"=1"}), "spec.unknown_key");
  EXPECT_EQ(mistake({"bacth=1"}), "spec.unknown_key_near");
  EXPECT_EQ(mistake({"batch=1,1"}), "sweep.value_twice");
  EXPECT_EQ(mistake({"fused=true,1"}), "sweep.value_twice") << "the same value in two spellings";
  EXPECT_EQ(mistake({"batch=1", "batch=2"}), "sweep.key_twice");
  EXPECT_EQ(mistake({"batch=1,,2"}), "option.integer");
  EXPECT_EQ(mistake({"batch=1,"}), "option.integer");
  EXPECT_EQ(mistake({"precision=fp32,bf17"}), "option.choice");
  EXPECT_EQ(mistake({"batch=1,2"}), "");
  const auto several = readAxes(schema(), {"batch=x,y", "nonsense=1"});
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().messages.size(), 3U);
  EXPECT_EQ(several.error().code, ExitCode::Usage);
}

TEST(SweepAxes, RefuseMoreThanTwoHundredPoints) {
  const auto many = [](int count) {
    std::string word = "batch=1";
    for (int i = 2; i <= count; ++i) word += "," + std::to_string(i);
    return word;
  };
  EXPECT_EQ(mistake({many(200)}), "");
  EXPECT_EQ(mistake({many(201)}), "sweep.too_many");
  EXPECT_EQ(mistake({many(100), "precision=fp32,bf16"}), "");
  EXPECT_EQ(mistake({many(101), "precision=fp32,bf16"}), "sweep.too_many");
  EXPECT_EQ(mistake({many(150), "precision=fp32,bf16", "fused=true,false"}), "sweep.too_many");
}

TEST(SweepGrid, TheLastAxisChangesFastest) {
  const auto points = gridPoints({{"batch", {32, 64}}, {"precision", {"fp32", "bf16"}}});
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0], json({{"batch", 32}, {"precision", "fp32"}}));
  EXPECT_EQ(points[1], json({{"batch", 32}, {"precision", "bf16"}}));
  EXPECT_EQ(points[3], json({{"batch", 64}, {"precision", "bf16"}}));
}

TEST(SweepOrder, IsTheSameShuffleEachTime) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{12}, std::size_t{200}}) {
    const auto order = measuringOrder(count);
    EXPECT_EQ(order, measuringOrder(count));
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), count);
  }
  std::vector<std::size_t> straight(12);
  std::iota(straight.begin(), straight.end(), std::size_t{0});
  EXPECT_NE(measuringOrder(12), straight);
}

TEST(SweepJudge, MarksWhatNoOtherPointBeatsInBoth) {
  const auto sweep = judged({point(100, 50), point(200, 80), point(150, 90), point(100, 60), point(50, 10)});
  EXPECT_TRUE(sweep.points[0].pareto);
  EXPECT_TRUE(sweep.points[1].pareto);
  EXPECT_FALSE(sweep.points[2].pareto) << "slower and larger than the second";
  EXPECT_FALSE(sweep.points[3].pareto) << "as fast as the first, and larger";
  EXPECT_TRUE(sweep.points[4].pareto);
  EXPECT_EQ(sweep.best, 1U);
}

TEST(SweepJudge, EqualsBothStandAndWhatWasNotDoneDoesNot) {
  const auto sweep = judged({point(100, 50), point(100, 50), point(900, 1, "failed"), point(900, 1, "interrupted")});
  EXPECT_TRUE(sweep.points[0].pareto && sweep.points[1].pareto);
  EXPECT_FALSE(sweep.points[2].pareto || sweep.points[3].pareto);
  EXPECT_EQ(sweep.best, 0U);
  auto none = judged({point(1, 1, "not_run")});
  EXPECT_FALSE(none.best.has_value());
  EXPECT_TRUE(toJson(none)["best"].is_null());
  EXPECT_FALSE(judged({}).best.has_value());
}

TEST(SweepJson, HoldsWhatScriptsRead) {
  auto sweep = judged({point(100, 50), point(200, 80)});
  sweep.id = "s";
  sweep.status = "done";
  sweep.axes = {{"batch", {32}}};
  sweep.drift = 0.98;
  sweep.points[0].summary.id = "r";
  sweep.points[0].summary.loss = std::nan("");
  sweep.points[0].summary.step_p50 = 4.0;
  sweep.points[1].summary.failure = {{"run.out_of_memory", {{"detail", "x"}}}};
  const auto object = toJson(sweep);
  EXPECT_EQ(object["best"], 1);
  EXPECT_EQ(object["axes"][0]["key"], "batch");
  const auto& first = object["points"][0];
  EXPECT_EQ(first["run"], "r");
  EXPECT_EQ(first["values"]["batch"], 32);
  EXPECT_EQ(first["samples_per_second"]["median"], 100);
  EXPECT_EQ(first["milliseconds_per_step"]["p50"], 4.0);
  EXPECT_EQ(first["peak_memory_bytes"]["total"], 50);
  EXPECT_TRUE(first["loss"].is_null());
  EXPECT_EQ(first["non_finite"]["loss"], "NaN");
  EXPECT_FALSE(first.contains("accuracy"));
  EXPECT_EQ(object["points"][1]["failure"][0]["id"], "run.out_of_memory");
  const auto read = sweepSummaryFromJson(object);
  EXPECT_EQ(toJson(read), object);
  EXPECT_TRUE(std::isnan(read.points[0].summary.loss.value()));
}

TEST(SweepJson, ReadsDamagedRecords) {
  for (const char* text : {"null", "3", "[]", R"({"points":{"a":1},"axes":"x","best":-1,"drift":"x"})",
                           R"({"points":[null,[],{}],"axes":[1,{"values":3}],"best":1e300})"}) {
    const auto sweep = sweepSummaryFromJson(json::parse(text));
    EXPECT_FALSE(sweep.best.has_value()) << text;
    EXPECT_FALSE(toJson(sweep).dump().empty());
  }
}

}  // namespace atelier::wire
