// loss_scaling: in float16 training the loss is multiplied by a factor before the backward pass and the gradients are divided
// by it before they are clipped, once a window of micro-batches (grad_scaler.h). Every step that is left out and every change
// of the factor is said. Nothing to do in other precisions: their gradients have float32's range.
#include "core/engine/script/builder.h"
#include "core/wire/number.h"
#include "grad_scaler.h"
#include "technique.h"
#include "training_error.h"

namespace atelier::engine {
namespace {

class LossScaling final : public Technique {
 public:
  LossScaling(const ScalerRules& rules, const Say& say) : m_scaler(rules), m_say(say) {}

  at::Tensor scaleLoss(const at::Tensor& loss, StepState& state) override {
    state.loss_scale = m_scaler.scale();
    return loss.mul(m_scaler.scale());
  }

  void afterBackward(StepState& state) override {
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : state.parameters)
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
    m_checked = !gradients.empty();
    m_finite = m_scaler.unscale(gradients);
    state.loss_scale = 1;
    state.skip = state.skip || !m_finite;
  }

  void afterOptimizer(StepState& state) override {
    if (!m_checked) return;
    const double was = m_scaler.scale();
    const auto change = m_scaler.update(m_finite);
    if (change == GradScaler::Change::None) return;
    if (m_say)
      m_say(wire::ScaleChanged{state.step, was, m_scaler.scale(), change == GradScaler::Change::Grew ? "growth" : "overflow"});
    if (change == GradScaler::Change::AtFloor)
      throw TrainingError({"scaler.floor", {{"scale", wire::numberText(was)}, {"step", std::to_string(state.step)}}});
  }

  void state(StateArchive& archive) override { m_scaler.state(archive); }

 private:
  GradScaler m_scaler;
  const Say& m_say;
  bool m_checked = false, m_finite = true;  // in this window
};

bool active(const std::string& precision, const std::string& mode) {
  return precision == "fp16" && mode == "train";
}

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& spec = context.spec;
  if (!active(spec.text("precision"), spec.text("mode"))) return nullptr;
  const ScalerRules rules{spec.number("scaler_initial_scale"), spec.number("scaler_growth_factor"),
                          spec.number("scaler_backoff_factor"), spec.integer("scaler_growth_interval")};
  return std::make_unique<LossScaling>(rules, context.say);
}

void script(ScriptBuilder& script) {
  if (!active(script.text("precision"), script.text("mode"))) return;
  script.constant("INITIAL_SCALE", pythonNumber(script.number("scaler_initial_scale")),
                  "of the loss, so that gradients don't vanish");
  script.add(Place::Model,
             "self.scaler = torch.amp.GradScaler(\n    " + script.deviceType() +
                 ", init_scale=INITIAL_SCALE,\n    growth_factor=" + pythonNumber(script.number("scaler_growth_factor")) +
                 ", backoff_factor=" + pythonNumber(script.number("scaler_backoff_factor")) +
                 ",\n    growth_interval=" + std::to_string(script.integer("scaler_growth_interval")) + ")");
  script.add(Place::AfterBackward, "self.scaler.unscale_(self.optimizer)");
  script.add(Place::OptimizerStep,
             "self.scaler.step(self.optimizer)  # unless a gradient is not finite\n"
             "self.scaler.update()");
}

}  // namespace

TechniqueUnit technique_loss_scaling() {
  return {
      "loss_scaling",
      20,
      {wire::numberOption("scaler_initial_scale", 65536, GradScaler::kFloor, 1e38),
       wire::integerOption("scaler_growth_interval", 2000, 1, 1'000'000'000),
       wire::numberOption("scaler_growth_factor", 2, 1, 1e6), wire::numberOption("scaler_backoff_factor", 0.5, 1e-6, 0.9999)},
      make,
      script};
}

}  // namespace atelier::engine
