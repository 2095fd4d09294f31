// gradient_stats: every so many optimizer steps, how large each parameter's gradient is (unscaled, before clipping), how far
// the step moves the parameter compared with its size, and how noisy gradients are; 0 is off. The simple noise scale
// tr Σ ÷ |G|² of McCandlish et al. 2018 (appendix A) compares gradients of two batch sizes: with accumulation a window's first
// micro-batch with the whole window, else (and for language models) the gradients of two consecutive steps with each other,
// between which the weights hardly move.
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/engine/script/builder.h"
#include "core/engine/session/state_archive.h"
#include "technique.h"

namespace atelier::engine {
namespace {

// Looking at values is no part of the run: no graph, and nothing that a profiler sees.
struct Unseen {
  at::DisableRecordFunctionGuard noRecord{};
  at::NoGradGuard noGrad{};
};

using Tensors = std::vector<at::Tensor>;

// L2, in double: the squares of gradients that explode are beyond float. One read of the device.
std::vector<double> normsOf(const Tensors& tensors) {
  if (tensors.empty()) return {};
  Tensors norms;
  for (const auto& tensor : tensors) norms.push_back(at::linalg_vector_norm(tensor, 2, std::nullopt, false, at::kDouble));
  const auto all = at::stack(norms).cpu();
  const auto* first = all.const_data_ptr<double>();
  return {first, first + all.numel()};
}

double squares(const std::vector<double>& norms) {
  double sum = 0;
  for (const double norm : norms) sum += norm * norm;
  return sum;
}

double dot(const Tensors& a, const Tensors& b) {
  Tensors parts;
  for (std::size_t i = 0; i < a.size(); ++i)
    parts.push_back(at::dot(a[i].flatten().to(at::kDouble), b[i].flatten().to(at::kDouble)));
  return parts.empty() ? 0 : at::stack(parts).sum().item<double>();
}

// Means of |G|² and tr Σ over the looks: each alone is far noisier than their means' ratio.
struct Noise {
  double signal = 0, noise = 0;
  std::int64_t looks = 0;

  void add(double signalNow, double noiseNow) {
    if (!std::isfinite(signalNow) || !std::isfinite(noiseNow)) return;
    constexpr double kNew = 0.1;
    const double share = looks++ == 0 ? 1 : kNew;
    signal += share * (signalNow - signal);
    noise += share * (noiseNow - noise);
  }
  std::optional<double> scale() const {
    if (looks == 0 || !(signal > 0) || !(noise >= 0)) return std::nullopt;
    return noise / signal;
  }
};

class GradientStats final : public Technique {
 public:
  // `window`: samples of a whole window whose micro-batches are compared with it; 0: consecutive steps are compared.
  GradientStats(std::int64_t every, std::int64_t window, at::Device device, const Say& say)
      : m_every(every), m_whole(window), m_device(device), m_say(say) {}

  void prepareModel(Module& model) override {
    std::set<const at::TensorImpl*> known;  // a parameter may have two names
    for (const auto& parameter : model.named_parameters()) {
      if (!parameter.value().requires_grad() || !known.insert(parameter.value().unsafeGetTensorImpl()).second) continue;
      m_names.push_back(parameter.key());
      m_parameters.push_back(parameter.value());
    }
  }

  void beforeStep(StepState& state) override {
    if (!state.window_begin) return;
    m_samples = 0;
    m_first.reset();
  }
  void afterForward(const at::Tensor& output, StepState& /*state*/) override { m_samples += output.size(0); }

  // Of a window of several micro-batches, the first one's gradients lie there alone.
  void afterStep(StepState& state) override {
    if (m_whole == 0 || !state.window_begin || state.window_end || m_window % m_every != 0) return;
    const Unseen unseen;
    m_first = First{m_samples, squares(normsOf(gradients())) / (state.loss_scale * state.loss_scale)};
  }

  void afterBackward(StepState& state) override {
    const bool looked = m_window % m_every == 0, next = (m_window + 1) % m_every == 0;
    if (!looked && !next) return;
    const Unseen unseen;
    auto now = gradients();
    if (looked) look(state, now);
    m_previous.clear();
    if (!next || m_whole > 0) return;
    for (const auto& gradient : now)
      m_previous.push_back(gradient.to(at::kFloat, false, true).div_(state.loss_scale));
    m_previousSamples = m_samples;
  }

  void afterOptimizer(StepState& /*state*/) override {
    ++m_window;
    if (m_before.empty()) return;
    const Unseen unseen;
    Tensors moved;
    for (std::size_t i = 0; i < m_before.size(); ++i) moved.push_back(m_looked[i].detach() - m_before[i]);
    const auto weights = normsOf(m_before), updates = normsOf(moved);
    m_before.clear();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      m_now.layers[i].weight_norm = weights[i];
      m_now.layers[i].update_ratio = weights[i] > 0 ? updates[i] / weights[i] : 0;
    }
    if (m_say) m_say(wire::GradientsSampled{std::exchange(m_now, {})});
  }

  void state(StateArchive& archive) override {
    archive.integer("window", m_window);
    archive.number("signal", m_noise.signal);
    archive.number("noise", m_noise.noise);
    archive.integer("looks", m_noise.looks);
    archive.integer("previous_samples", m_previousSamples);
    archive.tensors("previous", m_previous, m_device);
  }

 private:
  struct First {
    std::int64_t samples;
    double squares;  // of its share of the window's gradient
  };

  Tensors gradients() const {
    Tensors all;
    for (const auto& parameter : m_parameters)
      if (parameter.grad().defined()) all.push_back(parameter.grad());
    return all;
  }

