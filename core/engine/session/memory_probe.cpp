#include "memory_probe.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <ATen/record_function.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include "core/engine/data/data_error.h"
#include "core/engine/techniques/training_error.h"
#include "good_state.h"
#include "trainer.h"

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;
using wire::MemoryBytes;

constexpr std::int64_t kMostSkipped = 32;  // a loss scale of 65,536 is at its floor long before

// The data set with every training batch made of its longest samples.
class LongestSamples final : public Dataset {
 public:
  LongestSamples(std::shared_ptr<const Dataset> data, std::vector<std::int64_t> longestFirst)
      : m_data(std::move(data)), m_longest(std::move(longestFirst)) {
    id = m_data->id;
    shape = m_data->shape;
  }
  std::int64_t count(Split split) const override { return m_data->count(split); }
  std::string sampleName(Split split, std::int64_t index) const override { return m_data->sampleName(split, index); }
  std::int64_t sampleLength(Split split, std::int64_t index) const override { return m_data->sampleLength(split, index); }

 private:
  Batch makeBatch(const BatchRequest& request) const override {
    auto longest = request;
    if (request.split == Split::Train) {
      TORCH_CHECK_INDEX(request.count <= static_cast<std::int64_t>(m_longest.size()), "a batch is larger than its data set");
      longest.indices = m_longest.data();
    }
    return m_data->batch(longest);
  }

  std::shared_ptr<const Dataset> m_data;
  std::vector<std::int64_t> m_longest;
};

void takeLongest(Plan& plan) {
  const auto& data = plan.data;
  std::vector<std::int64_t> order(static_cast<std::size_t>(data->count(Split::Train))), lengths;
  std::iota(order.begin(), order.end(), 0);
  for (const auto index : order) lengths.push_back(data->sampleLength(Split::Train, index));
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  if (lengths.empty() || *shortest == *longest) return;
  const auto length = [&](std::int64_t index) { return lengths[static_cast<std::size_t>(index)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
  plan.data = std::make_shared<LongestSamples>(data, std::move(order));
  plan.notices.push_back({"max_batch.longest"});
}

// Of one batch, as the loader makes it.
std::int64_t batchBytes(const Plan& plan) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(plan.batch));
  std::iota(indices.begin(), indices.end(), 0);
  const auto batch = plan.data->batch(Split::Train, indices.data(), plan.batch);
  return static_cast<std::int64_t>(batch.input.nbytes() + batch.target.nbytes());
}

class StageWatch;
// Callbacks of record functions carry no data.
thread_local StageWatch* t_watch = nullptr;

// Takes the highest memory of each stage when its mark ends (profile/marks.h).
class StageWatch {
 public:
  explicit StageWatch(std::function<MemoryBytes()> takePeak)
      : m_takePeak(std::move(takePeak)),
        m_before(std::exchange(t_watch, this)),
        m_callback(at::addThreadLocalCallback(at::RecordFunctionCallback(begins, ends).scopes({at::RecordScope::USER_SCOPE}))) {
    m_takePeak();
  }
  ~StageWatch() {
    at::removeCallback(m_callback);
    t_watch = m_before;
  }
  StageWatch(const StageWatch&) = delete;
  StageWatch& operator=(const StageWatch&) = delete;

  const StagePeaks& peaks() const { return m_peaks; }

 private:
  static std::unique_ptr<at::ObserverContext> begins(const at::RecordFunction& /*function*/) { return nullptr; }
  static void ends(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
    if (t_watch) t_watch->note(function.name());
  }
  void note(std::string_view name) {
    for (std::size_t i = 0; i < kStepStages; ++i) {
      if (name != stageName(static_cast<StepStage>(i))) continue;
      const auto peak = m_takePeak();
      if (peak.total > m_peaks[i].total) m_peaks[i] = peak;
    }
  }

  std::function<MemoryBytes()> m_takePeak;
  StageWatch* m_before;
  at::CallbackHandle m_callback;
  StagePeaks m_peaks{};
};

// However a probe ends, nothing is kept back from the next one, and what comes after it is on nobody's budget.
class Aftermath {
 public:
  explicit Aftermath(TensorMemory& memory) : m_memory(memory), m_nobody(memory.newAccount(0)) { clean(); }
  ~Aftermath() { clean(); }
  Aftermath(const Aftermath&) = delete;
  Aftermath& operator=(const Aftermath&) = delete;
  void device(c10::Device device) {
    m_device = device;
    clean();
  }

 private:
  void clean() {
    m_memory.use(m_nobody);
    TensorMemory::enter(MemoryPhase::Other);
    m_memory.trim();
    if (m_device.is_cpu()) return;
    auto* allocator = c10::getDeviceAllocator(m_device.type());
    if (!allocator->initialized()) return;
    allocator->emptyCache();
    allocator->resetPeakStats(m_device.index());
  }

  TensorMemory& m_memory;
  MemoryAccount& m_nobody;
  c10::Device m_device = c10::kCPU;
};

