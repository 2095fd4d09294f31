// The faults that hang on the model: item, nan, dead-relu, exploding-gradient.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faults.h"
#include "own_hooks.h"

namespace atelier::engine {
namespace {

// A module before its parts, the parts in their order, as PyTorch's modules().
void walk(Module& module, const std::function<void(Module&)>& see) {
  see(module);
  for (const auto& [name, part] : module.parts()) walk(*part, see);
}

// The middle one of the modules that have parameters of their own; null for a model without parameters.
const Module* middleOf(Module& root) {
  std::vector<const Module*> owners;
  walk(root, [&](Module& module) {
    if (!module.parameters(false).empty()) owners.push_back(&module);
  });
  return owners.empty() ? nullptr : owners[(owners.size() - 1) / 2];
}

// What a model must have for a fault, and this one hasn't.
void sayNothingToBreak(std::vector<wire::Message>& notices, const std::string& fault) {
  notices.push_back({"inject.nothing_to_break", {{"fault", fault}}});
}

// A fault that does something to the output of the model's middle module.
class AtMiddle : public Technique {
 public:
  AtMiddle(std::string id, std::vector<wire::Message>& notices) : m_id(std::move(id)), m_notices(notices) {}

  void prepareModel(Module& model) override {
    const auto* middle = middleOf(model);
    if (!middle) return sayNothingToBreak(m_notices, m_id);
    m_hooks.emplace(model);
    m_hooks->after([this, middle](Module& module, const at::Tensor& /*input*/, at::Tensor& output) {
      if (&module == middle && output.numel() > 0) spoil(output);
    });
  }

 protected:
  virtual void spoil(at::Tensor& output) = 0;

 private:
  std::string m_id;
  std::vector<wire::Message>& m_notices;
  std::optional<OwnHooks> m_hooks;
};

// item: a value is read on the host again and again, each time waiting for the device.
class Item final : public AtMiddle {
 public:
  using AtMiddle::AtMiddle;

 private:
  void spoil(at::Tensor& output) override {
    auto value = output.detach();
    while (value.dim() > 0) value = value.select(0, 0);
    double sum = 0;
    for (int i = 0; i < 20; ++i) sum += value.item<double>();
    m_last = sum;
  }
  double m_last = 0;  // as a program that prints it would
};

// nan: from the fourth step on a division 0 ÷ 0 is added to the first value.
class Nan final : public AtMiddle {
 public:
  using AtMiddle::AtMiddle;
  void beforeStep(StepState& state) override { m_on = m_on || state.step >= 3; }

 private:
  void spoil(at::Tensor& output) override {
    if (!m_on) return;
    auto divisor = at::ones({output.numel()}, output.options());
    divisor[0].zero_();
    output = output + at::zeros_like(divisor).div(divisor).view(output.sizes());
  }
  bool m_on = false;
};

// dead-relu: the last bias before the first ReLU is so low that nothing comes through.
class DeadRelu final : public Technique {
 public:
  explicit DeadRelu(std::vector<wire::Message>& notices) : m_notices(notices) {}

  void prepareModel(Module& model) override {
    const at::NoGradGuard noGrad;
    at::Tensor last;
    bool met = false;
    walk(model, [&](Module& module) {
      met = met || module.kind() == "ReLU";
      const auto own = module.named_parameters(false);
      if (const auto* bias = own.find("bias"); bias && !met) last = *bias;
    });
    if (met && last.defined()) last.fill_(-1000);
    else sayNothingToBreak(m_notices, "dead-relu");
  }

 private:
  std::vector<wire::Message>& m_notices;
};

// exploding-gradient: on its way back the gradient grows in each linear layer and convolution, as under weights that are drawn
// too large. Such weights themselves would not do: a normalisation undoes them, and an Adam learns its way out in some steps.
class ExplodingGradient final : public Technique {
 public:
  explicit ExplodingGradient(std::vector<wire::Message>& notices) : m_notices(notices) {}

  void prepareModel(Module& model) override {
    int layers = 0;
    walk(model, [&](Module& module) { layers += grows(module) ? 1 : 0; });
    if (layers == 0) return sayNothingToBreak(m_notices, "exploding-gradient");
    // A deep net's would leave what a float can hold, and that is another fault.
    const double factor = std::min(kGrowth, std::pow(kMostGrowth, 1.0 / layers));
    m_hooks.emplace(model);
    m_hooks->after([factor](Module& module, const at::Tensor& /*input*/, at::Tensor& output) {
      if (grows(module) && output.requires_grad())
        output.register_hook([factor](const at::Tensor& gradient) { return gradient * factor; });
    });
  }

 private:
  static constexpr double kGrowth = 8, kMostGrowth = 1e12;
  static bool grows(const Module& module) { return module.kind() == "Linear" || module.kind() == "Conv2d"; }

  std::vector<wire::Message>& m_notices;
  std::optional<OwnHooks> m_hooks;
};

}  // namespace

std::unique_ptr<Technique> makeModelFault(const std::string& id, const TechniqueContext& context) {
  if (id == "item") return std::make_unique<Item>(id, context.notices);
  if (id == "nan") return std::make_unique<Nan>(id, context.notices);
  if (id == "dead-relu") return std::make_unique<DeadRelu>(context.notices);
  if (id == "exploding-gradient") return std::make_unique<ExplodingGradient>(context.notices);
  return nullptr;
}

}  // namespace atelier::engine
