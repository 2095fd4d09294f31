#include "trainer.h"

#include <algorithm>
#include <chrono>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/engine/profile/marks.h"
#include "task_loss.h"

namespace atelier::engine {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t nanoseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}

void applyProcessSettings(const Plan& plan) {
  if (at::get_num_threads() != plan.threads) at::set_num_threads(plan.threads);
  const bool deterministic = plan.spec.flag("deterministic");
  at::globalContext().setDeterministicAlgorithms(deterministic, false);
  at::globalContext().setBenchmarkCuDNN(!deterministic && !plan.device.is_cpu());
  // LibTorch lets convolutions use TF32 by default; here fp32 means fp32, in forward and in backward.
  const bool tf32 = plan.spec.text("precision") == "tf32";
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
}

// Runs a function when a scope ends, however it ends.
template <class F>
class AtExit {
 public:
  explicit AtExit(F function) : m_function(std::move(function)) {}
  ~AtExit() { m_function(); }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;

 private:
  F m_function;
};

}  // namespace

Trainer::Trainer(Plan plan, TensorMemory& memory, Say say)
    : m_plan(std::move(plan)),
      m_memory(memory),
      m_account(memory.newAccount(m_plan.device.is_cpu() ? m_plan.budget_bytes : 0)),
      m_say(std::move(say)) {
  m_notices = m_plan.notices;
  build(memory);
}

void Trainer::build(TensorMemory& memory) {
  activate();
  const auto& spec = m_plan.spec;
  const PhaseScope phase(MemoryPhase::Weights);
  at::manual_seed(static_cast<std::uint64_t>(spec.integer("seed")));
  m_model = m_plan.model->build({m_plan.data->shape, spec, m_plan.folder});
  m_model->bind();
  m_model->train(m_plan.training);
  if (!m_plan.device.is_cpu()) m_model->to(m_plan.device);
  makeTechniques();
  m_parameters = trainableParameters(*m_model);
  m_labelSmoothing = spec.number("label_smoothing");
  m_pinned = spec.flag("pinned");
  m_state.model = m_model.get();
  m_state.learning_rate = m_state.effective_rate = spec.number("learning_rate");
  m_state.planned_optimizer_steps = m_plan.warmup + m_plan.steps;
  makeLoader(memory);
}

void Trainer::makeTechniques() {
  const TechniqueContext context{m_plan.spec, m_plan.device, m_notices, m_say};
  std::vector<const TechniqueUnit*> ordered;
  for (const auto& unit : allTechniques()) ordered.push_back(&unit);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
  for (const auto* unit : ordered)
    if (auto technique = unit->make(context)) m_techniques.push_back(std::move(technique));
  for (const auto& technique : m_techniques) technique->prepareModel(*m_model);
}

void Trainer::makeLoader(TensorMemory& memory) {
  const auto& spec = m_plan.spec;
  LoaderOptions options{.batch = m_plan.batch,
                        .workers = spec.integer("workers"),
                        .prefetch = spec.integer("prefetch"),
                        .drop_last = spec.flag("drop_last"),
                        .shuffle = true,
                        .seed = static_cast<std::uint64_t>(spec.integer("seed")),
                        .on_worker_start = {}};
  options.on_worker_start = [&memory, &account = m_account] { memory.use(account); };
  const auto data = m_plan.data;
  m_loader = std::make_unique<Loader>(
      data->count(Split::Train),
      [this, data](const std::int64_t* indices, std::int64_t count) {
        for (const auto& technique : m_techniques) technique->whileLoading(count);
        return data->batch(Split::Train, indices, count);
      },
      options);
}

void Trainer::activate() {
  m_memory.use(m_account);
  applyProcessSettings(m_plan);
}

at::Tensor Trainer::forwardLoss(const Batch& batch) {
  const StageMark mark("forward");
  const auto output = logits(batch.input);
  for (const auto& technique : m_techniques) technique->afterForward(output, m_state);
  return taskLoss(m_plan.model->task, output, batch, m_plan.data->shape.pad, m_labelSmoothing);
}

void Trainer::optimize(const at::Tensor& loss, StepFigures& figures) {
  const StageMark mark("optimizer");
  TensorMemory::enter(MemoryPhase::Optimizer);
  m_state.effective_rate = m_state.learning_rate;
  m_state.skip = false;
  for (const auto& technique : m_techniques) technique->afterBackward(m_state);
  for (const auto& technique : m_techniques) technique->beforeOptimizer(m_state);
  if (!m_state.skip) {
    for (const auto& technique : m_techniques) technique->optimizerStep(m_state);
    ++m_state.optimizer_step;
  }
  countLoss(loss, figures);
}

Batch Trainer::fetch() {
  const StageMark mark("data");
  TensorMemory::enter(MemoryPhase::Other);
  auto batch = m_loader->next();
  if (m_loader->epochEnded()) {
    m_epochEnded = true;
    ++m_epochs;
  }
  if (!m_plan.device.is_cpu()) {
    if (m_pinned) batch = {batch.input.pin_memory(), batch.target.pin_memory()};
    batch = {batch.input.to(m_plan.device, true), batch.target.to(m_plan.device, true)};
  }
  for (const auto& technique : m_techniques) technique->prepareBatch(batch);
  return batch;
}

