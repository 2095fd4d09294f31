#include "trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/engine/data/augment.h"
#include "core/engine/data/device_copy.h"
#include "core/engine/profile/marks.h"
#include "core/wire/number.h"

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
  at::globalContext().setBenchmarkCuDNN(!deterministic && plan.spec.flag("cudnn_benchmark"));
  // LibTorch lets convolutions use TF32 by default; here fp32 means fp32, in forward and in backward.
  const bool tf32 = plan.spec.text("precision") == "tf32";
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
}

wire::Message slowSample(const Dataset& data, const SlowSample& sample) {
  const auto name = data.sampleName(Split::Train, sample.index);
  const auto seconds = wire::numberText(std::round(static_cast<double>(sample.nanoseconds) * 1e-8) / 10);
  if (name.empty()) return {"data.slow_sample", {{"sample", std::to_string(sample.index)}, {"seconds", seconds}}};
  return {"data.slow_file", {{"sample", std::to_string(sample.index)}, {"file", name}, {"seconds", seconds}}};
}

// What a whole window counts where no micro-batch is short: samples, or tokens that a next one is foretold for.
std::int64_t expectedIn(const Plan& plan, std::int64_t accumulation) {
  const auto each = plan.model->task == Task::NextToken ? std::max<std::int64_t>(1, plan.data->shape.length - 1) : 1;
  return accumulation * plan.batch * each;
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
  const auto accumulation = m_plan.training ? spec.integer("accumulation") : 1;
  m_state.planned_optimizer_steps = (m_plan.warmup + m_plan.steps + accumulation - 1) / accumulation;
  m_window = AccumulationWindow(accumulation, expectedIn(m_plan, accumulation));
  makeLoader(memory);
}

void Trainer::makeTechniques() {
  const TechniqueContext context{m_plan.spec, m_plan.device, m_notices, m_say};
  std::vector<const TechniqueUnit*> ordered;
  for (const auto& unit : allTechniques()) ordered.push_back(&unit);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
  for (const auto* unit : ordered)
    if (auto technique = unit->make(context)) {
      m_techniques.push_back(std::move(technique));
      m_techniqueIds.push_back(unit->id);
    }
  for (const auto& technique : m_techniques) technique->prepareModel(*m_model);
}

void Trainer::makeLoader(TensorMemory& memory) {
  const auto& spec = m_plan.spec;
  const auto data = m_plan.data;
  LoaderOptions options{.batch = m_plan.batch,
                        .workers = spec.integer("workers"),
                        .prefetch = spec.integer("prefetch"),
                        .drop_last = spec.flag("drop_last"),
                        .shuffle = true,
                        .seed = static_cast<std::uint64_t>(spec.integer("seed"))};
  options.on_worker_start = [&memory, &account = m_account] { memory.use(account); };
  if (spec.flag("bucket"))
    for (std::int64_t i = 0; data->shape.kind == InputKind::Tokens && i < data->count(Split::Train); ++i)
      options.lengths.push_back(data->sampleLength(Split::Train, i));
  options.on_slow = [this, data](const SlowSample& sample) {
    if (m_say) m_say(wire::Noticed{slowSample(*data, sample), "warning"});
  };
  const bool pins = m_pinned && !m_plan.device.is_cpu();
  if (!m_plan.device.is_cpu())
    options.deliver = [copy = std::make_shared<DeviceCopy>(m_plan.device)](const Batch& batch) { return copy->toDevice(batch); };
  const auto augmentation = m_plan.training ? augmentationOf(spec) : Augmentation{};
  m_loader = std::make_unique<Loader>(
      data->count(Split::Train),
      [this, data, augmentation, pins](const Loader::Request& request) {
        for (const auto& technique : m_techniques) technique->whileLoading(request.count);
        const auto batch = data->batch({Split::Train, request.indices, request.count, request.epoch,
                                        augmentation.any() ? &augmentation : nullptr, &request.watch});
        return pins ? DeviceCopy::pin(batch) : batch;
      },
      std::move(options));
}

void Trainer::activate() {
  m_memory.use(m_account);
  applyProcessSettings(m_plan);
}

at::Tensor Trainer::forwardLoss(const Batch& batch) {
  const StageMark mark("forward");
  if (m_state.window_begin)  // set to none before the activations need room
    for (auto& parameter : m_parameters) parameter.mutable_grad().reset();
  const auto output = logits(batch.input);
  for (const auto& technique : m_techniques) technique->afterForward(output, m_state);
  return taskLoss(m_plan.model->task, output, batch, m_plan.data->shape.pad, m_labelSmoothing);
}

