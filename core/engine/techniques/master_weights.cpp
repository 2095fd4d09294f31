// master_weights: the model's weights are bfloat16, and the optimizer steps float32 copies of them (Micikevicius et al.
// 2018, 3.1): an update that is lost in bfloat16's eight bits adds up there. Clipping and what else looks at gradients before
// the step sees the copies and float32 gradients. Gradients of a window's micro-batches add up in bfloat16, as in PyTorch.
#include <unordered_map>

#include "bfloat16_weights.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/script/builder.h"
#include "core/engine/session/state_archive.h"
#include "technique.h"

namespace atelier::engine {
namespace {

class MasterWeights final : public Technique {
 public:
  void prepareModel(Module& model) override {
    const PhaseScope phase(MemoryPhase::Optimizer);
    for (auto& weight : weightsForBfloat16(model)) {
      if (weight.requires_grad()) {
        m_places.emplace(weight.unsafeGetTensorImpl(), m_masters.size());
        m_masters.push_back(weight.detach().to(at::kFloat, /*non_blocking=*/false, /*copy=*/true));
        m_weights.push_back(weight);
      }
      const PhaseScope weights(MemoryPhase::Weights);
      weight.set_data(weight.detach().to(at::kBFloat16));
    }
  }

  void afterBackward(StepState& state) override {
    const at::NoGradGuard noGrad;
    m_model = state.parameters;
    for (auto& parameter : state.parameters) {
      const auto found = m_places.find(parameter.unsafeGetTensorImpl());
      if (found == m_places.end()) continue;  // a norm's
      auto& master = m_masters[found->second];
      master.mutable_grad() = parameter.grad().defined() ? parameter.grad().to(at::kFloat) : at::Tensor();
      parameter = master;
    }
  }

  void afterOptimizer(StepState& state) override {
    const at::NoGradGuard noGrad;
    state.parameters = m_model;
    for (auto& master : m_masters) master.mutable_grad().reset();
    if (state.skip) return;
    for (std::size_t i = 0; i < m_masters.size(); ++i) m_weights[i].copy_(m_masters[i]);
  }

  void state(StateArchive& archive) override {
    for (std::size_t i = 0; i < m_masters.size(); ++i) archive.tensor(std::to_string(i), m_masters[i], m_masters[i].device());
  }

 private:
  std::unordered_map<const at::TensorImpl*, std::size_t> m_places;  // of a weight's master
  std::vector<at::Tensor> m_masters, m_weights;
  std::vector<at::Tensor> m_model;  // the parameters as the trainer has them, while the masters stand in their place
};

wire::Status validate(const wire::RunSpec& spec) {
  if (!spec.flag("master_weights") || spec.text("precision") == "bf16") return wire::success();
  return wire::Error{wire::ExitCode::Usage, {"precision.masters_need_bf16", {{"precision", spec.text("precision")}}}};
}

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  if (!context.spec.flag("master_weights") || context.spec.text("mode") != "train") return nullptr;
  return std::make_unique<MasterWeights>();
}

constexpr std::string_view kPython = R"py(
class MasterWeights:
    """Float32 copies that the optimizer steps; the model's own weights are bfloat16."""

    def __init__(self, model: nn.Module) -> None:
        self.copies = {}
        for parameter in weights_for_bfloat16(model):
            copy = parameter.detach().clone()
            self.copies[parameter] = nn.Parameter(copy, parameter.requires_grad)
            parameter.data = parameter.data.bfloat16()
        self.parameters = [self.copies.get(each, each) for each in model.parameters()]

    def take_gradients(self) -> None:
        for parameter, copy in self.copies.items():
            copy.grad = None if parameter.grad is None else parameter.grad.float()

    @torch.no_grad()
    def put_weights(self) -> None:
        for parameter, copy in self.copies.items():
            parameter.copy_(copy)
            parameter.grad = None
)py";

void script(ScriptBuilder& script) {
  if (!script.flag("master_weights") || !script.training()) return;
  script.define(kBfloat16WeightsPython);
  script.define(kPython);
  script.add(Place::Model, "self.masters = MasterWeights(self.model)");
  script.fill("optimized", "self.optimizer.param_groups[0][\"params\"] = self.masters.parameters");
  script.add(Place::BeforeOptimizer, "self.masters.take_gradients()");
  script.add(Place::AfterOptimizer, "self.masters.put_weights()");
}

}  // namespace

TechniqueUnit technique_master_weights() {
  return {"master_weights", 21, {wire::booleanOption("master_weights", false)}, make, script, nullptr, validate};
}

}  // namespace atelier::engine
