#include <algorithm>
#include <string>
#include <utility>

#include "finish.h"
#include "index.h"
#include "links.h"

namespace atelier::trace {
namespace {

// Stage that a range marks by its name: ours, and those that PyTorch's optimizers and loaders record.
Stage markedStage(std::string_view name) {
  if (name.starts_with("Optimizer.")) return Stage::Optimizer;  // "Optimizer.step#AdamW.step", "Optimizer.zero_grad#…"
  if (name.starts_with(kPythonLoader)) return Stage::Data;
  return stageOf(name);
}

class Placer {
 public:
  explicit Placer(Trace& trace)
      : m_trace(trace), m_events(trace.events), m_nodeNames(nodeNames(trace)), m_marked(marksStages(trace)) {
    for (const auto& name : trace.names) m_marks.push_back(markedStage(name));
  }

  void run() {
    numberSteps();
    placeBackward();
    placeHost();
    placeModules();
    placeDevices();
  }

 private:
  const Event* parentOf(const Event& event) const { return event.parent < 0 ? nullptr : &m_events[at(event.parent)]; }
  bool isNodeCall(const Event& event) const { return m_nodeNames[at(event.name)] != 0; }

  void numberSteps() {
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      m_events[i].step = -1;
      if (m_events[i].kind == Kind::Step) m_steps.push_back(idOf(i));
    }
    std::stable_sort(m_steps.begin(), m_steps.end(),
                     [this](std::int32_t a, std::int32_t b) { return m_events[at(a)].start < m_events[at(b)].start; });
    for (std::size_t number = 0; number < m_steps.size(); ++number) m_events[at(m_steps[number])].step = idOf(number);
  }

  std::int32_t stepAt(std::int64_t time) const {
    const auto after = std::upper_bound(m_steps.begin(), m_steps.end(), time,
                                        [this](std::int64_t t, std::int32_t step) { return t < m_events[at(step)].start; });
    if (after == m_steps.begin() || m_events[at(*(after - 1))].end() <= time) return -1;
    return m_events[at(*(after - 1))].step;
  }

  // A thread on which nodes are called, and no operator but theirs, was started by autograd: all on it is backward.
  void placeBackward() {
    std::vector<char> nodes(m_trace.tracks.size(), 0), others(m_trace.tracks.size(), 0);
    for (auto& event : m_events) {
      if (m_trace.onDevice(event)) continue;
      const auto* parent = parentOf(event);
      event.backward = event.backward || isNodeCall(event) || (parent && parent->backward);
      if (isNodeCall(event)) nodes[at(event.track)] = 1;
      if (event.kind == Kind::Step || (event.kind == Kind::Operator && !event.backward)) others[at(event.track)] = 1;
    }
    for (std::size_t track = 0; track < nodes.size(); ++track) m_autograd.push_back(nodes[track] != 0 && others[track] == 0);
  }

  Stage stageOfHost(const Event& event, bool inStep) const {
    if (event.kind == Kind::Range && m_marks[at(event.name)] != Stage::None) return m_marks[at(event.name)];
    if (event.kind == Kind::Loader) return Stage::Data;
    if (isNodeCall(event) || m_autograd[at(event.track)]) return Stage::Backward;
    const auto* parent = parentOf(event);
    if (parent && parent->stage != Stage::None) return parent->stage;
    // Python's traces mark no forward pass: it is what is left of a step.
    return inStep && !m_marked ? Stage::Forward : Stage::None;
  }

  void placeHost() {
    std::vector<char> inStep(m_events.size(), 0);
    std::vector<std::int32_t> outer(m_events.size(), -1);  // module around it, in modules
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      auto& event = m_events[i];
      if (m_trace.onDevice(event)) continue;
      const auto* parent = parentOf(event);
      if (parent) {
        inStep[i] = parent->kind == Kind::Step || inStep[at(event.parent)] != 0 ? 1 : 0;
        outer[i] = parent->kind == Kind::Module ? parent->module : outer[at(event.parent)];
      }
      if (event.step < 0) event.step = parent && parent->step >= 0 ? parent->step : stepAt(event.start);
      if (event.stage == Stage::None) event.stage = stageOfHost(event, inStep[i] != 0);
      if (event.kind == Kind::Module && event.module < 0) event.module = moduleIn(outer[i], m_trace.nameOf(event));
    }
  }

