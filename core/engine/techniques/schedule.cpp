// schedule: the learning rate over the planned optimizer steps, those of the measurement's warm-up included. Formulas of
// torch.optim.lr_scheduler: CosineAnnealingLR (T_max = planned steps), OneCycleLR (cosine, 30 % rising, ÷ 25 at first,
// ÷ 25 × 10⁴ at last, momentum left alone) with the spec's rate as the highest, ReduceLROnPlateau (× plateau_factor after more
// than plateau_patience evaluations without improvement of 10⁻⁴).
// warmup_steps: before that the rate rises in a straight line, step ÷ warmup_steps of it: 0 in the first optimizer step. What
// follows has the steps that are left.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/engine/script/builder.h"
#include "core/engine/session/state_archive.h"
#include "technique.h"

namespace atelier::engine {
namespace {

double cosine(double from, double to, double share) {
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * share));
}

class Schedule : public Technique {
 public:
  explicit Schedule(std::int64_t rising) : m_rising(rising) {}

  void beforeOptimizer(StepState& s) final {
    m_done = s.optimizer_step + (s.skip ? 0 : 1);
    s.effective_rate =
        s.optimizer_step < m_rising
            ? s.learning_rate * (static_cast<double>(s.optimizer_step) / static_cast<double>(m_rising))
            : rate(s.learning_rate, static_cast<double>(s.optimizer_step - m_rising),
                   static_cast<double>(std::max<std::int64_t>(1, s.planned_optimizer_steps - m_rising)));
  }
  void state(StateArchive& archive) override { archive.integer("done", m_done); }

 protected:
  bool risen() const { return m_done >= m_rising; }
  // After the rise: at the step `at` of `planned`.
  virtual double rate(double highest, double at, double planned) const = 0;

 private:
  std::int64_t m_rising, m_done = 0;
};

class Constant final : public Schedule {
 public:
  using Schedule::Schedule;

 private:
  double rate(double highest, double /*at*/, double /*planned*/) const override { return highest; }
};

class Cosine final : public Schedule {
 public:
  using Schedule::Schedule;

 private:
  // Steps beyond the plan stay at its end: the cosine must not rise again.
  double rate(double highest, double at, double planned) const override {
    return cosine(highest, 0, std::min(1.0, at / planned));
  }
};

class OneCycle final : public Schedule {
 public:
  OneCycle() : Schedule(0) {}

 private:
  double rate(double highest, double at, double planned) const override {
    const double first = highest / 25, last = first / 1e4;
    const double top = 0.3 * planned - 1, end = planned - 1;
    return at <= top ? cosine(first, highest, top > 0 ? at / top : 1)
                     : cosine(highest, last, end > top ? std::min(1.0, (at - top) / (end - top)) : 1);
  }
};

class Plateau final : public Schedule {
 public:
  Plateau(std::int64_t rising, std::int64_t patience, double factor)
      : Schedule(rising), m_patience(patience), m_step(factor) {}

  // While the rate rises, evaluations say nothing about it.
  void afterEvaluation(double loss) override {
    if (!risen()) return;
    if (loss < m_best * (1 - 1e-4)) {
      m_best = loss;
      m_bad = 0;
    } else if (++m_bad > m_patience) {
      m_factor *= m_step;
      m_bad = 0;
    }
  }
  void state(StateArchive& archive) override {
    Schedule::state(archive);
    archive.number("best", m_best);
    archive.number("factor", m_factor);
    archive.integer("bad", m_bad);
  }

 private:
  double rate(double highest, double /*at*/, double /*planned*/) const override { return highest * m_factor; }

  const std::int64_t m_patience;
  const double m_step;
  double m_best = std::numeric_limits<double>::infinity(), m_factor = 1;
  std::int64_t m_bad = 0;
};

std::unique_ptr<Technique> make(const TechniqueContext& context) {
  const auto& spec = context.spec;
  const auto& schedule = spec.text("schedule");
  const auto rising = spec.integer("warmup_steps");
  if (schedule == "cosine") return std::make_unique<Cosine>(rising);
  if (schedule == "one-cycle") return std::make_unique<OneCycle>();
  if (schedule == "plateau")
    return std::make_unique<Plateau>(rising, spec.integer("plateau_patience"), spec.number("plateau_factor"));
  return rising > 0 ? std::make_unique<Constant>(rising) : nullptr;
}

