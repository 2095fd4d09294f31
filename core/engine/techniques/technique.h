// A technique changes how a training step is done. One file in this folder defines `TechniqueUnit technique_<id>()`: its
// RunSpec keys, its place in the one declared order of hooks, and how to make it from a spec. Hooks run in rising `order`
// (leaveForward in falling order). Texts: the catalog's "option.<key>.label" and ".help".
// Thread: the session's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/engine/data/dataset.h"
#include "core/engine/module/module.h"
#include "core/wire/run_spec.h"

namespace atelier::engine {

class ScriptBuilder;

// What hooks of one step share.
struct StepState {
  std::vector<at::Tensor>& parameters;
  double learning_rate = 0;  // the spec's, as changed by hand; a schedule writes `effective_rate`
  double effective_rate = 0;
  std::int64_t optimizer_step = 0;  // optimizer steps done before this one
  std::int64_t planned_optimizer_steps = 0;
  bool skip = false;  // set by afterBackward: the optimizer leaves this step out
};

class Technique {
 public:
  virtual ~Technique() = default;
  virtual void prepareModel(Module&) {}  // once, before the first step
  virtual void prepareBatch(Batch&) {}   // each batch, on its device
  virtual void enterForward(bool /*training*/) {}
  virtual void leaveForward() {}
  virtual void afterBackward(StepState&) {}    // clipping, unscaling
  virtual void beforeOptimizer(StepState&) {}  // schedules
  virtual void optimizerStep(StepState&) {}
  virtual void afterEvaluation(double /*loss*/) {}  // plateau schedules
};

// What a technique may need to know when it is made, and where it says what can't be had.
struct TechniqueContext {
  const wire::RunSpec& spec;
  at::Device device;
  std::vector<wire::Message>& notices;
};

struct TechniqueUnit {
  std::string id;
  int order = 0;
  std::vector<wire::Option> options;
  // nullptr when the spec does not ask for it.
  std::unique_ptr<Technique> (*make)(const TechniqueContext&);
  // The same in Python: lines at the places of a script that its hooks stand for.
  void (*script)(ScriptBuilder&) = nullptr;
};

const std::vector<TechniqueUnit>& allTechniques();

}  // namespace atelier::engine
