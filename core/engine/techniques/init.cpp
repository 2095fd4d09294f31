// init: how the weights of linear layers and convolutions begin, drawn anew after the model was built, as torch.nn.init does;
// their biases become 0. `default` leaves what PyTorch's layers draw themselves. A weights file comes after it and wins.
#include <cmath>
#include <numbers>
#include <utility>

#include "core/engine/module/layers.h"
#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

// How many values one output, one input is connected to: weight (out, in) or (out, in, height, width).
struct Fans {
  double in, out;
};
Fans fansOf(const at::Tensor& weight) {
  const auto field = static_cast<double>(weight.numel() / (weight.size(0) * weight.size(1)));
  return {static_cast<double>(weight.size(1)) * field, static_cast<double>(weight.size(0)) * field};
}

// Saxe et al. 2013: Q of a normal matrix, its signs made those of a uniformly drawn one.
at::Tensor orthogonal(const at::Tensor& weight) {
  const auto rows = weight.size(0), columns = weight.numel() / rows;
  auto flat = at::empty({rows, columns}).normal_(0, 1);
  if (rows < columns) flat = flat.t();
  auto [q, r] = at::linalg_qr(flat);
  q = q * at::diag(r).sign();
  return (rows < columns ? q.t() : q).reshape(weight.sizes());
}

// Always drawn on the CPU: the same values on every device.
at::Tensor drawn(const std::string& how, const at::Tensor& weight) {
  constexpr double kSmall = 0.01, kLarge = 1;  // standard deviations that take no notice of the layer's width
  const auto fans = fansOf(weight);
  if (how == "orthogonal") return orthogonal(weight);
  auto values = at::empty(weight.sizes());
  if (how == "xavier") {
    const double bound = std::sqrt(3.0) * std::sqrt(2.0 / (fans.in + fans.out));
    return values.uniform_(-bound, bound);
  }
  return values.normal_(0, how == "kaiming" ? std::numbers::sqrt2 / std::sqrt(fans.in) : how == "small" ? kSmall : kLarge);
}

class Initialised final : public Technique {
 public:
  explicit Initialised(std::string how) : m_how(std::move(how)) {}

  void prepareModel(Module& model) override {
    const at::NoGradGuard noGrad;
    for (const auto& module : model.modules(false)) {
      if (!dynamic_cast<Linear*>(module.get()) && !dynamic_cast<Conv2d*>(module.get())) continue;
      for (auto& parameter : module->named_parameters(false)) {
        if (parameter.key() == "weight") parameter.value().copy_(drawn(m_how, parameter.value()));
        else parameter.value().zero_();
      }
    }
  }

 private:
  const std::string m_how;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& how = context.spec.text("init");
  if (how == "default") return nullptr;
  return std::make_unique<Initialised>(how);
}

wire::Status validateInit(const wire::RunSpec& spec) {
  const auto* model = findModelUnit(spec.text("model"));
  if (spec.text("init") == "default" || !model || model->prefix.empty()) return wire::success();
  return wire::Error{wire::ExitCode::Usage, {"init.pretrained", {{"model", spec.text("model")}}}};
}

void script(ScriptBuilder& script) {
  const auto& how = script.text("init");
  if (how == "default") return;
  const std::string call = how == "kaiming"      ? "kaiming_normal_(module.weight, nonlinearity=\"relu\")"
                           : how == "xavier"     ? "xavier_uniform_(module.weight)"
                           : how == "orthogonal" ? "orthogonal_(module.weight)"
                           : how == "small"      ? "normal_(module.weight, std=0.01)"
                                                 : "normal_(module.weight, std=1.0)";
  script.define(
      "def initialise(module: nn.Module) -> None:\n"
      "    \"\"\"Draws a layer's weight anew; its bias becomes 0.\"\"\"\n"
      "    if isinstance(module, (nn.Linear, nn.Conv2d)):\n"
      "        nn.init." +
      call +
      "\n"
      "        if module.bias is not None:\n"
      "            nn.init.zeros_(module.bias)");
  script.add(Place::Model, "self.model.apply(initialise)");
}

}  // namespace

TechniqueUnit technique_init() {
  auto option = wire::choiceOption("init", {"default", "kaiming", "xavier", "orthogonal", "small", "large"});
  option.group = "model";
  return {"init", 3, {option}, make, script, nullptr, validateInit};
}

}  // namespace atelier::engine
