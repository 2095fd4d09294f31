// clip_value: bounds every value of every gradient to ± the given one; 0 is off. As torch.nn.utils.clip_grad_value_: the
// direction of the gradient changes, unlike with clip_norm, which comes after it.
#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class ClipValue final : public Technique {
 public:
  explicit ClipValue(double most) : m_most(most) {}

  void afterBackward(StepState& state) override {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : state.parameters)
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
    if (gradients.empty()) return;
    at::_foreach_clamp_min_(gradients, -m_most);
    at::_foreach_clamp_max_(gradients, m_most);
  }

 private:
  double m_most;
};

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const double most = script.number("clip_value");
  if (most <= 0) return;
  script.constant("CLIP_VALUE", pythonNumber(most), "largest magnitude of a gradient's values");
  script.add(Place::AfterBackward, "nn.utils.clip_grad_value_(self.model.parameters(), CLIP_VALUE)");
}

}  // namespace

TechniqueUnit technique_clip_value() {
  return {"clip_value",
          25,
          {wire::numberOption("clip_value", 0, 0, 1e9)},
          [](const TechniqueContext& context) -> std::unique_ptr<Technique> {
            const double most = context.spec.number("clip_value");
            if (most <= 0) return nullptr;
            return std::make_unique<ClipValue>(most);
          },
          script};
}

}  // namespace atelier::engine
