#include <set>

#include <gtest/gtest.h>

#include "core/engine/models/bert.h"
#include "core/engine/techniques/technique.h"
#include "token_models.h"

namespace atelier::engine {
namespace {

std::unique_ptr<Technique> make(std::vector<wire::Message>& notices, const nlohmann::json& keys) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), keys);
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == "freeze") return unit.make({spec, at::kCPU, notices, say});
  return nullptr;
}

std::set<std::string> trained(const Module& model) {
  std::set<std::string> names;
  for (const auto& parameter : model.named_parameters())
    if (parameter.value().requires_grad()) names.insert(parameter.key());
  return names;
}

}  // namespace

TEST(Freeze, TheBackboneRunsWithoutAGraphAndOnlyTheHeadLearns) {
  const auto model = builtModel("transformer", smallTokens());
  std::vector<wire::Message> notices;
  make(notices, {{"freeze", "backbone"}})->prepareModel(*model);
  EXPECT_TRUE(notices.empty());
  EXPECT_EQ(trained(*model), (std::set<std::string>{"head.bias", "head.weight"}));
  int seen = 0;
  model->hooks().after.push_back([&](Module& module, const at::Tensor&, at::Tensor& output) {
    ++seen;
    EXPECT_EQ(output.requires_grad(), module.path().empty() || module.path() == "head") << module.path();
  });
  (*model)(tokenIds({{5, 7, 9}, {4, 2}})).sum().backward();
  EXPECT_GT(seen, 20);
  for (const auto& parameter : model->named_parameters())
    EXPECT_EQ(parameter.value().grad().defined(), parameter.key().starts_with("head.")) << parameter.key();
}

TEST(Freeze, HeadsAreFoundByNameOrAsTheLastLinearLayer) {
  pretrained::BertConfig config;
  config.family = "bert";
  config.vocabulary = 20;
  config.hidden = 8;
  config.layers = config.heads = config.types = 2;
  config.intermediate = 8;
  config.positions = 6;
  const auto bert = std::make_shared<Bert>(config, 2);
  const auto resnet = builtModel("resnet18", InputShape{}), cnn = builtModel("cnn", InputShape{});
  const std::pair<Module*, std::string> cases[] = {{bert.get(), "classifier"}, {resnet.get(), "fc"}, {cnn.get(), "5"}};
  for (const auto& [model, head] : cases) {
    std::vector<wire::Message> notices;
    make(notices, {{"freeze", "backbone"}})->prepareModel(*model);
    EXPECT_EQ(trained(*model), (std::set<std::string>{head + ".bias", head + ".weight"}));
    EXPECT_TRUE(notices.empty());
  }
}

TEST(Freeze, SaysThatAModelHasNoBackbone) {
  const auto model = builtModel("decoder", smallTokens());
  const auto before = trained(*model);
  std::vector<wire::Message> notices;
  make(notices, {{"freeze", "backbone"}})->prepareModel(*model);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].id, "freeze.no_backbone");
  EXPECT_EQ(trained(*model), before);
}

TEST(Freeze, IsForTraining) {
  std::vector<wire::Message> notices;
  EXPECT_EQ(make(notices, {{"freeze", "none"}}), nullptr);
  EXPECT_EQ(make(notices, {{"freeze", "backbone"}, {"mode", "infer"}}), nullptr);
}

}  // namespace atelier::engine
