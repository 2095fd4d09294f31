// schedule: the learning rate over the planned optimizer steps, warm-up steps included. Formulas of torch.optim.lr_scheduler:
// CosineAnnealingLR (T_max = planned steps), OneCycleLR (cosine, 30 % rising, ÷ 25 at first, ÷ 25 × 10⁴ at last, momentum
// left alone) with the spec's rate as the highest, ReduceLROnPlateau (× 0.1 after 10 evaluations without improvement of 10⁻⁴).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

}  // namespace

TechniqueUnit technique_schedule() {
  return {"schedule", 40, {wire::choiceOption("schedule", {"none", "cosine", "one-cycle", "plateau"})}, make};
}

}  // namespace atelier::engine
