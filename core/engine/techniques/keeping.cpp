// keeping: the keys by which a run's state is kept: in files (checkpoint_every, save) and in memory, to go back to when a step
// does harm (rollback, spike_factor). The session does both between steps (session/keeping.cpp); here are the keys and their
// Python.
#include "core/engine/script/builder.h"
#include "core/engine/session/plan.h"
#include "technique.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kMany = 1'000'000'000;

constexpr std::string_view kSave = R"py(
def save(trainer: Any) -> None:
    """Keeps what training goes on from; torch.load(CHECKPOINT, weights_only=True) reads it."""
    state = {
        "model": trainer.model.state_dict(),
        "optimizer": trainer.optimizer.state_dict(),
        @savedSchedules@
        "steps": trainer.steps,
        "random": torch.get_rng_state(),
    }
    torch.save(state, CHECKPOINT + ".part")
    os.replace(CHECKPOINT + ".part", CHECKPOINT)  # there is never half a file
)py";

std::vector<wire::Option> options() {
  std::vector<wire::Option> all{wire::integerOption("checkpoint_every", 0, 0, kMany), wire::booleanOption("save", false),
                                wire::integerOption("rollback", 0, 0, kMany), wire::numberOption("spike_factor", 0, 0, 1e9)};
  all[0].common = all[1].common = true;
  return all;
}

void scriptSaving(ScriptBuilder& script, std::int64_t every, bool atEnd) {
  script.require("import os");
  script.constant("CHECKPOINT", "\"checkpoint.pt\"");
  if (script.has(Place::Schedule))
    script.fill("savedSchedules",
                "\"schedules\": [part.state_dict() for part in vars(trainer).values()\n"
                "              if isinstance(part, torch.optim.lr_scheduler.LRScheduler)],");
  script.define(kSave);
  if (every > 0) {
    script.constant("CHECKPOINT_EVERY", std::to_string(every), "steps; saving is part of the time here");
    script.fill("oneStep", "if @runner@.steps > 0 and @runner@.steps % CHECKPOINT_EVERY == 0:\n    save(@runner@)");
  }
  if (atEnd) script.fill("profiling", "save(@runner@)");
}

void script(ScriptBuilder& script) {
  if (!script.training()) return;
  const auto every = script.integer("checkpoint_every"), rollback = script.integer("rollback");
  const bool atEnd = script.flag("save");
  const double factor = script.number("spike_factor");
  if (every > 0 || atEnd) scriptSaving(script, every, atEnd);
  if (rollback > 0)
    script.remark("rollback: the native engine goes back to the last sound state when a loss or a gradient\nis not finite" +
                  std::string(factor > 0 ? ", or a loss is a spike" : "") + "; this script goes on.");
}

void plan(Plan& plan) {
  const auto& spec = plan.spec;
  if (plan.training || (spec.integer("checkpoint_every") == 0 && !spec.flag("save") && spec.integer("rollback") == 0)) return;
  plan.notices.push_back({"keeping.nothing_learnt"});
}

}  // namespace

TechniqueUnit technique_keeping() {
  return {"keeping", 90,  options(), [](const TechniqueContext&) -> std::unique_ptr<Technique> { return nullptr; },
          script,    plan};
}

}  // namespace atelier::engine