  void look(const StepState& state, const Tensors& now) {
    auto norms = normsOf(now);
    for (auto& norm : norms) norm /= state.loss_scale;
    m_now = {};
    m_now.step = state.step;
    m_now.norm = std::sqrt(squares(norms));
    m_looked.clear();
    for (std::size_t i = 0, k = 0; i < m_parameters.size(); ++i) {
      if (!m_parameters[i].grad().defined()) continue;
      m_now.layers.push_back({m_names[i], norms[k++], 0, 0});
      m_looked.push_back(m_parameters[i]);
      m_before.push_back(m_parameters[i].detach().clone());
    }
    compare(now, squares(norms), state.loss_scale);
    m_now.noise_scale = m_noise.scale();
  }

  void compare(const Tensors& now, double square, double scale) {
    const auto samples = static_cast<double>(m_samples);
    if (m_first && m_samples == m_whole) {
      // Each micro-batch has the weight of its samples in the window's mean; of a window that was cut short, another one.
      const auto few = static_cast<double>(m_first->samples);
      const double small = m_first->squares * (samples / few) * (samples / few);
      m_noise.add((samples * square - few * small) / (samples - few), (small - square) / (1 / few - 1 / samples));
      m_now.noise_estimator = "micro-batches";
    } else if (!m_previous.empty() && m_previous.size() == now.size()) {
      const double signal = dot(m_previous, now) / scale, before = squares(normsOf(m_previous));
      const double mean = (samples + static_cast<double>(m_previousSamples)) / 2;
      m_noise.add(signal, mean * ((square + before) / 2 - signal));
      m_now.noise_estimator = "consecutive";
    }
  }

  const std::int64_t m_every, m_whole;
  const at::Device m_device;
  const Say& m_say;
  std::vector<std::string> m_names;
  Tensors m_parameters;
  std::int64_t m_window = 0;   // optimizer steps, those that were left out too
  std::int64_t m_samples = 0;  // of this window so far
  std::optional<First> m_first;
  Tensors m_previous;  // the gradients of the step before a look
  std::int64_t m_previousSamples = 0;
  Noise m_noise;
  Tensors m_looked, m_before;  // parameters that are looked at, and their values before the step
  wire::Gradients m_now;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto every = context.spec.integer("gradient_stats");
  if (every == 0 || context.spec.text("mode") != "train") return nullptr;
  context.notices.push_back({"gradient_stats.costs", {{"steps", std::to_string(every)}}});
  // A language model's micro-batches weigh as many tokens as they have, which is only known at the window's end.
  const auto micro = context.spec.integer("accumulation");
  const auto* model = findModelUnit(context.spec.text("model"));
  const bool compares = micro > 1 && model && model->task == Task::Classify;
  return std::make_unique<GradientStats>(every, compares ? micro * context.spec.integer("batch") : 0, context.device,
                                         context.say);
}

constexpr std::string_view kPython = R"py(
class GradientStats:
    """Every GRADIENT_STATS steps: how large gradients are, and how far weights move.

    The noise scale compares the gradients of consecutive steps (McCandlish et al. 2018).
    """

    def __init__(self, model: nn.Module) -> None:
        self.weights = {name: weight for name, weight in model.named_parameters()
                        if weight.requires_grad}
        self.steps, self.signal, self.noise = 0, 0.0, 0.0
        self.before: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        self.previous: torch.Tensor | None = None

    @torch.no_grad()
    def before_step(self, samples: int) -> None:
        looks, remembers = (step % GRADIENT_STATS == 0 for step in (self.steps, self.steps + 1))
        if not looks and not remembers:
            return
        gradient = torch.cat([weight.grad.flatten() for weight in self.weights.values()]).double()
        if looks:
            self.before = {name: (weight.clone(), weight.grad.norm())
                           for name, weight in self.weights.items()}
            if self.previous is not None:
                self.compare(gradient, self.previous, samples)
        self.previous = gradient if remembers else None

    def compare(self, a: torch.Tensor, b: torch.Tensor, samples: int) -> None:
        signal = (a @ b).item()
        noise = samples * ((a @ a + b @ b).item() / 2 - signal)
        share = 0.1 if self.noise or self.signal else 1.0
        self.signal += share * (signal - self.signal)
        self.noise += share * (noise - self.noise)

    @torch.no_grad()
    def after_step(self) -> None:
        for name, (old, norm) in self.before.items():
            moved = (self.weights[name] - old).norm() / old.norm().clamp_min(1e-30)
            print(f"{name}: gradient {norm:.3g}, update/weight {moved:.3g}", file=sys.stderr)
        if self.before and self.signal > 0:
            print(f"noise scale {self.noise / self.signal:.3g} samples", file=sys.stderr)
        self.before = {}
        self.steps += 1
)py";

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const auto every = script.integer("gradient_stats");
  if (every == 0) return;
  script.require("import sys");
  script.constant("GRADIENT_STATS", std::to_string(every), "optimizer steps from one look at the gradients to the next");
  script.define(kPython);
  script.add(Place::Optimizer, "self.gradient_stats = GradientStats(self.model)");
  script.add(Place::AfterBackward, script.plan().accumulation > 1
                                        ? "self.gradient_stats.before_step(ACCUMULATION * BATCH)"
                                        : "self.gradient_stats.before_step(BATCH)");
  script.add(Place::AfterOptimizer, "self.gradient_stats.after_step()");
}

}  // namespace

TechniqueUnit technique_gradient_stats() {
  auto option = wire::integerOption("gradient_stats", 0, 0, 1'000'000);
  option.group = "measurement";
  // After gradients were unscaled, before they are clipped.
  return {"gradient_stats", 22, {option}, make, script};
}

}  // namespace atelier::engine
