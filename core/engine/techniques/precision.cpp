// precision: the number format of matmuls and convolutions.
// bf16, fp16: LibTorch's autocast; weights, norms and the loss stay float32, and float16 training scales its loss
// (loss_scaling.cpp). bf16-pure: the weights are bfloat16 too, and the optimizer steps them as they are; master_weights.cpp
// keeps float32 copies instead. fp8: linear layers' operands pass through eight bits (module/fp8_linear.h), the rest is
// float32. tf32 is a switch of tensor-core GPUs that the trainer sets for the whole step.
#include <set>

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include "bfloat16_weights.h"
#include "core/engine/module/fp8_linear.h"
#include "core/engine/module/layers.h"
#include "core/engine/module/sequence_layers.h"
#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class Autocast : public Technique {
 public:
  Autocast(at::Device device, at::ScalarType type) : m_device(device.type()), m_type(type) {}

  void enterForward(bool training) override {
    m_enabled = at::autocast::is_autocast_enabled(m_device);
    m_outer = at::autocast::get_autocast_dtype(m_device);
    m_cache = at::autocast::is_autocast_cache_enabled();
    at::autocast::set_autocast_enabled(m_device, true);
    at::autocast::set_autocast_dtype(m_device, m_type);
    // A cast made without gradients must never be found again by a training step.
    at::autocast::set_autocast_cache_enabled(training && at::GradMode::is_enabled());
    at::autocast::increment_nesting();
  }
  void leaveForward() override {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(m_device, m_enabled);
    at::autocast::set_autocast_dtype(m_device, m_outer);
    at::autocast::set_autocast_cache_enabled(m_cache);
  }

 private:
  at::DeviceType m_device;
  at::ScalarType m_type, m_outer = at::kBFloat16;
  bool m_enabled = false, m_cache = true;
};

class PureBfloat16 final : public Autocast {
 public:
  explicit PureBfloat16(at::Device device) : Autocast(device, at::kBFloat16) {}
  void prepareModel(Module& model) override {
    for (auto& weight : weightsForBfloat16(model)) weight.set_data(weight.detach().to(at::kBFloat16));
  }
};

// The model's first and last layers stay as they are, as is usual: they are small, and their errors weigh most. So do the
// projections that PyTorch's nn.MultiheadAttention multiplies itself.
std::vector<Linear*> layersForFp8(Module& model) {
  std::vector<std::shared_ptr<torch::nn::Module>> layers;
  std::set<const torch::nn::Module*> projections;
  for (const auto& module : model.modules()) {
    if (dynamic_cast<MultiheadAttention*>(module.get()))
      for (const auto& part : module->children()) projections.insert(part.get());
    if (!module->parameters(false).empty()) layers.push_back(module);
  }
  std::vector<Linear*> result;
  for (std::size_t i = 1; i + 1 < layers.size(); ++i)
    if (auto* linear = dynamic_cast<Linear*>(layers[i].get()); linear && !projections.contains(linear))
      result.push_back(linear);
  return result;
}

class Fp8 final : public Technique {
 public:
  Fp8(Fp8Scale scale, std::vector<wire::Message>& notices) : m_scale(scale), m_notices(notices) {}

  void prepareModel(Module& model) override {
    const auto layers = layersForFp8(model);
    for (auto* layer : layers)
      layer->computeWith([scale = m_scale](const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
        return fp8Linear(input, weight, bias, scale);
      });
    m_notices.push_back(layers.empty() ? wire::Message{"precision.fp8_none"}
                                       : wire::Message{"precision.fp8_emulated", {{"layers", std::to_string(layers.size())}}});
  }

 private:
  Fp8Scale m_scale;
  std::vector<wire::Message>& m_notices;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& precision = context.spec.text("precision");
  if (precision == "bf16") return std::make_unique<Autocast>(context.device, at::kBFloat16);
  if (precision == "fp16") return std::make_unique<Autocast>(context.device, at::kHalf);
  if (precision == "bf16-pure") return std::make_unique<PureBfloat16>(context.device);
  if (precision == "fp8")
    return std::make_unique<Fp8>(context.spec.text("fp8_scale") == "row" ? Fp8Scale::Row : Fp8Scale::Tensor, context.notices);
  if (precision == "tf32" && context.device.is_cpu()) context.notices.push_back({"precision.tf32_needs_gpu"});
  return nullptr;
}