at::Tensor Trainer::logits(const at::Tensor& input) {
  TensorMemory::enter(MemoryPhase::Activations);
  std::size_t entered = 0;
  // Also when forward throws: autocast must not stay on in this thread.
  const AtExit leave([&] {
    while (entered > 0) m_techniques[--entered]->leaveForward();
  });
  for (; entered < m_techniques.size(); ++entered) m_techniques[entered]->enterForward(m_model->is_training());
  return (*m_model)(input);
}

void Trainer::backward(const at::Tensor& loss) {
  const StageMark mark("backward");
  TensorMemory::enter(MemoryPhase::Gradients);
  for (auto& parameter : m_parameters) parameter.mutable_grad().reset();
  torch::autograd::backward({loss}, {});
}

void Trainer::countLoss(const at::Tensor& loss, StepFigures& figures) {
  ++m_lossCount;
  if (m_plan.device.is_cpu()) {
    // Not item(): that would be an operator of ours in every profile.
    figures.loss = static_cast<double>(*loss.const_data_ptr<float>());
    m_lossSum += *figures.loss;
    return;
  }
  const auto value = loss.detach();
  m_deviceLoss = m_deviceLoss.defined() ? m_deviceLoss.add(value) : value.clone();
}

StepFigures Trainer::step() {
  StepFigures figures;
  const auto begin = Clock::now();
  m_state.step = m_steps;
  for (const auto& technique : m_techniques) technique->beforeStep(m_state);
  const auto batch = fetch();
  figures.samples = batch.input.size(0);
  const auto fetched = Clock::now();
  auto forwarded = fetched, backwarded = fetched;
  if (m_plan.training) {
    const auto loss = forwardLoss(batch);
    forwarded = Clock::now();
    backward(loss);
    backwarded = Clock::now();
    optimize(loss, figures);
  } else {
    const at::NoGradGuard noGrad;
    const StageMark mark("forward");
    const auto output = logits(batch.input);
    for (const auto& technique : m_techniques) technique->afterForward(output, m_state);
    forwarded = backwarded = Clock::now();
  }
  for (const auto& technique : m_techniques) technique->afterStep(m_state);
  TensorMemory::enter(MemoryPhase::Other);
  ++m_steps;
  const auto end = Clock::now();
  auto& s = figures.stages;
  s.data = nanoseconds(begin, fetched);
  s.forward = nanoseconds(fetched, forwarded);
  s.backward = nanoseconds(forwarded, backwarded);
  s.optimizer = nanoseconds(backwarded, end);
  s.wall = nanoseconds(begin, end);
  s.other = s.wall - s.data - s.forward - s.backward - s.optimizer;
  return figures;
}

std::optional<Evaluation> Trainer::evaluate(const std::function<bool()>& keepGoing, Split split) {
  const at::NoGradGuard noGrad;
  m_account.freezePeak(true);
  m_model->eval();
  const AtExit back([&] {
    m_model->train(m_plan.training);
    m_account.freezePeak(false);
    TensorMemory::enter(MemoryPhase::Other);
  });
  if (m_plan.data->count(split) == 0) split = Split::Test;
  const auto all = m_plan.data->count(split), pad = m_plan.data->shape.pad;
  // About a training batch: what fits the memory budget in training must fit it here.
  const auto most = std::clamp<std::int64_t>(m_plan.batch, 32, 250);
  TaskScore sum;
  bool complete = true;
  for (std::int64_t first = 0; first < all && (complete = keepGoing()); first += most) {
    std::vector<std::int64_t> indices;
    for (auto i = first; i < std::min(all, first + most); ++i) indices.push_back(i);
    auto batch = m_plan.data->batch(split, indices.data(), static_cast<std::int64_t>(indices.size()));
    if (!m_plan.device.is_cpu()) batch = {batch.input.to(m_plan.device), batch.target.to(m_plan.device)};
    for (const auto& technique : m_techniques) technique->prepareBatch(batch);
    const auto score = taskScore(m_plan.model->task, logits(batch.input), batch, pad);
    sum.loss_sum += score.loss_sum;
    sum.correct += score.correct;
    sum.count += score.count;
  }
  m_epochEnded = false;
  if (!complete) return std::nullopt;
  const auto count = static_cast<double>(sum.count);
  const Evaluation result{sum.loss_sum / count, static_cast<double>(sum.correct) / count, sum.count};
  for (const auto& technique : m_techniques) technique->afterEvaluation(result.loss);
  return result;
}

void Trainer::synchronize() const {
  if (m_plan.device.is_cpu()) return;
  c10::impl::VirtualGuardImpl(m_plan.device.type()).synchronizeDevice(m_plan.device.index());
}

std::optional<double> Trainer::takeLoss() {
  if (m_lossCount == 0) return std::nullopt;
  double sum = m_lossSum;
  if (m_deviceLoss.defined()) sum = m_deviceLoss.item<double>();
  const double mean = sum / static_cast<double>(m_lossCount);
  m_deviceLoss = at::Tensor();
  m_lossSum = 0;
  m_lossCount = 0;
  return mean;
}

}  // namespace atelier::engine
