// How weights begin: the moments that torch.nn.init's formulas give, over layers large enough to see them.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/session/plan.h"
#include "core/engine/techniques/technique.h"

namespace atelier::engine {
namespace {

wire::RunSpec spec(const nlohmann::json& keys) {
  return *wire::RunSpec::parse(*engineSchema(), keys);
}

std::unique_ptr<Technique> make(const std::string& how) {
  const auto asked = spec({{"init", how}});
  std::vector<wire::Message> notices;
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == "init") return unit.make({asked, at::kCPU, notices, say});
  return nullptr;
}

// A convolution 16 → 64 of 3 × 3, a normalisation and a linear layer 400 → 100.
std::shared_ptr<Sequential> layers(const std::string& how, std::uint64_t seed = 7) {
  at::manual_seed(seed);
  auto model = std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{
      std::make_shared<Conv2d>(ConvOptions{.in = 16, .out = 64, .kernel = 3, .padding = 1}), std::make_shared<BatchNorm2d>(64),
      std::make_shared<Linear>(400, 100)});
  make(how)->prepareModel(*model);
  return model;
}

std::map<std::string, at::Tensor> named(const Module& model) {
  std::map<std::string, at::Tensor> all;
  for (const auto& parameter : model.named_parameters()) all[parameter.key()] = parameter.value().detach();
  return all;
}

void expectDeviation(const at::Tensor& weight, double wanted) {
  const auto count = static_cast<double>(weight.numel());
  EXPECT_NEAR(weight.std(true).item<double>(), wanted, 4 * wanted / std::sqrt(2 * count));
  EXPECT_NEAR(weight.mean().item<double>(), 0, 4 * wanted / std::sqrt(count));
}

}  // namespace

TEST(Init, DeviationsAreThoseOfTheFormulas) {
  const std::pair<std::string, std::pair<double, double>> cases[] = {
      {"kaiming", {std::sqrt(2.0 / (16 * 9)), std::sqrt(2.0 / 400)}},
      {"xavier", {std::sqrt(2.0 / ((16 + 64) * 9)), std::sqrt(2.0 / 500)}},
      {"small", {0.01, 0.01}},
      {"large", {1, 1}}};
  for (const auto& [how, wanted] : cases) {
    const auto all = named(*layers(how));
    SCOPED_TRACE(how);
    expectDeviation(all.at("0.weight"), wanted.first);
    expectDeviation(all.at("2.weight"), wanted.second);
    EXPECT_EQ(all.at("0.bias").abs().max().item<double>(), 0);
    EXPECT_EQ(all.at("2.bias").abs().max().item<double>(), 0);
    EXPECT_TRUE(at::equal(all.at("1.weight"), at::ones({64}))) << "a normalisation is left alone";
  }
}

TEST(Init, XavierIsUniform) {
  const auto weight = named(*layers("xavier")).at("2.weight");
  const double bound = std::sqrt(6.0 / 500);
  EXPECT_LE(weight.abs().max().item<double>(), bound * (1 + 1e-6));
  EXPECT_GT(weight.abs().max().item<double>(), 0.99 * bound);
}

TEST(Init, OrthogonalRowsOrColumnsAreOfLengthOne) {
  const auto all = named(*layers("orthogonal"));
  const auto linear = all.at("2.weight"), convolution = all.at("0.weight").flatten(1);  // (100, 400), (64, 144)
  for (const auto& wide : {linear, convolution})
    EXPECT_TRUE(at::allclose(wide.mm(wide.t()), at::eye(wide.size(0)), 0, 1e-5)) << wide.sizes();
  at::manual_seed(1);
  auto tall = std::make_shared<Sequential>(std::vector<std::shared_ptr<Module>>{std::make_shared<Linear>(20, 50)});
  make("orthogonal")->prepareModel(*tall);
  const auto weight = named(*tall).at("0.weight");
  EXPECT_TRUE(at::allclose(weight.t().mm(weight), at::eye(20), 0, 1e-5));
}

TEST(Init, ComesFromTheSeed) {
  for (const char* how : {"kaiming", "orthogonal"}) {
    const auto first = named(*layers(how, 3)), again = named(*layers(how, 3)), other = named(*layers(how, 4));
    EXPECT_TRUE(at::equal(first.at("2.weight"), again.at("2.weight"))) << how;
    EXPECT_FALSE(at::equal(first.at("2.weight"), other.at("2.weight"))) << how;
  }
}

TEST(Init, LeavesADefaultAndRefusesToOverwriteAPretrainedModel) {
  EXPECT_EQ(make("default"), nullptr);
  const auto refused =
      validate(spec({{"init", "kaiming"}, {"model", "hf:minilm"}, {"data", "synthetic-tokens"}, {"device", "cpu"}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().messages.front(), (wire::Message{"init.pretrained", {{"model", "hf:minilm"}}}));
  EXPECT_TRUE(validate(spec({{"init", "kaiming"}, {"model", "cnn"}, {"device", "cpu"}})).ok());
}

}  // namespace atelier::engine
