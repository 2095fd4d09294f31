// The largest batch that trains within the memory there is. Every batch that is tried really trains (memory_probe.h), and one
// that doesn't fit really runs out of memory, which ends that try alone.
//
// Batches are multiples of a number. From the smallest on they double until one doesn't fit; then the gap between the largest
// that fits and the smallest that doesn't is closed: a few times at the batch that the memory model (memory_model.h) expects to
// be the answer, which mostly settles it in two tries, and from then on halfway. What fits is taken to fit at every smaller
// batch too. The answer doesn't depend on the model's predictions, only the number of tries does. On a CPU the same spec and
// limit give the same tries. Thread: the session's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/wire/result.h"
#include "core/wire/run_spec.h"
#include "core/wire/summary.h"
#include "memory_model.h"
#include "memory_probe.h"

namespace atelier::engine {

// What a batch may take. On a CPU without a budget running out would be the system's affair, which ends processes: there it is
// a share of what is free, since tensors are not all that a process needs and others want some too.
struct MemoryLimit {
  std::int64_t bytes = 0;         // 0: what the device has
  std::string source = "budget";  // budget: the key memory_budget; machine: kMachineShare of what is free; device: a GPU's own
};
inline constexpr double kMachineShare = 0.6;

struct BatchBounds {
  std::int64_t multiple = 1;  // only multiples of it are tried
  std::int64_t most = 1;      // samples there are; at least `multiple`
};

struct BatchTry {
  std::int64_t batch = 0;
  bool fits = false;
  wire::MemoryBytes peak{};                      // of a batch that fits; else what was reached before memory ran out
  std::optional<wire::MemoryBytes> predicted{};  // before it was tried, from smaller batches; none of the first two
};

struct BatchSearch {
  std::int64_t batch = 0;                          // the answer; 0: it was stopped before any batch was found to fit
  std::optional<std::int64_t> out_of_memory_at{};  // the smallest that was tried and doesn't fit; none: the data is the limit
  std::vector<BatchTry> tries{};                   // in their order
  BatchBounds bounds{};
  MemoryLimit limit{};
  CountedMemory counted{};
  std::optional<MemoryForecast> forecast{};  // of the answer, from smaller batches
  std::vector<wire::Message> notices{};
  bool interrupted = false;  // the answer is the largest found to fit so far

  // The answer's. REQUIRES: batch > 0.
  const BatchTry& best() const;
};

using ProbeBatch = std::function<wire::Result<StepMemory>(std::int64_t batch)>;
using BatchTried = std::function<void(const BatchTry&)>;

// The search itself, whatever a try is. `tried`, where there is one, is told of each. Fails with OutOfMemory where not even the
// smallest batch fits, and with a probe's error.
// REQUIRES: 1 ≤ multiple ≤ most.
wire::Result<BatchSearch> searchBatch(const BatchBounds& bounds, const MemoryLimit& limit, const ProbeBatch& probe,
                                      const Control& control, const BatchTried& tried);

// The search for a spec; its `batch` is not read. Fails as validate() and makePlan() do, too, and with max_batch.multiple where
// there are fewer samples than that.
wire::Result<BatchSearch> findMaxBatch(const wire::RunSpec& spec, std::int64_t multiple, TensorMemory& memory, Control& control,
                                       const BatchTried& tried);

}  // namespace atelier::engine
