// clip_norm: scales all gradients so that their global L2 norm is at most the given one; 0 is off. As
// torch.nn.utils.clip_grad_norm_.
#include "core/engine/script/builder.h"
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
    const auto norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
    at::_foreach_mul_(gradients, (m_most / (norm + 1e-6)).clamp_max(1.0));
  }

 private:
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
