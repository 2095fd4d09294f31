// Trainer: one variant of a run: its model, data order, techniques and memory account. step() is the hot path.
// Steps are micro-batches; a window of them (key accumulation) ends in one optimizer step.
// Several trainers can share a process; activate() makes one's process-wide settings current before its steps.
// Thread: the session's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accumulation_window.h"
#include "core/engine/data/loader.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/techniques/technique.h"
#include "core/wire/summary.h"
#include "plan.h"
#include "task_loss.h"

namespace atelier::engine {

struct StepFigures {
  std::int64_t samples = 0;
  wire::StageTimes stages;     // nanoseconds of the calling thread's wall clock; wall is the whole step
  std::optional<double> loss;  // on a CPU; on a GPU reading it would synchronise, see takeLoss()
};

struct Evaluation {
  double loss = 0, accuracy = 0;
  std::int64_t samples = 0;  // that were counted: sentences or images, or the tokens of a language model
};

class Trainer {
 public:
  // `say` is for what techniques tell; called on the thread that calls step().
  Trainer(Plan plan, TensorMemory& memory, Say say = {});
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  const Plan& plan() const { return m_plan; }
  const std::vector<wire::Message>& notices() const { return m_notices; }
  MemoryAccount& memory() { return m_account; }
  Module& model() { return *m_model; }

  void activate();
  StepFigures step();
  // Accuracy and mean loss over a split (the test split where there is no such one); nullopt when `keepGoing` said no.
  std::optional<Evaluation> evaluate(const std::function<bool()>& keepGoing, Split split);
  // Waits until the device has done all that was asked of it.
  void synchronize() const;
  // Mean loss of the steps since the last call; synchronises a GPU.
  std::optional<double> takeLoss();
  // All that the next step depends on, and the counts so far; between steps. Needs the same spec on both sides.
  void state(StateArchive& archive);
  void setLearningRate(double rate) { m_state.learning_rate = rate; }
  // Told of each batch that a worker (or the step itself: worker −1) made, with the steady clock's times in ns; from any
  // thread. For the profiler; set between steps.
  void onBatchMade(Loader::Made made) { m_loader->setMade(std::move(made)); }
  // How well the workers keep up, since the last look.
  LoaderGauge takeGauge() { return m_loader->gauge(); }

  double learningRate() const { return m_state.effective_rate; }
  std::int64_t steps() const { return m_steps; }
  std::int64_t optimizerSteps() const { return m_state.optimizer_step; }
  // Windows that ended without an optimizer step.
  std::int64_t skippedSteps() const { return m_skipped; }
  // Epochs that were gone through to their last batch.
  std::int64_t epochs() const { return m_epochs; }
  // Batches made ahead while other work goes on: this many steps have their data for nothing afterwards.
  std::int64_t batchesAhead() const { return m_plan.spec.integer("workers") * m_plan.spec.integer("prefetch"); }
  // An epoch's last batch was taken since the last evaluation.
  bool epochEnded() const { return m_epochEnded; }

 private:
  void build(TensorMemory& memory);
  Batch fetch();
  at::Tensor logits(const at::Tensor& input);  // the model's output, the techniques around it
  void makeLoader(TensorMemory& memory);
  void makeTechniques();
  at::Tensor forwardLoss(const Batch& batch);
  bool backward(const at::Tensor& loss, const Batch& batch);
  void optimize(const at::Tensor& loss, StepFigures& figures);
  void endWindow();
  std::optional<TaskScore> scoreOf(const std::function<bool()>& keepGoing, Split split);
  void stateOfModel(StateArchive& archive);
  void stateOfGenerators(StateArchive& archive);
  void stateOfLoader(StateArchive& archive);
  void countLoss(const at::Tensor& loss, StepFigures& figures);

  Plan m_plan;
  TensorMemory& m_memory;
  MemoryAccount& m_account;
  const Say m_say;
  std::vector<wire::Message> m_notices;
  std::shared_ptr<Module> m_model;
  std::vector<at::Tensor> m_parameters;
  std::vector<std::unique_ptr<Technique>> m_techniques;
  std::vector<std::string> m_techniqueIds;  // of each
  std::unique_ptr<Loader> m_loader;
  StepState m_state{m_parameters};
  AccumulationWindow m_window{1, 1};
  std::int64_t m_steps = 0, m_skipped = 0, m_lossCount = 0;
  double m_lossSum = 0;
  at::Tensor m_deviceLoss;
  std::int64_t m_epochs = 0;
  double m_labelSmoothing = 0;
  bool m_epochEnded = false, m_pinned = false;
};

}  // namespace atelier::engine
