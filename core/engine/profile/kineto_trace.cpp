#include "kineto_trace.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <c10/util/ApproximateClock.h>

#include "core/engine/monitor/tensor_memory.h"
#include "module_ranges.h"

namespace atelier::engine {
namespace {

namespace impl = torch::profiler::impl;
using libkineto::ActivityType;
using trace::Category;
using trace::Kind;
using trace::Stage;

constexpr std::int64_t kBetweenWindows = 1000;  // ns: enough that no event of one window seems to hold one of the next
constexpr std::string_view kNode = "autograd::engine::evaluate_function";

using AllocationFields = impl::ExtraFields<impl::EventType::Allocation>;

static_assert(static_cast<int>(MemoryPhase::Weights) == static_cast<int>(Category::Weights) &&
              static_cast<int>(MemoryPhase::Gradients) == static_cast<int>(Category::Gradients) &&
              static_cast<int>(MemoryPhase::Optimizer) == static_cast<int>(Category::Optimizer) &&
              static_cast<int>(MemoryPhase::Activations) == static_cast<int>(Category::Activations) &&
              static_cast<int>(MemoryPhase::Other) == static_cast<int>(Category::Other));

// Host blocks tell it themselves; of a GPU's it is guessed from the address and the stage that made it.
Category categoryOf(const AllocationFields& allocation, Stage stage, const Window& window) {
  if (allocation.device_type_ == c10::DeviceType::CPU)
    if (const auto phase = TensorMemory::reportedPhase(allocation.total_reserved_)) return static_cast<Category>(*phase);
  if (window.weights.contains(allocation.ptr_)) return Category::Weights;
  return allocation.alloc_size_ > 0 ? trace::categoryOf(stage) : Category::Unknown;
}

std::optional<Kind> kindOf(ActivityType type, std::string_view name) {
  switch (type) {
    case ActivityType::CONCURRENT_KERNEL:
      return Kind::Kernel;
    case ActivityType::GPU_MEMCPY:
      return Kind::Copy;
    case ActivityType::GPU_MEMSET:
      return Kind::Set;
    case ActivityType::CUDA_RUNTIME:
    case ActivityType::CUDA_DRIVER:
      return name.find("Synchronize") == std::string_view::npos ? Kind::Runtime : Kind::Synchronize;
    default:
      return std::nullopt;
  }
}

// From an activity's description, a fragment of JSON; −1: it doesn't say.
std::int64_t bytesIn(std::string_view description) {
  constexpr std::string_view key = "\"bytes\":";
  const auto at = description.find(key);
  if (at == std::string_view::npos) return -1;
  description.remove_prefix(at + key.size());
  description.remove_prefix(std::min(description.find_first_not_of(' '), description.size()));
  std::int64_t bytes = -1;
  std::from_chars(description.data(), description.data() + description.size(), bytes);
  return bytes;
}

}  // namespace

ClockPair ClockPair::now() {
  const auto steady = [] { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); };
  const auto before = steady();
  const auto wall = c10::getTime();
  return {before + (steady() - before) / 2, wall};
}

KinetoTrace::KinetoTrace(trace::Trace& trace, std::int64_t mainThread, int device)
    : m_trace(trace), m_mainThread(mainThread), m_details(trace), m_ledger(trace, device) {}

void KinetoTrace::add(const torch::autograd::profiler::ProfilerResult& result, const Window& window) {
  if (result.events().empty()) return;
  auto first = static_cast<std::int64_t>(result.events().front().startNs());
  for (const auto& event : result.events()) first = std::min(first, static_cast<std::int64_t>(event.startNs()));
  const auto begin = m_trace.events.empty() ? 0 : m_end + kBetweenWindows;
  m_shift = first - begin;
  const auto main = hostTrack(m_mainThread, false);
  addTree(result, window);
  for (const auto& event : result.events()) addActivity(event);
  addLoader(window, begin);
  const auto borders = bordersOf(window);
  if (!borders.empty()) m_ledger.add(std::exchange(m_allocations, {}), borders, main);
}

// A step's begin stands on the clock of the allocations: no other time would tell for sure which of them came before it.
std::vector<MemoryBorder> KinetoTrace::bordersOf(const Window& window) {
  auto steps = std::exchange(m_steps, {});
  std::sort(steps.begin(), steps.end());
  std::vector<MemoryBorder> borders;
  for (std::size_t i = 0; i < std::min(steps.size(), window.live.size()); ++i) borders.push_back({steps[i], window.live[i]});
  return borders;
}

void KinetoTrace::addTree(const torch::autograd::profiler::ProfilerResult& result, const Window& window) {
  std::vector<Place> open;
  for (const auto& root : result.event_tree()) open.push_back({root.get()});
  while (!open.empty()) {
    auto place = open.back();
    open.pop_back();
    const auto& fields = place.result->extra_fields_;
    if (const auto* op = std::get_if<DetailTable::Operator>(&fields)) addOperator(*op, place);
    if (std::holds_alternative<AllocationFields>(fields)) addAllocation(place, window);
    for (const auto& child : place.result->children_) open.push_back({child.get(), place.backward, place.stage});
  }
}

