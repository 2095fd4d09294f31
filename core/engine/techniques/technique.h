// A technique changes how a training step is done. One file in this folder defines `TechniqueUnit technique_<id>()`: its
// RunSpec keys, its place in the one declared order of hooks, and how to make it from a spec. Hooks run in rising `order`
// (leaveForward in falling order). Texts: the catalog's "option.<key>.label" and ".help".
// Thread: the session's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/data/dataset.h"
#include "core/engine/module/module.h"
#include "core/wire/run_event.h"
#include "core/wire/run_spec.h"

namespace atelier::engine {

class ScriptBuilder;
class StateArchive;
struct Plan;

// What hooks of one step share. A step is one micro-batch; `accumulation` of them make a window, which ends in one optimizer
// step. Gradients are zeroed at a window's begin and complete (weighted, not yet unscaled) at its end.
struct StepState {
  std::vector<at::Tensor>& parameters;
  Module* model = nullptr;
  std::int64_t step = 0;  // steps done before this one, warm-up included
  double learning_rate = 0;  // the spec's, as changed by hand; a schedule writes `effective_rate`
  double effective_rate = 0;
  std::int64_t optimizer_step = 0;  // optimizer steps done before this one
  std::int64_t planned_optimizer_steps = 0;
  bool skip = false;  // set by afterBackward: the optimizer leaves this step out
  bool window_begin = true, window_end = true;  // this micro-batch is the first, the last of its window
  double loss = 0;          // of this micro-batch (CPU) or the last one that was read
  double loss_scale = 1;    // that gradients carry until a technique of afterBackward has divided it out
};

class Technique {
 public:
  virtual ~Technique() = default;
  virtual void prepareModel(Module&) {}  // once, before the first step
  virtual void beforeStep(StepState&) {}
  // A batch of `samples` is being made; called from the loader's worker threads at once.
  virtual void whileLoading(std::int64_t /*samples*/) {}
  virtual void prepareBatch(Batch&) {}   // each batch, on its device
  virtual void enterForward(bool /*training*/) {}
  virtual void leaveForward() {}
  virtual void afterForward(const at::Tensor& /*output*/, StepState&) {}  // the model's output, in a step
  virtual at::Tensor scaleLoss(const at::Tensor& loss, StepState&) { return loss; }  // what backward starts from
  // Once a window, when its gradients are complete:
  virtual void afterBackward(StepState&) {}    // unscaling (order 20), clipping (30)
  virtual void beforeOptimizer(StepState&) {}  // schedules
  virtual void optimizerStep(StepState&) {}    // not when `skip`
  virtual void afterOptimizer(StepState&) {}   // also when `skip`: scalers, averages
  virtual void afterStep(StepState&) {}        // each micro-batch
  virtual void beforeEvaluation(Module&) {}    // averaged weights go in …
  virtual void leaveEvaluation(Module&) {}     // … and out again, also when it was interrupted
  virtual void afterEvaluation(double /*loss*/) {}  // plateau schedules
  // All that it must keep to go on exactly (state_archive.h); names need be unique within the technique only.
  virtual void state(StateArchive&) {}
};

// Says something while the run goes; from the session's thread.
using Say = std::function<void(wire::EventBody)>;

// What a technique may need to know when it is made, and where it says what can't be had.
struct TechniqueContext {
  const wire::RunSpec& spec;
  at::Device device;
  std::vector<wire::Message>& notices;
  const Say& say;  // outlives the technique
};

struct TechniqueUnit {
  std::string id;
  int order = 0;
  std::vector<wire::Option> options;
  // nullptr when the spec does not ask for it.
  std::unique_ptr<Technique> (*make)(const TechniqueContext&);
  // The same in Python: lines at the places of a script that its hooks stand for.
  void (*script)(ScriptBuilder&) = nullptr;
  // What must be changed of a plan before anything is made from it.
  void (*plan)(Plan&) = nullptr;
  // Mistakes of its own keys that the schema can't see.
  wire::Status (*validate)(const wire::RunSpec&) = nullptr;
};

const std::vector<TechniqueUnit>& allTechniques();

}  // namespace atelier::engine