  // "nn.Module: Conv2d_0" inside of "nn.Module: Net_0" is Net_0.Conv2d_0 of type Conv2d.
  std::int32_t moduleIn(std::int32_t outer, std::string_view name) {
    if (name.starts_with(kPythonModule)) name.remove_prefix(kPythonModule.size());
    std::string path = outer < 0 ? std::string() : m_trace.modules[at(outer)].path;
    if (path.size() + name.size() >= kLongestPath) return outer;  // a file may nest without end
    if (!path.empty()) path += '.';
    path += name;
    const auto bar = name.rfind('_');
    const bool numbered =
        bar != std::string_view::npos && name.find_first_not_of("0123456789", bar + 1) == std::string_view::npos;
    return m_trace.module(path, numbered ? name.substr(0, bar) : name);
  }

  // Modules of nodes come from the forward pass, and what runs in a node has the node's: nodes are taken in the order of time,
  // because a node can make forward operators too (checkpointing) that have nodes again.
  void placeModules() {
    const Forwards forwards(m_trace);
    std::vector<std::int32_t> source(m_events.size(), -1);  // the event whose module it has: itself, a node, one around it
    std::vector<std::int32_t> nodes;
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      const auto& event = m_events[i];
      if (m_trace.onDevice(event)) continue;
      const bool isNode = event.module < 0 && event.backward && forwards.isNode(event);
      if (isNode) nodes.push_back(idOf(i));
      if (isNode || event.module >= 0) source[i] = idOf(i);
      else if (event.parent >= 0) source[i] = source[at(event.parent)];
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [this](std::int32_t a, std::int32_t b) { return m_events[at(a)].start < m_events[at(b)].start; });
    const auto moduleOf = [&](std::int32_t event) {
      return event < 0 || source[at(event)] < 0 ? -1 : m_events[at(source[at(event)])].module;
    };
    for (const auto node : nodes) {
      auto& event = m_events[at(node)];
      event.module = moduleOf(forwards.of(event));
      if (event.module < 0) event.module = moduleOf(event.parent);
    }
    for (std::size_t i = 0; i < m_events.size(); ++i)
      if (m_events[i].module < 0) m_events[i].module = moduleOf(idOf(i));
  }

  // A device's event belongs where it was launched: by then the host may be far ahead.
  void placeDevices() {
    const Launches launches(m_trace);
    for (auto& event : m_events) {
      if (!m_trace.onDevice(event)) continue;
      const auto call = launches.of(event);
      event.step = call < 0 ? stepAt(event.start) : m_events[at(call)].step;
      if (call < 0) continue;
      const auto& launch = m_events[at(call)];
      event.backward = event.backward || launch.backward;
      if (event.stage == Stage::None) event.stage = launch.stage;
      if (event.module < 0) event.module = launch.module;
    }
  }

  Trace& m_trace;
  std::vector<Event>& m_events;
  std::vector<char> m_nodeNames;
  bool m_marked;
  std::vector<Stage> m_marks;         // by name
  std::vector<std::int32_t> m_steps;  // events, by start
  std::vector<bool> m_autograd;       // by track
};

}  // namespace

bool marksStages(const Trace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(), [&trace](const Event& event) {
    const auto stage = event.kind == Kind::Range ? stageOf(trace.nameOf(event)) : Stage::None;
    return stage == Stage::Forward || stage == Stage::Backward || stage == Stage::Optimizer;
  });
}

void place(Trace& trace) {
  Placer(trace).run();
}

}  // namespace atelier::trace