wire::Status validateRise(const wire::RunSpec& spec) {
  if (spec.text("schedule") != "one-cycle" || spec.integer("warmup_steps") == 0) return wire::success();
  return wire::Error{wire::ExitCode::Usage, wire::Message{"schedule.one_cycle_rises"}};
}

constexpr std::string_view kRateShare = R"py(
def rate_share(step: int) -> float:
    """Of the learning rate, at an optimizer step: up in a line, down along a cosine."""
    if step < WARMUP_STEPS:
        return step / WARMUP_STEPS
    progress = (step - WARMUP_STEPS) / max(1, @plannedSteps@ - WARMUP_STEPS)
    return (1 + math.cos(math.pi * min(1.0, progress))) / 2
)py";

// The two look after one rate: the line until it has risen, the plateau from then on.
void scriptPlateau(ScriptBuilder& script, bool rises) {
  std::string more;
  if (const double factor = script.number("plateau_factor"); factor != 0.1) more += ", factor=" + pythonNumber(factor);
  if (const auto patience = script.integer("plateau_patience"); patience != 10)
    more += ", patience=" + std::to_string(patience);
  if (rises)
    script.add(Place::Schedule,
               "self.rise = torch.optim.lr_scheduler.LambdaLR(\n"
               "    self.optimizer, lambda step: min(1.0, step / WARMUP_STEPS))");
  script.add(Place::Schedule, more.empty() ? "self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer)"
                                           : "self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(\n"
                                             "    self.optimizer" +
                                                 more + ")");
  if (rises)
    script.add(Place::AfterOptimizer, "if self.rise.last_epoch < WARMUP_STEPS:\n    self.rise.step()");
  script.add(Place::AfterEvaluation, rises ? "if self.rise.last_epoch >= WARMUP_STEPS:\n    self.schedule.step(loss)"
                                           : "self.schedule.step(loss)");
}

void scriptRise(ScriptBuilder& script, bool cosine) {
  if (cosine) {
    script.word("plannedSteps", script.plannedSteps());
    script.define(kRateShare);
  }
  script.add(Place::Schedule, cosine ? "self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, rate_share)"
                                     : "self.schedule = torch.optim.lr_scheduler.LambdaLR(\n"
                                       "    self.optimizer, lambda step: min(1.0, step / WARMUP_STEPS))");
  script.add(Place::AfterOptimizer, "self.schedule.step()");
}

void scriptPlanned(ScriptBuilder& script, bool cosine) {
  const auto planned = script.plannedSteps();
  script.add(Place::Schedule, cosine ? "self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(\n"
                                       "    self.optimizer, T_max=" +
                                           planned + ")"
                                     : "self.schedule = torch.optim.lr_scheduler.OneCycleLR(\n"
                                       "    self.optimizer, LEARNING_RATE, total_steps=" +
                                           planned + ", cycle_momentum=False)");
  if (script.stepsBeyondPlan())
    script.add(Place::AfterOptimizer, "if self.schedule.last_epoch < " + planned + (cosine ? "" : " - 1") +
                                          ":  # then the rate stays at its end\n    self.schedule.step()");
  else script.add(Place::AfterOptimizer, "self.schedule.step()");
}

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const auto& schedule = script.text("schedule");
  const bool cosine = schedule == "cosine", oneCycle = schedule == "one-cycle";
  const auto rising = oneCycle ? 0 : script.integer("warmup_steps");
  const bool plateau = schedule == "plateau" && script.evaluates();
  if (schedule == "plateau" && !plateau)
    script.remark("schedule: plateau looks at evaluations, and this run has none; the learning rate stays.");
  if (!cosine && !oneCycle && !plateau && rising == 0) return;
  if (rising > 0)
    script.constant("WARMUP_STEPS", std::to_string(rising), "optimizer steps in which the learning rate rises from 0");
  if (plateau) scriptPlateau(script, rising > 0);
  else if (rising > 0) scriptRise(script, cosine);
  else scriptPlanned(script, cosine);
  script.add(Place::BeforeOptimizer, "self.rate = self.optimizer.param_groups[0][\"lr\"]");
}

}  // namespace

TechniqueUnit technique_schedule() {
  return {"schedule",
          40,
          {wire::choiceOption("schedule", {"none", "cosine", "one-cycle", "plateau"}),
           wire::integerOption("warmup_steps", 0, 0, 1'000'000'000), wire::integerOption("plateau_patience", 10, 0, 1'000'000),
           wire::numberOption("plateau_factor", 0.1, 0, 0.9999)},
          make,
          script,
          nullptr,
          validateRise};
}

}  // namespace atelier::engine
