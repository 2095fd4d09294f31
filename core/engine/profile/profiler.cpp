#include "profiler.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <unistd.h>

#include "core/engine/monitor/gpu.h"
#include "kineto_trace.h"
#include "live_memory.h"
#include "marks.h"
#include "module_ranges.h"
#include "trace_bound.h"

namespace atelier::engine {
namespace {

namespace kineto = torch::autograd::profiler;
namespace impl = torch::profiler::impl;

constexpr std::size_t kMostSpans = 1'000'000;

// Batches as workers make them. A worker may hold this longer than the profiler lives.
class LoaderWatch {
 public:
  void add(const LoaderSpan& span) {
    const std::lock_guard lock(m_mutex);
    if (m_spans.size() < kMostSpans) m_spans.push_back(span);
  }
  std::vector<LoaderSpan> take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_spans, {});
  }

 private:
  std::mutex m_mutex;
  std::vector<LoaderSpan> m_spans;
};

std::set<impl::ActivityType> activities(const Plan& plan) {
  std::set<impl::ActivityType> all{impl::ActivityType::CPU};
  if (plan.device.is_cuda()) all.insert(impl::ActivityType::CUDA);
  return all;
}

impl::ProfilerConfig configuration(const ProfileOptions& options, const Plan& plan) {
  impl::ExperimentalConfig more;
  more.expose_kineto_event_metadata = !plan.device.is_cpu();  // the bytes of copies stand nowhere else
  return impl::ProfilerConfig(impl::ProfilerState::KINETO, options.shapes, options.memory, false, false, false, more);
}

int traceDevice(const Plan& plan) {
  return plan.device.is_cpu() ? -1 : std::max<int>(plan.device.index(), 0);
}

std::string deviceName(const Plan& plan) {
  if (plan.device.is_cpu()) return "";
  for (const auto& gpu : gpuStatus().gpus)
    if (gpu.index == traceDevice(plan)) return gpu.name;
  return plan.device.str();
}

std::string titleOf(const Plan& plan) {
  return plan.spec.text("model") + ", " + plan.spec.text("data");
}

// Of operators and ranges; allocations are counted apart.
std::int64_t eventsOf(const kineto::ProfilerResult& result) {
  const auto instant = static_cast<std::uint8_t>(libkineto::ActivityType::CPU_INSTANT_EVENT);
  return std::count_if(result.events().begin(), result.events().end(),
                       [=](const auto& event) { return event.activityType() != instant; });
}

}  // namespace

struct Profiler::State {
  Trainer& trainer;
  const ProfileOptions options;
  trace::Trace trace{};
  KinetoTrace seen;
  std::shared_ptr<LoaderWatch> loader = std::make_shared<LoaderWatch>();
  std::vector<wire::Message> notices{};

  std::int64_t step = 0;  // of the schedule
  std::int64_t kept = 0;  // active steps that were recorded
  std::int64_t steps_in_window = 0;
  std::int64_t events_a_step = 0;  // 0: not known yet
  bool running = false, full = false;
  Window window{};
  std::optional<ModuleRanges> modules{};
  std::optional<StageMark> mark{};

  State(Trainer& whose, const ProfileOptions& how)
      : trainer(whose), options(how), seen(trace, gettid(), traceDevice(whose.plan())) {
    trace.title = titleOf(whose.plan());
    trace.device = deviceName(whose.plan());
  }
  ProfilePhase phase() const { return full ? ProfilePhase::Off : phaseAt(options.schedule, step); }
  void noteMemory();
  void beginWindow();
  std::unique_ptr<kineto::ProfilerResult> stop();
  void endWindow(bool keep);
  bool windowIsFull() const;
};

void Profiler::State::noteMemory() {
  if (!options.memory) return;
  // Of a GPU all allocations are seen: what is live at the window's begin is enough, and asking is not free.
  if (!window.live.empty() && !trainer.plan().device.is_cpu()) return;
  window.live.push_back(liveMemory(trainer));
}

void Profiler::State::beginWindow() {
  trainer.synchronize();
  window = {};
  steps_in_window = 0;
  window.weights = weightStorages(trainer.model());
  const auto config = configuration(options, trainer.plan());
  kineto::prepareProfiler(config, activities(trainer.plan()));
  trainer.onBatchMade([watch = loader](std::int64_t worker, std::int64_t begin, std::int64_t end) {
    if (worker >= 0) watch->add({worker, begin, end});
  });
  window.begin = ClockPair::now();
  kineto::enableProfiler(config, activities(trainer.plan()));
  running = true;
  if (options.modules) modules.emplace(trainer.model());
}

std::unique_ptr<kineto::ProfilerResult> Profiler::State::stop() {
  mark.reset();
  modules.reset();
  running = false;
  return kineto::disableProfiler();
}

// What still runs on a device would else be missing, or have times outside of the window.
void Profiler::State::endWindow(bool keep) {
  mark.reset();
  trainer.synchronize();
  window.end = ClockPair::now();
  const auto result = stop();
  window.loader = loader->take();
  if (steps_in_window > 0) events_a_step = eventsOf(*result) / steps_in_window;
  if (!keep) return;
  seen.add(*result, window);
  kept += steps_in_window;
}

// More steps would be recorded only to be cut.
bool Profiler::State::windowIsFull() const {
  const auto events = static_cast<std::int64_t>(trace.events.size()) + steps_in_window * events_a_step;
  return events >= options.most_events;
}

Profiler::Profiler(Trainer& trainer, const ProfileOptions& options) : m_state(std::make_unique<State>(trainer, options)) {
  TORCH_CHECK(options.most_events > 0, "a trace of no events was asked for");
}

Profiler::~Profiler() {
  m_state->trainer.onBatchMade({});
  if (!m_state->running) return;
  try {
    m_state->stop();
  } catch (const std::exception&) {
    // Nobody is left who could be told, and what was seen is not wanted.
  }
}

bool Profiler::done() const {
  return m_state->full || m_state->step >= m_state->options.schedule.steps();
}

void Profiler::beginStep() {
  auto& state = *m_state;
  if (state.phase() == ProfilePhase::Off) return;
  if (!state.running) state.beginWindow();
  state.noteMemory();
  state.mark.emplace((std::string(kStepMark) + std::to_string(state.trainer.steps())).c_str());
}

void Profiler::endStep() {
  auto& state = *m_state;
  const auto phase = state.phase();
  state.mark.reset();
  ++state.step;
  if (!state.running) return;
  ++state.steps_in_window;
  const bool active = phase == ProfilePhase::Active;
  state.full = active && state.windowIsFull() && !done();
  // Without a warm-up nobody knows yet how much a step is: the first one makes a window of its own.
  if (state.phase() != phase || state.events_a_step == 0) state.endWindow(active);
}

trace::Trace Profiler::take() {
  auto& state = *m_state;
  if (state.running) state.endWindow(state.phase() == ProfilePhase::Active);
  state.trainer.onBatchMade({});
  const auto& schedule = state.options.schedule;
  if (state.full)
    state.notices.push_back({"profile.ended_early",
                             {{"steps", std::to_string(state.kept)},
                              {"planned", std::to_string(schedule.active * schedule.repeat)},
                              {"events", std::to_string(state.options.most_events)}}});
  if (!state.trainer.plan().device.is_cpu() && state.kept > 0 && !state.seen.sawDevice())
    state.notices.push_back({"profile.no_device_events", {{"device", state.trace.device}}});
  boundTrace(state.trace, state.options.most_events);
  state.trace.finish();
  return std::move(state.trace);
}

const std::vector<wire::Message>& Profiler::notices() const {
  return m_state->notices;
}

}  // namespace atelier::engine
