#include <gtest/gtest.h>

#include "core/engine/models/bert.h"
#include "core/engine/techniques/technique.h"
#include "operator_count.h"
#include "token_models.h"

namespace atelier::engine {
namespace {

std::vector<wire::Message> prepare(const std::string& attention, const std::string& named, Module& model) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), nlohmann::json{{"attention", attention}, {"model", named}});
  std::vector<wire::Message> notices;
  const Say say;
  for (const auto& unit : allTechniques()) {
    if (unit.id != "attention") continue;
    const auto technique = unit.make({spec, at::kCPU, notices, say});
    EXPECT_EQ(technique == nullptr, attention == "auto");
    if (technique) technique->prepareModel(model);
  }
  return notices;
}

}  // namespace

TEST(AttentionTechnique, EveryLayerIsComputedAsAsked) {
  at::Tensor first;
  for (const auto& [asked, kernels] : {std::pair{"auto", 4}, std::pair{"math", 0}, std::pair{"fused", 4}}) {
    const auto model = builtModel("transformer", smallTokens());
    EXPECT_TRUE(prepare(asked, "transformer", *model).empty());
    const OperatorCount kernel("aten::_scaled_dot_product_flash_attention_for_cpu");
    const auto logits = (*model)(tokenIds({{5, 7, 9, 4}, {8, 11}}));
    EXPECT_EQ(kernel.calls(), kernels) << asked;
    if (!first.defined()) first = logits;
    EXPECT_TRUE(at::allclose(logits, first, 1e-4, 1e-5)) << asked;
  }
}

TEST(AttentionTechnique, SaysWhenTrainingCantBeFused) {
  pretrained::BertConfig config;
  config.family = "distilbert";
  config.vocabulary = 20;
  config.hidden = 8;
  config.layers = config.heads = 2;
  config.intermediate = 8;
  config.positions = 6;
  const auto model = std::make_shared<Bert>(config, 2);
  const auto notices = prepare("fused", "hf:anything", *model);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0], (wire::Message{"attention.not_fused", {{"dropout", "0.1"}}}));
  EXPECT_TRUE(prepare("math", "hf:anything", *model).empty());
  model->eval();
  EXPECT_TRUE(prepare("fused", "hf:anything", *model).empty()) << "inference drops nothing";
}

TEST(AttentionTechnique, SaysThatAModelHasNone) {
  const auto model = builtModel("mlp", InputShape{});
  const auto notices = prepare("math", "mlp", *model);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].id, "attention.none");
  EXPECT_TRUE(prepare("auto", "mlp", *model).empty());
}

}  // namespace atelier::engine
