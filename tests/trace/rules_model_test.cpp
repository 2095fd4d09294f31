// Rules about how a model is computed: precision, layout, attention.
#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace atelier::trace {
namespace {

using namespace testing;
using Names = std::vector<std::string>;
using Set = std::map<std::string, nlohmann::json>;

// A small transformer whose attention is written out, for `share` of its steps.
Case attention(double share) {
  Case it;
  it.steps(3, 50 * kMs, 0.01, 0.4, 0.5, 0.05);
  it.row("aten::addmm", 0.35, 60, 0.6);
  it.module("encoder.layer.0.attention.self", "BertSelfAttention");
  const auto part = std::llround(share * 50 * kMs / 3);
  for (int step = 0; step < 3; ++step) {
    auto time = step * 50 * kMs;
    for (const char* name : {"aten::bmm", "aten::_softmax", "aten::bmm"}) {
      it.event(Kind::Operator, name, time, part, Stage::Forward).module = 0;
      time += part;
    }
  }
  return it;
}

}  // namespace

TEST(RuleMissingAmp, ExpectsTheMeasuredRatioOfMatmuls) {
  Case it;
  it.steps(3, 20 * kMs, 0.01, 0.4, 0.5, 0.05);
  it.row("aten::addmm", 0.3, 6, 0.5);
  it.row("aten::mm", 0.3, 12, 0.5);
  it.row("aten::gelu", 0.2, 6);
  it.bf16_over_fp32 = 3;
  const auto finding = it.found("missing_amp");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Hint);
  EXPECT_NEAR(finding->expected_gain, amdahl(0.6, 3), 1e-6);
  EXPECT_NEAR(finding->gain_low, 1 / (1 - 0.2), 1e-6);  // half of the 0.4 that would be saved
  EXPECT_EQ(finding->fix.set, (Set{{"precision", "bf16"}}));
  EXPECT_EQ(finding->operators, (Names{"aten::addmm", "aten::mm"}));
}

TEST(RuleMissingAmp, IsSilentWithoutUnitsOrInBfloat16Already) {
  auto it = healthyCnn();
  for (const double ratio : {0.0, 0.4, 1.2}) {
    it.bf16_over_fp32 = ratio;
    EXPECT_FALSE(it.found("missing_amp")) << ratio;
  }
  it.bf16_over_fp32 = 3;
  it.spec["precision"] = "bf16";
  EXPECT_FALSE(it.found("missing_amp"));
  it.spec["precision"] = "tf32";
  EXPECT_TRUE(it.found("missing_amp"));
}

// On a CPU bfloat16 convolutions are slow in the usual layout: the advice alone would make the run slower.
TEST(RuleMissingAmp, ChangesTheLayoutOfConvolutionsOnACpuToo) {
  auto it = healthyCnn();
  it.bf16_over_fp32 = 3;
  ASSERT_TRUE(it.found("missing_amp"));
  EXPECT_EQ(it.found("missing_amp")->fix.set, (Set{{"precision", "bf16"}, {"channels_last", true}}));
  it.spec["channels_last"] = true;
  EXPECT_EQ(it.found("missing_amp")->fix.set, (Set{{"precision", "bf16"}}));
}

TEST(RuleMissingAmp, ReadsThePrecisionOfATraceFromItsInputs) {
  Case it;
  it.spec = nlohmann::json::object();
  it.steps(3, 20 * kMs, 0.01, 0.4, 0.5, 0.05);
  it.report.peaks.fp32_flops = 1e11;
  it.report.peaks.bf16_flops = 4e11;
  for (const char* dtype : {"float", "c10::BFloat16"}) {
    Detail detail;
    detail.inputs.push_back({{64, 64}, dtype});
    it.trace.details.push_back(detail);
  }
  it.event(Kind::Operator, "aten::mm", 0, 30 * kMs, Stage::Forward).detail = 1;
  EXPECT_FALSE(it.found("missing_amp"));
  it.trace.events.front().detail = 0;
  const auto finding = it.found("missing_amp");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->expected_gain, amdahl(0.5, 4), 1e-9);
  EXPECT_TRUE(finding->fix.set.empty());
}

TEST(RuleChannelsLast, PaysWhereItWasSeenToPay) {
  auto it = healthyCnn();
  EXPECT_FALSE(it.found("channels_last_missing"));
  it.channels_last_pays = true;
  const auto finding = it.found("channels_last_missing");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::Hint);
  EXPECT_EQ(finding->fix.set, (Set{{"channels_last", true}}));
  EXPECT_NEAR(finding->share, 0.66, 1e-6);
  EXPECT_EQ(finding->modules, Names{"1.0"});
  it.spec["channels_last"] = true;
  EXPECT_FALSE(it.found("channels_last_missing"));
}

TEST(RuleChannelsLast, NeedsConvolutions) {
  Case it;
  it.steps(3, 20 * kMs, 0.01, 0.4, 0.5, 0.05);
  it.row("aten::addmm", 0.5, 6, 0.5);
  it.row("aten::mkldnn_convolution", 0.1, 6, 0.5);
  it.channels_last_pays = true;
  EXPECT_FALSE(it.found("channels_last_missing"));
}

TEST(RuleAttention, FindsThePatternAndItsModule) {
  const auto finding = attention(0.3).found("attention_not_fused");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->share, 0.3, 1e-6);
  EXPECT_NEAR(finding->expected_gain, amdahl(0.3, 2), 1e-6);
  EXPECT_EQ(finding->modules, Names{"encoder.layer.0.attention.self"});
  EXPECT_EQ(finding->fix.set, (Set{{"attention", "fused"}}));
  EXPECT_FALSE(finding->events.empty());
  EXPECT_EQ(finding->operators, (Names{"aten::bmm", "aten::_softmax"}));
}

TEST(RuleAttention, IsSilentWhenCheapOrFusedOrNoPattern) {
  EXPECT_FALSE(attention(0.03).found("attention_not_fused"));
  auto scores = attention(0.3);  // a softmax that no product follows is a classifier's
  for (std::size_t i = 2; i < scores.trace.events.size(); i += 3)
    scores.trace.events[i].name = scores.name("aten::_scaled_dot_product_flash_attention_for_cpu");
  for (std::size_t i = 0; i < scores.trace.events.size(); i += 3) scores.trace.events[i].name = scores.name("aten::addmm");
  EXPECT_FALSE(scores.found("attention_not_fused"));
  auto apart = attention(0.3);  // product, softmax and product in three modules
  for (std::size_t i = 0; i < apart.trace.events.size(); ++i)
    apart.trace.events[i].module = apart.module("part" + std::to_string(i), "Linear");
  EXPECT_FALSE(apart.found("attention_not_fused"));
}

TEST(RuleAttention, SetsNothingThatIsSetOrUnknown) {
  auto it = attention(0.3);
  it.spec["attention"] = "fused";
  EXPECT_TRUE(it.found("attention_not_fused")->fix.set.empty());
  it.spec.erase("attention");
  EXPECT_TRUE(it.found("attention_not_fused")->fix.set.empty());
}

}  // namespace atelier::trace
