// watch, anomaly: steps of a run that are looked at while it goes: every so many steps what flows through the model (watch), or
// every step operator by operator until the first value that is not finite was found (anomaly). Other steps have no hooks.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/engine/profile/watch.h"
#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

bool anyBad(const std::vector<wire::TensorStats>& all) {
  return std::any_of(all.begin(), all.end(), [](const auto& stats) { return stats.nans > 0 || stats.infinities > 0; });
}

std::string named(const std::string& module) {
  return module.empty() ? "model" : module;
}

// Where the first value that is not finite came from; nullopt: all are finite.
std::optional<wire::Message> origin(const wire::Health& health) {
  const auto step = std::to_string(health.step);
  if (!health.first_bad_stage.empty()) {
    wire::Message message{health.first_bad_operator.empty() ? "anomaly.found_in_module" : "anomaly.found",
                          {{"module", named(health.first_bad_module)}, {"step", step}, {"stage", health.first_bad_stage}}};
    if (!health.first_bad_operator.empty()) message.args.emplace_back("operator", health.first_bad_operator);
    return message;
  }
  // Nothing in the model made it: it came in.
  if (anyBad(health.activations)) return wire::Message{"anomaly.in_batch", {{"step", step}}};
  return std::nullopt;
}

class WatchSteps final : public Technique {
 public:
  WatchSteps(std::int64_t every, bool anomaly, const Say& say) : m_every(every), m_anomaly(anomaly), m_say(say) {}

  void prepareModel(Module& model) override { m_model = &model; }

  void beforeStep(StepState& state) override {
    m_regular = m_every > 0 && state.step % m_every == 0;
    if (!m_regular && !m_anomaly) return;
    m_watch.emplace(*m_model, m_anomaly);
    m_watch->begin(state.step, m_regular);
  }

  void afterStep(StepState& /*state*/) override {
    if (!m_watch) return;
    auto health = m_watch->end();
    m_watch.reset();
    const auto found = m_anomaly ? origin(health) : std::nullopt;
    if (!m_say) return;
    if (m_regular || found) m_say(wire::HealthSampled{std::move(health)});
    if (!found) return;
    m_anomaly = false;
    m_say(wire::Noticed{*found, "warning"});
  }

 private:
  const std::int64_t m_every;
  bool m_anomaly;
  const Say& m_say;
  Module* m_model = nullptr;
  bool m_regular = false;
  std::optional<Watch> m_watch;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto every = context.spec.integer("watch");
  const bool anomaly = context.spec.flag("anomaly");
  if (every == 0 && !anomaly) return nullptr;
  if (every > 0) context.notices.push_back({"watch.costs", {{"steps", std::to_string(every)}}});
  if (anomaly) context.notices.push_back({"anomaly.slow"});
  return std::make_unique<WatchSteps>(every, anomaly, context.say);
}

constexpr std::string_view kPython = R"py(
class Watch:
    """Every WATCH steps: what leaves each module, and the gradient that comes back to it."""

    def __init__(self, model: nn.Module) -> None:
        self.steps, self.looking = itertools.count(), False
        model.register_forward_pre_hook(self.begin)
        for name, module in model.named_modules():
            module.register_forward_hook(functools.partial(self.look, name or "model"))

    def begin(self, module: nn.Module, inputs: Any) -> None:
        self.looking = @counts@next(self.steps) % WATCH == 0

    def look(self, name: str, module: nn.Module, inputs: Any, output: torch.Tensor) -> None:
        if not self.looking:
            return
        values = output.detach().float()
        print(f"{name}: mean {values.mean():.3g}, deviation {values.std():.3g}, "
              f"zeros {(values == 0).float().mean():.1%}", file=sys.stderr)
        if output.requires_grad:
            output.register_hook(lambda gradient: print(
                f"{name}: norm of its gradient {gradient.norm():.3g}", file=sys.stderr))
)py";

void scriptWatch(ScriptBuilder& script, std::int64_t every) {
  for (const char* statement : {"import functools", "import sys"}) script.require(statement);
  script.constant("WATCH", std::to_string(every), "steps from one look at the model to the next");
  // Evaluations want no gradients, and are no steps.
  script.word("counts", script.training() ? "torch.is_grad_enabled() and " : "");
  script.define(kPython);
  // Behind the places where others put hooks on the model: what they do to an output shall be seen.
  script.add(Place::Optimizer, "self.watch = Watch(self.model)");
}

void script(ScriptBuilder& script) {
  const auto every = script.integer("watch");
  const bool anomaly = script.flag("anomaly");
  if (every > 0) scriptWatch(script, every);
  if (!anomaly) return;
  if (script.training())
    script.add(Place::Settings, "torch.autograd.set_detect_anomaly(True)  # slow; ends at the first NaN in backward");
  else script.remark("anomaly: PyTorch's anomaly mode looks at backward passes, and this run has none.");
}

}  // namespace

TechniqueUnit technique_watch() {
  std::vector<wire::Option> options{wire::integerOption("watch", 0, 0, 1'000'000), wire::booleanOption("anomaly", false)};
  for (auto& option : options) option.group = "measurement";
  return {"watch", 5, options, make, script};
}

}  // namespace atelier::engine
