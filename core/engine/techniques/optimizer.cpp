// optimizer: SGD, Adam and AdamW with torch.optim's formulas, defaults and order of operations. `fused` does a whole step in
// one kernel over all parameters: Adam's on a CPU in float32 is ours (kernels/adamw), the others are ATen's (at::_fused_*_).
// Plain goes tensor by tensor as torch.optim does on a CPU.
#include <cmath>
#include <utility>

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/record_function.h>

#include "core/engine/script/builder.h"
#include "core/engine/session/state_archive.h"
#include "kernel_tensors.h"
#include "kernels/adamw/adamw.h"
#include "technique.h"

namespace atelier::engine {
namespace {

struct Settings {
  double weight_decay, momentum;
  bool fused;
  at::Device device;
};
constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

// Parameters that have a gradient in this step, and their gradients.
struct Touched {
  std::vector<at::Tensor> parameters, gradients;
  std::vector<std::size_t> index;
};

Touched touched(const StepState& state) {
  Touched result;
  const auto count = state.parameters.size();
  result.parameters.reserve(count);
  result.gradients.reserve(count);
  result.index.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& gradient = state.parameters[i].grad();
    if (!gradient.defined()) continue;
    result.parameters.push_back(state.parameters[i]);
    result.gradients.push_back(gradient);
    result.index.push_back(i);
  }
  return result;
}

std::vector<at::Tensor> pick(const std::vector<at::Tensor>& all, const std::vector<std::size_t>& index) {
  std::vector<at::Tensor> result;
  result.reserve(index.size());
  for (const auto i : index) result.push_back(all[i]);
  return result;
}

// Fused kernels go through memory, and what was kept in a file has lost its order there (channels_last).
void layLikeParameters(std::vector<at::Tensor>& kept, const std::vector<at::Tensor>& parameters) {
  for (std::size_t i = 0; i < kept.size() && i < parameters.size(); ++i)
    if (kept[i].defined() && !lieAlike(kept[i], parameters[i])) kept[i] = at::empty_like(parameters[i]).copy_(kept[i]);
}

class Sgd final : public Technique {
 public:
  explicit Sgd(Settings settings) : m_settings(settings) {}

  void optimizerStep(StepState& state) override {
    const at::NoGradGuard noGrad;
    auto now = touched(state);
    m_buffers.resize(state.parameters.size());
    if (std::exchange(m_loaded, false)) layLikeParameters(m_buffers, state.parameters);
    const bool first = !m_started;
    m_started = true;
    if (m_settings.fused) fused(state, now, first);
    else plain(state, now);
  }

  void state(StateArchive& archive) override {
    archive.flag("started", m_started);
    archive.tensors("momentum", m_buffers, m_settings.device);
    m_loaded = archive.loading();
  }

 private:
  void fused(const StepState& state, Touched& now, bool first) {
    std::vector<at::Tensor> buffers;
    if (m_settings.momentum != 0) {
      for (const auto i : now.index)
        if (!m_buffers[i].defined()) m_buffers[i] = at::zeros_like(state.parameters[i]);
      buffers = pick(m_buffers, now.index);
    }
    at::_fused_sgd_(now.parameters, now.gradients, buffers, m_settings.weight_decay, m_settings.momentum, state.effective_rate,
                    0.0, false, false, first);
  }
  void plain(const StepState& state, Touched& now) {
    for (std::size_t k = 0; k < now.index.size(); ++k) {
      auto& parameter = now.parameters[k];
      auto gradient = now.gradients[k];
      if (m_settings.weight_decay != 0) gradient = gradient.add(parameter, m_settings.weight_decay);
      if (m_settings.momentum != 0) {
        auto& buffer = m_buffers[now.index[k]];
        if (buffer.defined()) buffer.mul_(m_settings.momentum).add_(gradient);
        else buffer = gradient.clone();
        gradient = buffer;
      }
      parameter.add_(gradient, -state.effective_rate);
    }
  }

  Settings m_settings;
  std::vector<at::Tensor> m_buffers;
  bool m_started = false, m_loaded = false;
};

class Adam final : public Technique {
 public:
  Adam(Settings settings, bool decoupled) : m_settings(settings), m_decoupled(decoupled) {}

  void optimizerStep(StepState& state) override {
    const at::NoGradGuard noGrad;
    auto now = touched(state);
    prepare(state);
    if (m_settings.fused) fused(state, now);
    else plain(state, now);
  }

  void state(StateArchive& archive) override {
    archive.tensors("first_moment", m_first, m_settings.device);
    archive.tensors("second_moment", m_second, m_settings.device);
    archive.tensors("steps", m_steps, m_settings.device);
    const StateArchive::Scope scope(archive, "counts");
    m_counts.resize(m_first.size());
    for (std::size_t i = 0; i < m_counts.size(); ++i) archive.integer(std::to_string(i), m_counts[i]);
    m_loaded = archive.loading();
  }

