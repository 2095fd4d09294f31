#include "max_batch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/engine/monitor/free_memory.h"
#include "core/wire/number.h"
#include "plan.h"

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;
using wire::Message;

constexpr int kGuided = 4;  // tries at the predicted answer before the gap is halved

// Mebibytes as a text's argument: "512", "12.6", "0.04".
std::string mebibytes(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes) / (1 << 20);
  const double digits = size >= 100 ? 1 : size >= 10 ? 10 : 100;
  return wire::numberText(std::round(size * digits) / digits);
}

class Search {
 public:
  Search(const BatchBounds& bounds, const MemoryLimit& limit, const ProbeBatch& probe, const Control& control,
         const BatchTried& tried)
      : m_probe(probe), m_control(control), m_tried(tried), m_most(bounds.most / bounds.multiple) {
    m_found.bounds = bounds;
    m_found.limit = limit;
  }

  wire::Result<BatchSearch> go() {
    if (auto grown = grow(); !grown.ok()) return grown.error();
    if (m_low == 0 && m_high > 0) return nothingFits();
    if (auto narrowed = narrow(); !narrowed.ok()) return narrowed.error();
    m_found.batch = m_low * m_found.bounds.multiple;
    if (m_high > 0) m_found.out_of_memory_at = m_high * m_found.bounds.multiple;
    m_found.forecast = m_model.predict(m_found.batch);
    return std::move(m_found);
  }

 private:
  // Whether that many multiples fit; false too where it was stopped.
  wire::Result<bool> fits(std::int64_t count) {
    BatchTry one;
    one.batch = count * m_found.bounds.multiple;
    if (const auto forecast = m_model.predict(one.batch)) one.predicted = forecast->bytes;
    m_found.interrupted = m_control.stopped();
    if (m_found.interrupted) return false;
    auto step = m_probe(one.batch);
    if (!step.ok()) return step.error();
    m_found.interrupted = step->stopped;
    if (step->stopped) return false;
    one.fits = step->fits;
    one.peak = step->peak;
    if (step->fits) m_model.add(one.batch, step->stages);
    if (step->counted.weights > 0) m_found.counted = step->counted;
    m_found.notices = step->notices;
    (step->fits ? m_low : m_high) = count;
    m_found.tries.push_back(one);
    if (m_tried) m_tried(one);
    return one.fits;
  }

  wire::Status grow() {
    for (std::int64_t count = 1; m_low < m_most && m_high == 0; count = std::min(m_most, 2 * count))
      if (auto done = fits(count); !done.ok()) return done.error();
      else if (m_found.interrupted) break;
    return wire::success();
  }

  wire::Status narrow() {
    for (int left = kGuided; m_high - m_low > 1 && !m_found.interrupted; --left) {
      auto count = (m_low + m_high) / 2;
      if (const auto guess = left > 0 ? m_model.largest(m_found.limit.bytes) : std::nullopt; guess && m_found.limit.bytes > 0)
        count = std::clamp(*guess / m_found.bounds.multiple, m_low + 1, m_high - 1);
      if (auto done = fits(count); !done.ok()) return done.error();
    }
    return wire::success();
  }

  // What helps depends on what it is that has no room.
  Error nothingFits() const {
    const auto batch = std::to_string(m_found.bounds.multiple), limit = mebibytes(m_found.limit.bytes);
    const auto kept = m_found.counted.total();
    Error error{ExitCode::OutOfMemory, std::vector<Message>{}};
    if (m_found.limit.bytes > 0) error.messages.push_back({"max_batch.nothing_fits", {{"batch", batch}, {"mebibytes", limit}}});
    else error.messages.push_back({"max_batch.nothing_fits_device", {{"batch", batch}}});
    const bool model = m_found.limit.bytes > 0 && (kept == 0 || 10 * (kept / 9) > m_found.limit.bytes);
    if (model) error.messages.push_back({"max_batch.model_too_large"});
    else error.messages.push_back({"max_batch.samples_too_large", {{"mebibytes", mebibytes(kept)}}});
    return error;
  }

  const ProbeBatch& m_probe;
  const Control& m_control;
  const BatchTried& m_tried;
  const std::int64_t m_most;           // multiples
  std::int64_t m_low = 0, m_high = 0;  // the largest that fits, the smallest that doesn't; 0: none yet
  BatchSearch m_found;
  MemoryModel m_model;
};

MemoryLimit limitOf(const Plan& plan) {
  if (plan.spec.integer("memory_budget") > 0) return {plan.spec.integer("memory_budget"), "budget"};
  if (!plan.device.is_cpu()) return {0, "device"};
  constexpr std::int64_t kMebi = 1 << 20;
  const auto share = static_cast<std::int64_t>(kMachineShare * static_cast<double>(freeMemory()));
  return {std::max(kMebi, share / kMebi * kMebi), "machine"};
}

// Probes of a spec; on a GPU, whose allocator knows no budget, what was measured is held against it.
ProbeBatch probesOf(const wire::RunSpec& spec, const MemoryLimit& limit, bool cpu, DataCache& cache, TensorMemory& memory,
                    Control& control) {
  return [=, &cache, &memory, &control](std::int64_t batch) -> wire::Result<StepMemory> {
    auto one = spec;
    one.set("batch", batch);
    one.set("memory_budget", cpu ? limit.bytes : std::int64_t{0});
    auto step = probeStep(one, cache, memory, control);
    if (step.ok() && !cpu && limit.bytes > 0 && step->peak.total > limit.bytes) step->fits = false;
    return step;
  };
}

}  // namespace

const BatchTry& BatchSearch::best() const {
  return *std::find_if(tries.begin(), tries.end(), [&](const BatchTry& one) { return one.batch == batch; });
}

wire::Result<BatchSearch> searchBatch(const BatchBounds& bounds, const MemoryLimit& limit, const ProbeBatch& probe,
                                      const Control& control, const BatchTried& tried) {
  return Search(bounds, limit, probe, control, tried).go();
}

wire::Result<BatchSearch> findMaxBatch(const wire::RunSpec& spec, std::int64_t multiple, TensorMemory& memory, Control& control,
                                       const BatchTried& tried) {
  if (auto valid = validate(spec); !valid.ok()) return valid.error();
  DataCache cache;
  auto smallest = spec;
  smallest.set("batch", std::int64_t{1});
  const auto plan = makePlan(smallest, cache);
  if (!plan.ok()) return plan.error();
  // As many as the key `batch` allows.
  const auto schema = engineSchema();
  if (!schema.ok()) return schema.error();
  const auto most = std::min(plan->data->count(Split::Train), static_cast<std::int64_t>(schema->find("batch")->max));
  if (multiple > most)
    return Error{ExitCode::Usage,
                 {"max_batch.multiple", {{"multiple", std::to_string(multiple)}, {"count", std::to_string(most)}}}};
  const auto limit = limitOf(*plan);
  auto found = searchBatch({multiple, most}, limit, probesOf(spec, limit, plan->device.is_cpu(), cache, memory, control),
                           control, tried);
  if (found.ok() && limit.source == "machine") {
    const auto share = std::to_string(std::lround(100 * kMachineShare));
    found->notices.insert(found->notices.begin(),
                          Message{"max_batch.machine_limit", {{"share", share}, {"mebibytes", mebibytes(limit.bytes)}}});
  }
  return found;
}

}  // namespace atelier::engine
