// schedule: the learning rate over the planned optimizer steps, warm-up steps included. Formulas of torch.optim.lr_scheduler:
// CosineAnnealingLR (T_max = planned steps), OneCycleLR (cosine, 30 % rising, ÷ 25 at first, ÷ 25 × 10⁴ at last, momentum
// left alone) with the spec's rate as the highest, ReduceLROnPlateau (× 0.1 after 10 evaluations without improvement of 10⁻⁴).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/engine/script/builder.h"
#include "technique.h"

namespace atelier::engine {
namespace {

double cosine(double from, double to, double share) {
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * share));
}

class Cosine final : public Technique {
 public:
  void beforeOptimizer(StepState& s) override {
    const auto planned = static_cast<double>(std::max<std::int64_t>(1, s.planned_optimizer_steps));
    // Steps beyond the plan stay at its end: the cosine must not rise again.
    s.effective_rate = cosine(s.learning_rate, 0, std::min(1.0, static_cast<double>(s.optimizer_step) / planned));
  }
};

class OneCycle final : public Technique {
 public:
  void beforeOptimizer(StepState& s) override {
    const double total = static_cast<double>(s.planned_optimizer_steps), at = static_cast<double>(s.optimizer_step);
    const double first = s.learning_rate / 25, last = first / 1e4;
    const double top = 0.3 * total - 1, end = total - 1;
    s.effective_rate = at <= top ? cosine(first, s.learning_rate, top > 0 ? at / top : 1)
                                 : cosine(s.learning_rate, last, end > top ? std::min(1.0, (at - top) / (end - top)) : 1);
  }
};

class Plateau final : public Technique {
 public:
  void beforeOptimizer(StepState& s) override { s.effective_rate = s.learning_rate * m_factor; }
  void afterEvaluation(double loss) override {
    if (loss < m_best * (1 - 1e-4)) {
      m_best = loss;
      m_bad = 0;
    } else if (++m_bad > 10) {
      m_factor *= 0.1;
      m_bad = 0;
    }
  }

 private:
  double m_best = std::numeric_limits<double>::infinity(), m_factor = 1;
  int m_bad = 0;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& schedule = context.spec.text("schedule");
  if (schedule == "cosine") return std::make_unique<Cosine>();
  if (schedule == "one-cycle") return std::make_unique<OneCycle>();
  if (schedule == "plateau") return std::make_unique<Plateau>();
  return nullptr;
}

void scriptPlateau(ScriptBuilder& script) {
  if (!script.evaluates()) {
    script.remark("schedule: plateau looks at evaluations, and this run has none; the learning rate stays.");
    return;
  }
  script.add(Place::Schedule, "self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer)");
  script.add(Place::BeforeOptimizer, "self.rate = self.optimizer.param_groups[0][\"lr\"]");
  script.add(Place::AfterEvaluation, "self.schedule.step(loss)");
}

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const auto& schedule = script.text("schedule");
  if (schedule == "none") return;
  if (schedule == "plateau") return scriptPlateau(script);
  const auto planned = script.plannedSteps();
  const bool cosine = schedule == "cosine";
  script.add(Place::Schedule, cosine ? "self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(\n"
                                       "    self.optimizer, T_max=" +
                                           planned + ")"
                                     : "self.schedule = torch.optim.lr_scheduler.OneCycleLR(\n"
                                       "    self.optimizer, LEARNING_RATE, total_steps=" +
                                           planned + ", cycle_momentum=False)");
  script.add(Place::BeforeOptimizer, "self.rate = self.optimizer.param_groups[0][\"lr\"]");
  if (script.stepsBeyondPlan())
    script.add(Place::AfterOptimizer, "if self.schedule.last_epoch < " + planned + (cosine ? "" : " - 1") +
                                          ":  # then the rate stays at its end\n    self.schedule.step()");
  else script.add(Place::AfterOptimizer, "self.schedule.step()");
}

}  // namespace

TechniqueUnit technique_schedule() {
  return {"schedule", 40, {wire::choiceOption("schedule", {"none", "cosine", "one-cycle", "plateau"})}, make, script};
}

}  // namespace atelier::engine