 private:
  void prepare(const StepState& state) {
    if (std::exchange(m_loaded, false))
      for (auto* moments : {&m_first, &m_second}) layLikeParameters(*moments, state.parameters);
    if (!m_first.empty()) return;
    for (const auto& parameter : state.parameters) {
      m_first.push_back(at::zeros_like(parameter));
      m_second.push_back(at::zeros_like(parameter));
      m_steps.push_back(at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(parameter.device())));
    }
    m_counts.resize(state.parameters.size());
  }
  void fused(const StepState& state, Touched& now) {
    auto first = pick(m_first, now.index), second = pick(m_second, now.index), steps = pick(m_steps, now.index);
    if (now.parameters.empty()) return;
    for (auto& step : steps) {
      if (step.device().is_cpu())
        *step.data_ptr<float>() += 1;  // an op for a counter would cost more than the step of a small net
      else step.add_(1);
    }
    if (canRunOurs(now, first, second)) {
      runOurs(state.effective_rate, now, first, second, steps);
      return;
    }
    std::vector<at::Tensor> unused;
    const auto call = m_decoupled ? &fusedAdamW : &fusedAdam;
    call(now, first, second, unused, steps, state.effective_rate, m_settings.weight_decay);
  }
  using List = std::vector<at::Tensor>;
  static bool canRunOurs(const Touched& t, const List& first, const List& second) {
    if (!arePlainMemory(t.parameters) || !arePlainMemory(t.gradients)) return false;
    for (std::size_t i = 0; i < first.size(); ++i)
      for (const auto* other : {&t.gradients[i], &first[i], &second[i]})
        if (!lieAlike(t.parameters[i], *other)) return false;
    return true;
  }
  void runOurs(double rate, const Touched& t, const List& first, const List& second, const List& steps) const {
    // For profilers an operator like ATen's.
    RECORD_FUNCTION(m_decoupled ? "atelier::_fused_adamw_" : "atelier::_fused_adam_",
                    std::vector<c10::IValue>({t.parameters, t.gradients, first, second, steps}));
    std::vector<kernels::AdamTensor> tensors(first.size());
    for (std::size_t i = 0; i < tensors.size(); ++i)
      tensors[i] = {writableMemory(t.parameters[i]), t.gradients[i].const_data_ptr<float>(),
                    writableMemory(first[i]),        writableMemory(second[i]),
                    t.parameters[i].numel(),         static_cast<std::int64_t>(*steps[i].const_data_ptr<float>())};
    kernels::adamStep(tensors, {rate, kBeta1, kBeta2, kEpsilon, m_settings.weight_decay, m_decoupled}, inTorchThreads);
  }
  static void fusedAdamW(Touched& t, List& first, List& second, List& unused, List& steps, double rate, double decay) {
    at::_fused_adamw_(t.parameters, t.gradients, first, second, unused, steps, rate, kBeta1, kBeta2, decay, kEpsilon, false,
                      false);
  }
  static void fusedAdam(Touched& t, List& first, List& second, List& unused, List& steps, double rate, double decay) {
    at::_fused_adam_(t.parameters, t.gradients, first, second, unused, steps, rate, kBeta1, kBeta2, decay, kEpsilon, false,
                     false);
  }
  void plain(const StepState& state, Touched& now) {
    const double rate = state.effective_rate, decay = m_settings.weight_decay;
    for (std::size_t k = 0; k < now.index.size(); ++k) {
      const auto i = now.index[k];
      auto& parameter = now.parameters[k];
      auto gradient = now.gradients[k];
      const auto step = static_cast<double>(++m_counts[i]);
      if (decay != 0 && m_decoupled) parameter.mul_(1 - rate * decay);
      else if (decay != 0) gradient = gradient.add(parameter, decay);
      m_first[i].lerp_(gradient, 1 - kBeta1);
      m_second[i].mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
      const double correction1 = 1 - std::pow(kBeta1, step), correction2 = std::sqrt(1 - std::pow(kBeta2, step));
      const auto denominator = m_second[i].sqrt().div_(correction2).add_(kEpsilon);
      parameter.addcdiv_(m_first[i], denominator, -(rate / correction1));
    }
  }

  Settings m_settings;
  bool m_decoupled, m_loaded = false;
  std::vector<at::Tensor> m_first, m_second, m_steps;
  std::vector<std::int64_t> m_counts;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& spec = context.spec;
  const Settings settings{spec.number("weight_decay"), spec.number("momentum"), spec.flag("fused"), context.device};
  const auto& name = spec.text("optimizer");
  if (name == "sgd") return std::make_unique<Sgd>(settings);
  return std::make_unique<Adam>(settings, name == "adamw");
}

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const auto& name = script.text("optimizer");
  std::string more;
  script.constant("LEARNING_RATE", pythonNumber(script.number("learning_rate")));
  if (name == "sgd" && script.number("momentum") != 0) {
    script.constant("MOMENTUM", pythonNumber(script.number("momentum")));
    more += ", momentum=MOMENTUM";
  }
  const double decay = script.number("weight_decay");
  if (decay != 0 || name == "adamw") {  // AdamW's own default is not 0
    script.constant("WEIGHT_DECAY", pythonNumber(decay));
    more += ", weight_decay=WEIGHT_DECAY";
  }
  if (script.flag("fused")) more += ", fused=True";
  const std::string kind = name == "sgd" ? "SGD" : name == "adam" ? "Adam" : "AdamW";
  script.add(Place::Optimizer, "self.optimizer = torch.optim." + kind + "(\n    self.model.parameters(), lr=LEARNING_RATE" +
                                   (more.empty() ? "" : ",\n    " + more.substr(2)) + ")");
  // A scaler takes the step itself.
  if (!script.has(Place::OptimizerStep)) script.add(Place::OptimizerStep, "self.optimizer.step()");
}

}  // namespace

TechniqueUnit technique_optimizer() {
  auto optimizer = wire::choiceOption("optimizer", {"adamw", "adam", "sgd"});
  auto rate = wire::numberOption("learning_rate", 1e-3, 0, 1e3);
  auto fused = wire::booleanOption("fused", false);
  for (auto* option : {&optimizer, &rate, &fused}) option->common = true;
  return {
      "optimizer",
      50,
      {optimizer, rate, wire::numberOption("weight_decay", 0.01, 0, 10), wire::numberOption("momentum", 0.9, 0, 0.9999), fused},
      make,
      script};
}

}  // namespace atelier::engine