void Trainer::optimize(const at::Tensor& loss, StepFigures& figures) {
  const StageMark mark("optimizer");
  TensorMemory::enter(MemoryPhase::Optimizer);
  if (m_state.window_end) endWindow();
  if (loss.defined()) countLoss(loss, figures);
}

void Trainer::endWindow() {
  m_state.effective_rate = m_state.learning_rate;
  m_state.skip = !m_window.single() && m_window.empty();
  if (const double correction = m_window.correction(); correction != 1) {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : m_parameters)
      if (parameter.grad().defined()) gradients.push_back(parameter.grad());
    at::_foreach_mul_(gradients, correction);
  }
  m_window.close();
  for (const auto& technique : m_techniques) technique->afterBackward(m_state);
  for (const auto& technique : m_techniques) technique->beforeOptimizer(m_state);
  if (!m_state.skip)
    for (const auto& technique : m_techniques) technique->optimizerStep(m_state);
  for (const auto& technique : m_techniques) technique->afterOptimizer(m_state);
  ++(m_state.skip ? m_skipped : m_state.optimizer_step);
}

Batch Trainer::fetch() {
  const StageMark mark("data");
  TensorMemory::enter(MemoryPhase::Other);
  auto batch = m_loader->next();
  if (m_loader->epochEnded()) {
    m_epochEnded = true;
    ++m_epochs;
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

// False: nothing in the batch is counted, and its loss, a mean over nothing, is no number.
bool Trainer::backward(const at::Tensor& loss, const Batch& batch) {
  const StageMark mark("backward");
  TensorMemory::enter(MemoryPhase::Gradients);
  const auto counted = m_window.single() ? 1 : countedIn(m_plan.model->task, batch, m_plan.data->shape.pad);
  const auto weight = m_window.take(counted);
  if (counted == 0) return false;
  // Not item(): that would be an operator of ours in every profile.
  if (m_plan.device.is_cpu()) m_state.loss = static_cast<double>(*loss.const_data_ptr<float>());
  m_state.loss_scale = 1;
  auto start = m_window.single() ? loss : loss.mul(weight);
  for (const auto& technique : m_techniques) start = technique->scaleLoss(start, m_state);
  torch::autograd::backward({start}, {});
  return true;
}

void Trainer::countLoss(const at::Tensor& loss, StepFigures& figures) {
  ++m_lossCount;
  if (m_plan.device.is_cpu()) {
    figures.loss = m_state.loss;
    m_lossSum += m_state.loss;
    return;
  }
  const auto value = loss.detach();
  m_deviceLoss = m_deviceLoss.defined() ? m_deviceLoss.add(value) : value.clone();
}

StepFigures Trainer::step() {
  StepFigures figures;
  const auto begin = Clock::now();
  m_state.step = m_steps;
  m_state.window_begin = m_window.atBegin();
  // The plan's last step ends its window: what was learnt is used.
  m_state.window_end = m_window.endsWithNext() || m_steps + 1 == m_plan.warmup + m_plan.steps;
  for (const auto& technique : m_techniques) technique->beforeStep(m_state);
  const auto batch = fetch();
  figures.samples = batch.input.size(0);
  const auto fetched = Clock::now();
  auto forwarded = fetched, backwarded = fetched;
  if (m_plan.training) {
    const auto loss = forwardLoss(batch);
    forwarded = Clock::now();
    const bool counts = backward(loss, batch);
    backwarded = Clock::now();
    optimize(counts ? loss : at::Tensor(), figures);
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

std::optional<TaskScore> Trainer::scoreOf(const std::function<bool()>& keepGoing, Split split) {
  const at::NoGradGuard noGrad;
  m_account.freezePeak(true);
  m_model->eval();
  std::size_t entered = 0;
  const AtExit back([&] {
    while (entered > 0) m_techniques[--entered]->leaveEvaluation(*m_model);
    m_model->train(m_plan.training);
    m_account.freezePeak(false);
    TensorMemory::enter(MemoryPhase::Other);
  });
  // Also one whose entering throws leaves: it may have come half way.
  while (entered < m_techniques.size()) m_techniques[entered++]->beforeEvaluation(*m_model);
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
  return complete ? std::optional(sum) : std::nullopt;
}

std::optional<Evaluation> Trainer::evaluate(const std::function<bool()>& keepGoing, Split split) {
  const auto sum = scoreOf(keepGoing, split);
  m_epochEnded = false;
  if (!sum) return std::nullopt;
  const auto count = static_cast<double>(sum->count);
  const Evaluation result{sum->loss_sum / count, static_cast<double>(sum->correct) / count, sum->count};
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
  if (m_deviceLoss.defined()) m_state.loss = mean;
  m_deviceLoss = at::Tensor();
  m_lossSum = 0;
  m_lossCount = 0;
  return mean;
}

}  // namespace atelier::engine
