#include <algorithm>

#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using nlohmann::json;
using Ids = std::vector<std::string>;

// 1,000 samples whose stages take so many ns a sample.
wire::RunSummary run(std::int64_t data, std::int64_t forward, std::int64_t backward, std::int64_t optimizer,
                     std::int64_t other) {
  wire::RunSummary summary;
  summary.samples = 1000;
  auto& s = summary.stages;
  s = {1000 * data, 1000 * forward, 1000 * backward, 1000 * optimizer, 1000 * other, 0};
  s.wall = s.data + s.forward + s.backward + s.optimizer + s.other;
  return summary;
}

wire::RaceSummary race(wire::RunSummary a, wire::RunSummary b) {
  wire::RaceSummary made;
  made.a = std::move(a);
  made.b = std::move(b);
  made.verdict = "no-difference";
  made.pairs = 12;
  made.ratio = wire::Interval{1.001, 0.995, 1.008, 12};
  return made;
}

Ids ids(const std::vector<wire::Message>& messages) {
  expectWholeTexts(messages);
  Ids all;
  for (const auto& message : messages) all.push_back(message.id);
  return all;
}

std::string arg(const wire::Message& message, const std::string& name) {
  for (const auto& [key, value] : message.args)
    if (key == name) return value;
  return "";
}

Finding finding(const std::string& rule, double share) {
  Finding made;
  made.rule = rule;
  made.share = share;
  return made;
}

const json kA{{"precision", "fp32"}, {"fused", false}, {"workers", 0}, {"batch", 128}};

json with(const std::string& key, json value) {
  auto spec = kA;
  spec[key] = std::move(value);
  return spec;
}

}  // namespace

TEST(NoGain, NamesTheSmallPartThatTheChangeSpeedsUp) {
  const auto said = whyNoGain(race(run(5, 35, 40, 10, 10), run(5, 35, 40, 8, 10)), kA, with("fused", true), {});
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.front().id, "no_gain.small_optimizer");
  EXPECT_EQ(arg(said.front(), "key"), "fused");
  EXPECT_EQ(arg(said.front(), "percent"), "10");
  EXPECT_EQ(arg(said.front(), "ratio"), "1.11");
  expectWholeTexts(said);
}

TEST(NoGain, SaysFirstThatTheMachineWasBusy) {
  auto busy = race(run(5, 35, 40, 10, 10), run(5, 35, 40, 8, 10));
  busy.verdict = "machine-busy";
  busy.discarded_pairs = 9;
  EXPECT_EQ(whyNoGain(busy, kA, with("fused", true), {}).front().id, "no_gain.machine_busy");
  busy.verdict = "no-difference";
  EXPECT_EQ(whyNoGain(busy, kA, with("fused", true), {finding("busy_machine", 0)}).front().id, "no_gain.machine_busy");
}

TEST(NoGain, SaysThatTheDataDecide) {
  const auto said = whyNoGain(race(run(60, 15, 20, 3, 2), run(68, 10, 17, 3, 2)), kA, with("precision", "bf16"), {});
  EXPECT_EQ(said.front().id, "no_gain.data_decides");
  EXPECT_EQ(arg(said.front(), "percent"), "68");
  // Not when it is the data that were changed.
  const auto workers = ids(whyNoGain(race(run(60, 15, 20, 3, 2), run(59, 15, 20, 3, 3)), kA, with("workers", 2), {}));
  EXPECT_EQ(workers.front(), "no_gain.part_unmoved");
  EXPECT_NE(std::find(workers.begin(), workers.end(), "no_gain.bound_data"), workers.end());
}

TEST(NoGain, TellsAPartThatGotSlowerFromOneThatDidNotMove) {
  const auto slower = whyNoGain(race(run(5, 35, 40, 10, 10), run(5, 70, 80, 10, 10)), kA, with("precision", "bf16"), {});
  EXPECT_EQ(slower.front().id, "no_gain.part_slower");
  EXPECT_EQ(arg(slower.front(), "times"), "2");
  const auto same = ids(whyNoGain(race(run(5, 35, 40, 10, 10), run(5, 36, 39, 10, 10)), kA, with("precision", "bf16"), {}));
  EXPECT_EQ(same, (Ids{"no_gain.part_unmoved", "no_gain.bound_compute"}));
}

TEST(NoGain, SeesAGainThatAnotherStageAte) {
  const auto said = ids(whyNoGain(race(run(5, 35, 40, 10, 10), run(5, 20, 25, 10, 40)), kA, with("precision", "bf16"), {}));
  EXPECT_EQ(said, Ids{"no_gain.eaten_up"});
}

TEST(NoGain, ComparesSampleForSample) {
  auto large = run(5, 35, 40, 10, 10);
  large.samples *= 4;  // the same cost a sample over four times as many
  for (auto* ns : {&large.stages.data, &large.stages.forward, &large.stages.backward, &large.stages.optimizer,
                   &large.stages.other, &large.stages.wall})
    *ns *= 4;
  const auto said = ids(whyNoGain(race(run(5, 35, 40, 10, 10), large), kA, with("precision", "bf16"), {}));
  EXPECT_EQ(said, (Ids{"no_gain.part_unmoved", "no_gain.bound_compute"}));
}

TEST(NoGain, SaysThatNothingWasChanged) {
  EXPECT_EQ(ids(whyNoGain(race(run(5, 35, 40, 10, 10), run(5, 35, 40, 10, 10)), kA, kA, {})), Ids{"no_gain.same_spec"});
}

TEST(NoGain, TellsANoisyIntervalFromADecision) {
  auto wide = race(run(5, 35, 40, 10, 10), run(5, 35, 40, 10, 10));
  wide.ratio = wire::Interval{1.02, 0.9, 1.2, 8};
  EXPECT_EQ(ids(whyNoGain(wide, kA, kA, {})).back(), "no_gain.inside_noise");
}

TEST(NoGain, UsesFindings) {
  auto dominant = finding("dominant_operator", 0.7);
  dominant.operators = {"aten::convolution_backward"};
  const auto said =
      whyNoGain(race({}, {}), kA, with("fused", true), {finding("input_bound", 0.4), finding("launch_bound", 0.5), dominant});
  EXPECT_EQ(ids(said), (Ids{"no_gain.data_decides", "no_gain.overhead", "no_gain.dominant"}));
  EXPECT_EQ(arg(said[0], "percent"), "40");
  EXPECT_EQ(arg(said[2], "operator"), "aten::convolution_backward");
}

TEST(NoGain, IsNeverAtALossForWords) {
  const auto said = whyNoGain(wire::RaceSummary(), kA, with("batch", 64), {});
  EXPECT_EQ(ids(said), Ids{"no_gain.unknown"});
  for (const auto& odd : {json(), json::array({1, 2}), json("x"), json(3)})
    EXPECT_FALSE(whyNoGain(wire::RaceSummary(), odd, kA, {}).empty());
}

}  // namespace atelier::trace