void KinetoTrace::addOperator(const DetailTable::Operator& op, Place& place) {
  const auto& result = *place.result;
  trace::Event event;
  event.start = result.start_time_ns_ - m_shift;
  event.duration = std::max(result.endTimeNS(), result.start_time_ns_) - result.start_time_ns_;
  place.backward = place.backward || op.scope_ == at::RecordScope::BACKWARD_FUNCTION || op.name_.starts_with(kNode);
  event.backward = place.backward;
  event.track = hostTrack(result.kineto_info_.resource, place.backward);
  std::string_view name = op.name_;
  if (op.scope_ != at::RecordScope::USER_SCOPE) {
    event.kind = Kind::Operator;
    event.sequence = std::max<std::int64_t>(op.sequence_number_, -1);
    event.detail = m_details.idOf(op);
  } else if (const auto module = moduleName(name)) {
    event.kind = Kind::Module;
    event.module = m_trace.module(module->path, module->type);
    name = module->path.empty() ? module->type : module->path;
  } else {
    event.kind = name.starts_with(kStepMark) ? Kind::Step : Kind::Range;
    if (event.kind == Kind::Step) m_steps.push_back(event.start);
    if (const auto stage = trace::stageOf(name); stage != Stage::None) place.stage = stage;
  }
  event.name = m_trace.name(name);
  keep(event);
}

void KinetoTrace::addAllocation(const Place& place, const Window& window) {
  const auto& fields = std::get<AllocationFields>(place.result->extra_fields_);
  trace::Allocation allocation;
  allocation.time = place.result->start_time_ns_ - m_shift;
  allocation.bytes = fields.alloc_size_;
  allocation.address = reinterpret_cast<std::uintptr_t>(fields.ptr_);
  allocation.event = hostTrack(place.result->kineto_info_.resource, place.backward);
  allocation.device = fields.device_type_ == c10::DeviceType::CPU ? -1 : fields.device_index_;
  allocation.category = categoryOf(fields, place.stage, window);
  m_allocations.push_back(allocation);
}

void KinetoTrace::addActivity(const Activity& activity) {
  const auto type = static_cast<ActivityType>(activity.activityType());
  // Operators and allocations, by far the most, came with the tree.
  if (type == ActivityType::CPU_OP || type == ActivityType::CPU_INSTANT_EVENT) return;
  const auto name = activity.name();
  const auto kind = kindOf(type, name);
  if (!kind) return;
  const bool onDevice = *kind == Kind::Kernel || *kind == Kind::Copy || *kind == Kind::Set;
  m_sawDevice = m_sawDevice || onDevice;
  trace::Event event;
  event.start = static_cast<std::int64_t>(activity.startNs()) - m_shift;
  event.duration = static_cast<std::int64_t>(activity.durationNs());
  event.kind = *kind;
  event.name = m_trace.name(name);
  event.correlation = static_cast<std::int64_t>(activity.correlationId());
  event.track = onDevice ? deviceTrack(activity.deviceIndex(), activity.deviceResourceId())
                         : hostTrack(activity.deviceResourceId(), false);
  if (*kind == Kind::Copy || *kind == Kind::Set) event.bytes = bytesIn(activity.metadataJson());
  keep(event);
}

void KinetoTrace::addLoader(const Window& window, std::int64_t first) {
  const auto steady = static_cast<double>(window.end.steady - window.begin.steady);
  const auto rate = steady > 0 ? static_cast<double>(window.end.wall - window.begin.wall) / steady : 1.0;
  const auto when = [&](std::int64_t time) {
    const auto since = static_cast<double>(time - window.begin.steady) * rate;
    return window.begin.wall + static_cast<std::int64_t>(since) - m_shift;
  };
  const auto last = m_end;
  for (const auto& span : window.loader) {
    trace::Event event;
    event.start = std::max(when(span.begin), first);
    event.duration = when(span.end) - event.start;
    if (event.duration <= 0 || event.start > last) continue;  // made before or after the window
    event.kind = Kind::Loader;
    event.name = m_trace.name("batch");
    auto [track, isNew] = m_workers.try_emplace(span.worker, 0);
    if (isNew) track->second = newTrack("loader worker " + std::to_string(span.worker + 1), getpid(), span.worker, -1);
    event.track = track->second;
    keep(event);
  }
}

void KinetoTrace::keep(const trace::Event& event) {
  m_trace.events.push_back(event);
  m_end = std::max(m_end, event.end());
}

std::int32_t KinetoTrace::hostTrack(std::int64_t thread, bool backward) {
  const auto [track, isNew] = m_threads.try_emplace(thread, 0);
  if (!isNew) return track->second;
  const auto number = std::to_string(thread);
  const auto name = thread == m_mainThread ? std::string("main thread") : (backward ? "autograd thread " : "thread ") + number;
  return track->second = newTrack(name, getpid(), thread, -1);
}

std::int32_t KinetoTrace::deviceTrack(int device, std::int64_t stream) {
  const auto [track, isNew] = m_streams.try_emplace({device, stream}, 0);
  if (isNew) track->second = newTrack("stream " + std::to_string(stream), device, stream, device);
  return track->second;
}

std::int32_t KinetoTrace::newTrack(std::string name, std::int64_t process, std::int64_t id, int device) {
  m_trace.tracks.push_back({std::move(name), process, id, device});
  return static_cast<std::int32_t>(m_trace.tracks.size() - 1);
}

}  // namespace atelier::engine