// The device's highest since the last call.
MemoryBytes takeDevicePeak(c10::Device device, const CountedMemory& counted) {
  auto* allocator = c10::getDeviceAllocator(device.type());
  const auto stats = allocator->getDeviceStats(device.index());
  allocator->resetPeakStats(device.index());
  MemoryBytes bytes;
  bytes.total = stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak;
  auto rest = bytes.total;
  const auto part = [&rest](std::int64_t known) {
    const auto taken = std::min(rest, known);
    rest -= taken;
    return taken;
  };
  bytes.weights = part(counted.weights);
  bytes.gradients = part(counted.gradients);
  bytes.optimizer = part(counted.optimizer);
  bytes.activations = rest;
  return bytes;
}

// `good`: made where the run keeps states to go back to. False: it was stopped.
bool doSteps(Trainer& trainer, std::optional<GoodState>& good, Control& control) {
  const auto& plan = trainer.plan();
  const auto step = [&] {
    control.waitWhilePaused();
    if (control.stopped()) return false;
    trainer.step();
    return true;
  };
  const StateVisit visit = [&trainer](StateArchive& archive) { trainer.state(archive); };
  if (const auto every = plan.training ? plan.spec.integer("rollback") : 0; every > 0) {
    good.emplace(every, plan.spec.number("spike_factor"));
    good->keep(0, visit);
  }
  while (plan.training && trainer.optimizerSteps() == 0 && trainer.skippedSteps() < kMostSkipped)
    if (!step()) return false;
  if (good) {  // the sound state, and one that waits to be: both with the optimizer's state
    good->keep(trainer.steps(), visit);
    good->judge(0, std::nullopt);
    good->keep(trainer.steps(), visit);
  }
  const auto more = plan.training ? std::min<std::int64_t>(2, plan.spec.integer("accumulation")) : 2;
  for (std::int64_t i = 0; i < more; ++i)
    if (!step()) return false;
  trainer.synchronize();
  return true;
}

// `ahead`: batches that workers would hold ready. `account`: of the trainer, once there is one.
void probe(Plan plan, std::int64_t ahead, TensorMemory& memory, Control& control, StepMemory& result, MemoryAccount*& account) {
  const bool cpu = plan.device.is_cpu();
  const auto aheadBytes = ahead > 0 && cpu ? ahead * batchBytes(plan) : 0;
  Trainer trainer(std::move(plan), memory, [](const wire::EventBody&) {});
  account = &trainer.memory();
  trainer.activate();
  TensorMemory::enter(MemoryPhase::Other);
  result.notices = trainer.notices();
  result.counted = countMemory(trainer.model(), trainer.plan().spec);
  const auto held = at::empty({aheadBytes}, at::kByte);
  StageWatch watch([&]() -> MemoryBytes {
    return cpu ? trainer.memory().takeRecentPeak() : takeDevicePeak(trainer.plan().device, result.counted);
  });
  std::optional<GoodState> good;
  result.stopped = !doSteps(trainer, good, control);
  result.stages = watch.peaks();
  if (cpu) result.kept = trainer.memory().live();
  for (const auto& stage : result.stages)
    if (!cpu && stage.total > result.peak.total) result.peak = stage;
}

// What a probe throws: no memory is an answer, anything else an error.
std::optional<Error> guarded(StepMemory& result, const std::function<void()>& function) {
  const auto noRoom = [&result](std::string detail) {
    result.fits = false;
    result.stages = {};
    result.detail = std::move(detail);
    return std::nullopt;
  };
  try {
    function();
    return std::nullopt;
  } catch (const c10::OutOfMemoryError& problem) {
    return noRoom(problem.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return noRoom("bad_alloc");
  } catch (const DataError& problem) {
    return problem.error();
  } catch (const TrainingError& problem) {
    return problem.error();
  } catch (const c10::Error& problem) {
    return Error{ExitCode::Failed, {"run.exception", {{"detail", problem.what_without_backtrace()}}}};
  }
}

}  // namespace

wire::Result<StepMemory> probeStep(const wire::RunSpec& spec, DataCache& cache, TensorMemory& memory, Control& control) {
  Aftermath aftermath(memory);
  auto alone = spec;
  alone.set("workers", std::int64_t{0});
  auto plan = makePlan(alone, cache);
  if (!plan.ok()) return plan.error();
  const bool cpu = plan->device.is_cpu();
  aftermath.device(plan->device);
  takeLongest(*plan);
  StepMemory result;
  MemoryAccount* account = nullptr;
  const auto ahead = spec.integer("workers") * spec.integer("prefetch");
  const auto failure = guarded(result, [&] { probe(std::move(*plan), ahead, memory, control, result, account); });
  if (failure) return *failure;
  if (account && cpu) result.peak = account->peak();
  if (account) result.left_bytes = account->live().total;
  return result;
}

}  // namespace atelier::engine
