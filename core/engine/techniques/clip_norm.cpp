// clip_norm: scales all gradients so that their global L2 norm is at most the given one; 0 is off. As
// torch.nn.utils.clip_grad_norm_. On a CPU in float32 in one pass over all gradients (kernels/adamw), and a second one only
// where they are too large.
#include <ATen/record_function.h>

#include "core/engine/script/builder.h"
#include "kernel_tensors.h"
#include "kernels/adamw/adamw.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class ClipNorm final : public Technique {
 public:
  explicit ClipNorm(double most) : m_most(most) {}

  void afterBackward(StepState& state) override {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : state.parameters)
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
    if (gradients.empty()) return;
    if (arePlainMemory(gradients)) clip(gradients);
    else clipByOperators(gradients);
  }

 private:
  void clip(const std::vector<at::Tensor>& gradients) const {
    RECORD_FUNCTION("atelier::_clip_grad_norm_", std::vector<c10::IValue>{gradients});
    std::vector<kernels::Gradient> all;
    all.reserve(gradients.size());
    for (const auto& gradient : gradients) all.push_back({gradient.const_data_ptr<float>(), gradient.numel()});
    const auto factor = kernels::clipFactor(kernels::gradientNorm(all, 1, inTorchThreads).norm, m_most);
    if (factor == 1) return;
    std::vector<kernels::GradientToScale> tooLarge;
    tooLarge.reserve(gradients.size());
    for (const auto& gradient : gradients) tooLarge.push_back({writableMemory(gradient), gradient.numel()});
    kernels::scaleGradients(tooLarge, static_cast<float>(factor), inTorchThreads);
  }
  void clipByOperators(const std::vector<at::Tensor>& gradients) const {
    const auto norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
    at::_foreach_mul_(gradients, (m_most / (norm + 1e-6)).clamp_max(1.0));
  }

  double m_most;
};

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const double most = script.number("clip_norm");
  if (most <= 0) return;
  script.constant("CLIP_NORM", pythonNumber(most), "largest L2 norm of all gradients together");
  script.add(Place::AfterBackward, "nn.utils.clip_grad_norm_(self.model.parameters(), CLIP_NORM)");
}

}  // namespace

TechniqueUnit technique_clip_norm() {
  return {"clip_norm",
          30,
          {wire::numberOption("clip_norm", 0, 0, 1e9)},
          [](const TechniqueContext& context) -> std::unique_ptr<Technique> {
            const double most = context.spec.number("clip_norm");
            if (most <= 0) return nullptr;
            return std::make_unique<ClipNorm>(most);
          },
          script};
}

}  // namespace atelier::engine