constexpr std::string_view kFp8 = R"py(
Coded = tuple[torch.Tensor, torch.Tensor]  # eight-bit values, and their factor


def to_fp8(values: torch.Tensor, kind: torch.dtype) -> Coded:
    """Saturates: a cast by itself makes NaN of what is too large for e4m3."""
    most = torch.finfo(kind).max
    highest = values.abs().@amax@
    factor = torch.where((highest > 0) & highest.isfinite(), most / highest, 1.0)
    factor = factor.clamp(max=torch.finfo(torch.float32).max)
    return (values * factor).clamp(-most, most).to(kind), factor


def from_fp8(codes: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    return codes.float() / factor


class Fp8Product(torch.autograd.Function):
    """Emulated: the operands pass through eight bits, e4m3 or for gradients e5m2."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor,
                bias: torch.Tensor) -> torch.Tensor:
        ctx.shape = x.shape
        inputs = to_fp8(x.flatten(0, -2), torch.float8_e4m3fn)
        weights = to_fp8(weight, torch.float8_e4m3fn)
        ctx.save_for_backward(*inputs, *weights)
        result = F.linear(from_fp8(*inputs), from_fp8(*weights), bias)
        return result.view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
        saved = ctx.saved_tensors
        rows = gradient.flatten(0, -2)
        coded = from_fp8(*to_fp8(rows, torch.float8_e5m2))
        inputs, weights = from_fp8(*saved[:2]), from_fp8(*saved[2:])
        return (coded @ weights).view(ctx.shape), coded.T @ inputs, rows.sum(0)


class Fp8Linear(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Fp8Product.apply(x, self.weight, self.bias)


def use_fp8(model: nn.Module) -> None:
    """In all linear layers but a model's first and last layer."""
    layers = [module for module in model.modules() if list(module.parameters(recurse=False))]
    for layer in layers[1:-1]:
        if type(layer) is nn.Linear:
            layer.__class__ = Fp8Linear
)py";

void scriptFp8(ScriptBuilder& script) {
  script.require("import torch.nn.functional as F");
  script.word("amax", script.text("fp8_scale") == "row" ? "amax(1, keepdim=True)" : "amax()");
  script.define(kFp8);
  // It would go past the layers' forward().
  if (script.input().tokens) script.add(Place::Settings, "torch.backends.mha.set_fastpath_enabled(False)");
  script.add(Place::Model, "use_fp8(self.model)");
}

void script(ScriptBuilder& script) {
  const auto& precision = script.text("precision");
  const bool tf32 = precision == "tf32";
  if (precision == "bf16" || precision == "bf16-pure")
    script.around("with torch.autocast(" + script.deviceType() + ", dtype=torch.bfloat16):");
  if (precision == "fp16") script.around("with torch.autocast(" + script.deviceType() + ", dtype=torch.float16):");
  if (precision == "bf16-pure") {
    script.define(kBfloat16WeightsPython);
    script.add(Place::Model,
               "for parameter in weights_for_bfloat16(self.model):\n"
               "    parameter.data = parameter.data.bfloat16()");
  }
  if (precision == "fp8") scriptFp8(script);
  if (script.device() == ScriptDevice::Cpu) {
    if (tf32) script.remark("precision: tf32 is a format of GPUs with tensor cores; on a CPU this run is in fp32.");
    return;
  }
  if (tf32) script.add(Place::Settings, "torch.backends.cuda.matmul.fp32_precision = \"tf32\"");
  script.add(Place::Settings, tf32 ? "torch.backends.cudnn.conv.fp32_precision = \"tf32\""
                                   : "torch.backends.cudnn.conv.fp32_precision = \"ieee\"  # by default it is tf32");
}

}  // namespace

TechniqueUnit technique_precision() {
  auto option = wire::choiceOption("precision", {"fp32", "tf32", "bf16", "bf16-pure", "fp16", "fp8"});
  option.common = true;
  return {"precision", 10, {option, wire::choiceOption("fp8_scale", {"tensor", "row"})}, make, script};
}

}  // namespace atelier::engine
