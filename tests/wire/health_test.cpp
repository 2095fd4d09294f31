#include "core/wire/health.h"

#include <cmath>

#include <gtest/gtest.h>

namespace atelier::wire {
namespace {

using nlohmann::json;

TensorStats stats() {
  return {"features.0", "Conv2d", 0.125, 1.5, -3, 4, 17.25, 100'352, 51'000, 2, 1};
}

void expectSame(const TensorStats& a, const TensorStats& b) {
  EXPECT_EQ(a.module, b.module);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.deviation, b.deviation);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.zeros, b.zeros);
  EXPECT_EQ(a.nans, b.nans);
  EXPECT_EQ(a.infinities, b.infinities);
}

}  // namespace

TEST(Health, IsTheSameAfterJson) {
  Health before;
  before.step = 41;
  before.activations = {stats(), TensorStats{}};
  before.gradients = {stats()};
  before.parameters = {stats(), stats(), stats()};
  before.gradient_norm = 2.75;
  before.first_bad_module = "features.0";
  before.first_bad_operator = "aten::div";
  before.first_bad_stage = "forward";
  before.first_bad_step = 41;
  const auto after = healthFromJson(json::parse(toJson(before).dump()));
  EXPECT_EQ(after.step, 41);
  ASSERT_EQ(after.activations.size(), 2U);
  expectSame(after.activations[0], before.activations[0]);
  expectSame(after.activations[1], TensorStats{});
  ASSERT_EQ(after.gradients.size(), 1U);
  EXPECT_EQ(after.parameters.size(), 3U);
  EXPECT_EQ(after.gradient_norm, 2.75);
  EXPECT_EQ(after.first_bad_module, "features.0");
  EXPECT_EQ(after.first_bad_operator, "aten::div");
  EXPECT_EQ(after.first_bad_stage, "forward");
  EXPECT_EQ(after.first_bad_step, 41);
}

TEST(Health, WritesNumbersThatAreNoneAsNullWithTheirNames) {
  Health health;
  health.gradient_norm = HUGE_VAL;
  auto bad = stats();
  bad.mean = std::nan("");
  bad.min = -HUGE_VAL;
  health.gradients = {bad};
  const auto written = toJson(health);
  EXPECT_TRUE(written["gradient_norm"].is_null());
  EXPECT_TRUE(written["gradients"][0]["mean"].is_null());
  EXPECT_EQ(written["gradients"][0]["non_finite"]["min"], "-Infinity");
  const auto read = healthFromJson(json::parse(written.dump()));
  EXPECT_EQ(read.gradient_norm, HUGE_VAL);
  EXPECT_TRUE(std::isnan(read.gradients[0].mean));
  EXPECT_EQ(read.gradients[0].min, -HUGE_VAL);
  EXPECT_EQ(read.gradients[0].max, 4);
}

TEST(Health, ANullWithoutANameIsNoNumber) {
  const auto read = healthFromJson(json::parse(R"({"gradient_norm":null,"gradients":[{"norm":null}]})"));
  EXPECT_TRUE(std::isnan(read.gradient_norm));
  ASSERT_EQ(read.gradients.size(), 1U);
  EXPECT_TRUE(std::isnan(read.gradients[0].norm));
  EXPECT_EQ(read.gradients[0].mean, 0);
}

TEST(Gradients, AreTheSameAfterJson) {
  const Gradients before{41, 2.75, {{"0.weight", 2.5, 9.25, 1e-3}, {"0.bias", HUGE_VAL, 0, 0}}, 640.5, "consecutive"};
  const auto after = gradientsFromJson(json::parse(toJson(before).dump()));
  EXPECT_EQ(after.step, 41);
  EXPECT_EQ(after.norm, 2.75);
  ASSERT_EQ(after.layers.size(), 2U);
  EXPECT_EQ(after.layers[0].name, "0.weight");
  EXPECT_EQ(after.layers[0].norm, 2.5);
  EXPECT_EQ(after.layers[0].weight_norm, 9.25);
  EXPECT_EQ(after.layers[0].update_ratio, 1e-3);
  EXPECT_EQ(after.layers[1].norm, HUGE_VAL);
  EXPECT_EQ(after.noise_scale, 640.5);
  EXPECT_EQ(after.noise_estimator, "consecutive");
  EXPECT_FALSE(gradientsFromJson(toJson(Gradients{})).noise_scale.has_value());
}

TEST(Gradients, KeepDefaultsForWhatIsAbsentOrOfAnotherType) {
  for (const char* text : {"null", "[]", "7", "{}", R"({"step":"1","norm":[],"layers":{},"noise_scale":"x"})",
                           R"({"layers":[1,null,"x",[]],"noise_estimator":3})"}) {
    const auto read = gradientsFromJson(json::parse(text));
    EXPECT_EQ(read.step, -1) << text;
    EXPECT_EQ(read.norm, 0) << text;
    EXPECT_TRUE(read.layers.empty()) << text;
    EXPECT_FALSE(read.noise_scale.has_value()) << text;
    EXPECT_EQ(read.noise_estimator, "") << text;
  }
}

TEST(Health, KeepsDefaultsForWhatIsAbsentOrOfAnotherType) {
  for (const char* text : {"null", "[]", "7", "\"x\"", "{}", R"({"step":"1","activations":{},"first_bad_step":2.5})",
                           R"({"step":18446744073709551615,"gradients":[1,null,"x",[]],"first_bad_module":3})"}) {
    const auto read = healthFromJson(json::parse(text));
    EXPECT_EQ(read.step, -1) << text;
    EXPECT_EQ(read.first_bad_step, -1) << text;
    EXPECT_TRUE(read.activations.empty() && read.gradients.empty() && read.parameters.empty()) << text;
    EXPECT_TRUE(read.first_bad_module.empty()) << text;
    EXPECT_EQ(read.gradient_norm, 0) << text;
  }
  const auto odd = healthFromJson(json::parse(R"({"activations":[{"module":1,"count":"9","zeros":-5,"mean":"x"}]})"));
  ASSERT_EQ(odd.activations.size(), 1U);
  EXPECT_EQ(odd.activations[0].module, "");
  EXPECT_EQ(odd.activations[0].count, 0);
  EXPECT_EQ(odd.activations[0].zeros, -5);
  EXPECT_EQ(odd.activations[0].mean, 0);
}

}  // namespace atelier::wire
