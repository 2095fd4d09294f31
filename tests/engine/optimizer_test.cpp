#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/engine/session/plan.h"
#include "core/engine/session/state_archive.h"
#include "core/engine/techniques/technique.h"

namespace atelier::engine {
namespace {

std::unique_ptr<Technique> make(const std::string& id, const nlohmann::json& keys) {
  const auto spec = *wire::RunSpec::parse(*engineSchema(), keys);
  std::vector<wire::Message> notices;
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == id) return unit.make({spec, at::kCPU, notices, say});
  return nullptr;
}

// Keeps values alone, as a file does: a tensor's order in memory is lost.
class FlatArchive final : public StateArchive {
 public:
  void startLoading() { m_loading = true; }
  bool loading() const override { return m_loading; }
  void tensor(const std::string& name, at::Tensor& tensor, at::Device device = at::kCPU) override {
    if (m_loading) put(full(name), m_tensors.at(full(name)), tensor, device);
    else m_tensors[full(name)] = tensor.defined() ? tensor.clone(at::MemoryFormat::Contiguous) : at::Tensor();
  }
  void integer(const std::string& name, std::int64_t& value) override { visit(m_integers, name, value); }
  void number(const std::string& name, double& value) override { visit(m_numbers, name, value); }
  void text(const std::string& name, std::string& value) override { visit(m_texts, name, value); }

 private:
  template <class T>
  void visit(std::map<std::string, T>& kept, const std::string& name, T& value) {
    if (m_loading) value = kept.at(full(name));
    else kept[full(name)] = value;
  }

  bool m_loading = false;
  std::map<std::string, at::Tensor> m_tensors;
  std::map<std::string, std::int64_t> m_integers;
  std::map<std::string, double> m_numbers;
  std::map<std::string, std::string> m_texts;
};

// Parameters of several shapes, one of them channels_last, one never with a gradient.
std::vector<at::Tensor> makeParameters() {
  std::vector<at::Tensor> all;
  const std::vector<std::vector<std::int64_t>> shapes{{70, 61}, {1}, {8, 4, 3, 3}, {5}, {}};
  for (const auto& shape : shapes) {
    auto values = at::arange(at::ones(shape).numel(), at::kFloat).mul(0.7).sin().reshape(shape);
    if (shape.size() == 4) values = values.contiguous(at::MemoryFormat::ChannelsLast);
    all.push_back(values.detach().requires_grad_());
  }
  return all;
}

void step(Technique& optimizer, std::vector<at::Tensor>& parameters, int number) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (i != 3) parameters[i].mutable_grad() = at::cos(parameters[i].detach() * number).mul_(0.1);
  StepState state{parameters};
  state.effective_rate = 1e-2;
  optimizer.optimizerStep(state);
}

}  // namespace

TEST(Optimizer, FusedStepsArePlainOnesWithinRounding) {
  for (const auto* name : {"adamw", "adam", "sgd"})
    for (const double decay : {0.0, 0.1}) {
      const nlohmann::json keys{{"optimizer", name}, {"weight_decay", decay}};
      auto fusedKeys = keys;
      fusedKeys["fused"] = true;
      const auto plain = make("optimizer", keys), fused = make("optimizer", fusedKeys);
      auto expected = makeParameters(), actual = makeParameters();
      for (int i = 1; i <= 10; ++i) {
        step(*plain, expected, i);
        step(*fused, actual, i);
      }
      for (std::size_t k = 0; k < actual.size(); ++k)
        EXPECT_TRUE(at::allclose(actual[k], expected[k], 1e-5, 1e-6)) << name << ", tensor " << k;
      EXPECT_TRUE(at::equal(actual[3], makeParameters()[3])) << "it has no gradient";
    }
}

TEST(Optimizer, AutogradSeesAFusedStep) {
  const auto optimizer = make("optimizer", {{"optimizer", "adamw"}, {"fused", true}});
  auto parameters = makeParameters();
  const auto before = parameters[0]._version();
  step(*optimizer, parameters, 1);
  EXPECT_GT(parameters[0]._version(), before);
}

TEST(Optimizer, GoesOnExactlyFromWhatAFileKept) {
  for (const auto* name : {"adamw", "adam", "sgd"})
    for (const bool fused : {false, true}) {
      const nlohmann::json keys{{"optimizer", name}, {"fused", fused}, {"weight_decay", 0.1}};
      const auto first = make("optimizer", keys), second = make("optimizer", keys);
      auto expected = makeParameters();
      for (int i = 1; i <= 3; ++i) step(*first, expected, i);
      FlatArchive archive;
      first->state(archive);
      std::vector<at::Tensor> actual;
      for (const auto& parameter : expected) actual.push_back(parameter.detach().clone().requires_grad_());
      archive.startLoading();
      second->state(archive);
      for (int i = 4; i <= 6; ++i) {
        step(*first, expected, i);
        step(*second, actual, i);
      }
      for (std::size_t k = 0; k < actual.size(); ++k)
        EXPECT_TRUE(at::equal(actual[k], expected[k])) << name << (fused ? " fused" : "") << ", tensor " << k;
    }
}

TEST(ClipNorm, ScalesAllGradientsToTheNormAndLeavesSmallOnes) {
  for (const auto type : {at::kFloat, at::kDouble}) {  // our kernel, ATen's operators
    const auto clip = make("clip_norm", {{"clip_norm", 2.5}});
    std::vector<at::Tensor> parameters{at::zeros({2}, type).requires_grad_(), at::zeros({3}, type).requires_grad_(),
                                       at::zeros({1}, type).requires_grad_()};
    parameters[0].mutable_grad() = at::tensor({3.0, 0.0}).to(type);
    parameters[1].mutable_grad() = at::tensor({0.0, 0.0, 4.0}).to(type);
    StepState state{parameters};
    clip->afterBackward(state);
    EXPECT_TRUE(at::allclose(parameters[0].grad(), at::tensor({1.5, 0.0}).to(type), 1e-5)) << parameters[0].grad();
    EXPECT_TRUE(at::allclose(parameters[1].grad(), at::tensor({0.0, 0.0, 2.0}).to(type), 1e-5)) << parameters[1].grad();
    EXPECT_FALSE(parameters[2].grad().defined());
    parameters[0].mutable_grad() = at::tensor({0.1, 0.7}).to(type);
    parameters[1].mutable_grad() = at::zeros({3}, type);
    clip->afterBackward(state);
    EXPECT_TRUE(at::equal(parameters[0].grad(), at::tensor({0.1, 0.7}).to(type)));
  }
}

TEST(ClipNorm, OneValueThatIsNotANumberMakesAllSo) {
  const auto clip = make("clip_norm", {{"clip_norm", 1.0}});
  std::vector<at::Tensor> parameters{at::zeros({2}).requires_grad_(), at::zeros({3}).requires_grad_()};
  parameters[0].mutable_grad() = at::ones({2});
  parameters[1].mutable_grad() = at::full({3}, std::nan(""));
  StepState state{parameters};
  clip->afterBackward(state);
  for (const auto& parameter : parameters) EXPECT_TRUE(at::isnan(parameter.grad()).all().item<bool>());
}

}  // namespace atelier::engine
