#include "labs/event_notes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "labs/check.h"

namespace atelier::lab {
namespace {

using nlohmann::json;

wire::RunEvent event(wire::EventBody body, const std::string& variant = {}) {
  return {0, 0, variant, std::move(body)};
}

wire::RunStarted started(json spec, json environment = json::object()) {
  wire::RunStarted body;
  body.spec = std::move(spec);
  body.environment = std::move(environment);
  return body;
}

wire::BlockDone block(std::optional<double> loss) {
  wire::BlockDone body;
  body.loss = loss;
  return body;
}

wire::GradientsSampled look(std::int64_t step, double norm, std::vector<wire::LayerGradient> layers = {}) {
  wire::Gradients gradients;
  gradients.step = step;
  gradients.norm = norm;
  gradients.layers = std::move(layers);
  return {gradients};
}

double at(const json& result, const char* path) {
  const auto figure = figureAt(result, path);
  EXPECT_TRUE(figure.has_value()) << path;
  return figure ? figure->median : -1;
}

json of(const std::vector<wire::EventBody>& bodies) {
  EventNotes notes;
  for (const auto& body : bodies) notes.take(event(body));
  auto result = json::object();
  notes.addTo(result);
  return result;
}

TEST(EventNotesTest, WhatNobodyToldIsAbsent) {
  EXPECT_EQ(of({}), json::object());
  EXPECT_EQ(of({started({{"precision", "fp32"}})}), json::object());
  EXPECT_EQ(of({wire::HealthSampled{}, block({}), look(-1, 5)}), json::object());
}

TEST(EventNotesTest, TheCurveIsThatOfTheBlocks) {
  const auto result = of({block(2.3), block(0.9), block({}), block(1.1)});
  EXPECT_EQ(at(result, "curve.first"), 2.3);
  EXPECT_EQ(at(result, "curve.last"), 1.1);
  EXPECT_EQ(at(result, "curve.lowest"), 0.9);
  EXPECT_EQ(at(result, "curve.highest"), 2.3);
  EXPECT_TRUE(std::isnan(at(of({block(2.3), block(std::nan(""))}), "curve.last"))) << "a loss that is no number is said so";
}

TEST(EventNotesTest, SharesAreOfAllLooksTogether) {
  wire::Health health;
  for (int i = 0; i < 3; ++i) health.histograms.gradients.add(std::ldexp(1.0, -30));
  health.histograms.gradients.add(1);
  wire::Health other;
  for (int i = 0; i < 4; ++i) other.histograms.gradients.add(1);
  const auto result = of({wire::HealthSampled{health}, wire::HealthSampled{other}});
  EXPECT_DOUBLE_EQ(at(result, "formats.gradients.float16.zero"), 3.0 / 8);
  EXPECT_DOUBLE_EQ(at(result, "formats.gradients.float16.lost"), 3.0 / 8);
  EXPECT_EQ(at(result, "formats.gradients.float16.overflow"), 0);
  EXPECT_EQ(at(result, "formats.gradients.float16.scaled"), 0) << "a scale saves them";
  EXPECT_GT(at(result, "formats.gradients.float16.best_scale"), 0);
  EXPECT_EQ(at(result, "formats.gradients.bfloat16.zero"), 0);
  EXPECT_FALSE(figureAt(result, "formats.weights.float16.zero")) << "none were counted";
}

TEST(EventNotesTest, NormsAndWhatReachesTheFirstLayer) {
  const auto result = of({look(0, 2, {{"0.weight", 0.001, 1, 0.1}, {"0.bias", 9, 1, 0}, {"9.weight", 1, 1, 0.3}}), look(20, 8),
                          look(40, std::numeric_limits<double>::infinity()), look(60, 4, {{"0.weight", 1, 1, 0.02}})});
  EXPECT_EQ(at(result, "gradients.first"), 2);
  EXPECT_EQ(at(result, "gradients.last"), 4);
  EXPECT_EQ(at(result, "gradients.largest"), 8) << "the largest finite one";
  EXPECT_EQ(at(result, "gradients.not_finite"), 1);
  EXPECT_DOUBLE_EQ(at(result, "gradients.first_over_last"), 0.001);
  EXPECT_DOUBLE_EQ(at(result, "gradients.update_ratio"), 0.02) << "at the last look";
  EXPECT_FALSE(figureAt(of({look(0, 2)}), "gradients.first_over_last")) << "no layers, no ratio";
}

TEST(EventNotesTest, AScaleIsToldOfFloat16TrainingsAlsoWhenItNeverChanged) {
  const json spec{{"precision", "fp16"}, {"mode", "train"}, {"scaler_initial_scale", 65536}};
  const auto still = of({started(spec)});
  EXPECT_EQ(at(still, "scale.overflows"), 0);
  EXPECT_EQ(at(still, "scale.last"), 65536);
  const auto moved = of({started(spec), wire::ScaleChanged{3, 65536, 32768, "overflow"},
                         wire::ScaleChanged{9, 32768, 65536, "growth"}, wire::ScaleChanged{12, 65536, 32768, "overflow"}});
  EXPECT_EQ(at(moved, "scale.overflows"), 2);
  EXPECT_EQ(at(moved, "scale.growths"), 1);
  EXPECT_EQ(at(moved, "scale.first"), 65536);
  EXPECT_EQ(at(moved, "scale.last"), 32768);
  EXPECT_FALSE(of({started({{"precision", "fp16"}, {"mode", "infer"}})}).contains("scale"));
  EXPECT_FALSE(of({started({{"precision", "bf16"}}), wire::ScaleChanged{3, 0, 0, "overflow"}}).contains("scale"))
      << "steps are left out elsewhere too, and no scale is behind it";
}

TEST(EventNotesTest, RollBacksAreCounted) {
  EXPECT_EQ(of({started({{"rollback", 20}})})["rollbacks"], 0);
  EXPECT_EQ(of({started({{"rollback", 20}}), wire::RolledBack{31, 20, "rollback.spike"}})["rollbacks"], 1);
  EXPECT_FALSE(of({started({{"rollback", 0}})}).contains("rollbacks"));
}

TEST(EventNotesTest, EachSideOfARaceHasItsOwn) {
  EventNotes notes;
  notes.take(event(block(2.0), "a"));
  notes.take(event(block(1.0), "b"));
  notes.take(event(block(5.0), "c"));
  notes.take(event(started({}, {{"gpus", json::array()}, {"low_precision", json::array({"amx_bf16"})}}), "a"));
  json race{{"a", {{"loss", 2}}}, {"b", {{"loss", 1}}}};
  notes.addTo(race);
  EXPECT_EQ(at(race, "a.curve.last"), 2);
  EXPECT_EQ(at(race, "b.curve.last"), 1);
  EXPECT_EQ(at(race, "a.machine.gpus"), 0);
  EXPECT_EQ(at(race, "a.machine.low_precision"), 1);
  EXPECT_EQ(race.size(), 2U) << "nothing lands beside the sides";
}

TEST(EventNotesTest, ForeignShapesDoNoHarm) {
  EventNotes notes;
  notes.take(event(started(json::array(), 3)));
  notes.take(event(block(1)));
  for (auto result : {json(), json(3), json::array({1})}) {
    const auto before = result;
    notes.addTo(result);
    EXPECT_EQ(result, before);
  }
}

}  // namespace
}  // namespace atelier::lab
