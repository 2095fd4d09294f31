// ema: an exponential moving average of the trained weights, in float32, taken after every optimizer step and put in their
// place while the run is evaluated; 0 is off. As torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn: the first
// step's weights are copied, then average ← decay · average + (1 − decay) · weights. Buffers are those of the model as it is.
#include "core/engine/script/builder.h"
#include "core/engine/session/state_archive.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class Average final : public Technique {
 public:
  Average(double decay, at::Device device) : m_decay(decay), m_device(device) {}

  void prepareModel(Module& model) override { m_parameters = trainableParameters(model); }

  void afterOptimizer(StepState& state) override {
    if (state.skip) return;
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> weights;
    weights.reserve(m_parameters.size());
    for (const auto& parameter : m_parameters) weights.push_back(parameter.detach().to(at::kFloat));
    if (!m_averages.empty()) {
      at::_foreach_lerp_(m_averages, weights, 1 - m_decay);
      return;
    }
    for (const auto& weight : weights) m_averages.push_back(weight.clone());
  }

  // Values are copied rather than tensors exchanged: who keeps something made from a weight sees that it changed.
  void beforeEvaluation(Module& /*model*/) override {
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < m_averages.size(); ++i) {
      m_kept.push_back(m_parameters[i].detach().clone());
      m_parameters[i].copy_(m_averages[i]);
    }
  }
  void leaveEvaluation(Module& /*model*/) override {
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < m_kept.size(); ++i) m_parameters[i].copy_(m_kept[i]);
    m_kept.clear();
  }

  void state(StateArchive& archive) override { archive.tensors("average", m_averages, m_device); }

 private:
  const double m_decay;
  const at::Device m_device;
  std::vector<at::Tensor> m_parameters, m_averages;
  std::vector<at::Tensor> m_kept;  // the trained weights, during an evaluation
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& spec = context.spec;
  const double decay = spec.number("ema");
  if (decay <= 0 || spec.text("mode") != "train") return nullptr;
  if (!spec.flag("evaluate")) {
    context.notices.push_back({"ema.no_evaluation"});
    return nullptr;
  }
  return std::make_unique<Average>(decay, context.device);
}

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const double decay = script.number("ema");
  if (decay <= 0) return;
  if (!script.evaluates()) {
    script.remark("ema: the averaged weights are for evaluations, and this run has none.");
    return;
  }
  script.require("from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn");
  script.constant("EMA_DECAY", pythonNumber(decay), "of the average of the weights, which is evaluated");
  script.add(Place::Model,
             "self.average = AveragedModel(self.model,\n"
             "                             multi_avg_fn=get_ema_multi_avg_fn(EMA_DECAY))");
  script.add(Place::AfterOptimizer, "self.average.update_parameters(self.model)");
  script.add(Place::BeforeEvaluation, "trained, self.model = self.model, self.average.module");
  script.add(Place::LeaveEvaluation, "self.model = trained");
}

}  // namespace

TechniqueUnit technique_ema() {
  return {"ema", 60, {wire::numberOption("ema", 0, 0, 0.999999)}, make, script};
}

}  // namespace atelier::engine
