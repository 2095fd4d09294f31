#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "cost.h"
#include "index.h"
#include "saturating.h"
#include "tables.h"

namespace atelier::trace {
namespace {

// Backward, device, FLOPs and allocations of a module are those of the operators in it and in the modules below it, by their
// paths; its forward is the time of its calls, whoever called it.
class ModuleTable {
 public:
  ModuleTable(const Trace& trace, const Times& times, const EventCosts& costs, Span span)
      : m_trace(trace),
        m_times(times),
        m_costs(costs),
        m_span(span),
        m_rows(trace.modules.size() + 1),
        m_open(m_rows.size(), 0) {
    for (std::size_t i = 0; i < m_rows.size(); ++i) m_rows[i].module = idOf(i) - 1;
  }

  std::vector<ModuleRow> take() {
    addCalls();
    addWork();
    addMemory();
    addToOuter();
    std::erase_if(m_rows, [](const ModuleRow& row) {
      return row.calls == 0 && row.forward_ns == 0 && row.backward_ns == 0 && row.device_ns == 0 && row.flops == 0 &&
             row.allocated == 0;
    });
    const bool device = m_trace.hasDevice();
    std::stable_sort(m_rows.begin(), m_rows.end(), [device](const ModuleRow& a, const ModuleRow& b) {
      const std::pair timeA(device ? a.device_ns : 0, a.forward_ns + a.backward_ns);
      const std::pair timeB(device ? b.device_ns : 0, b.forward_ns + b.backward_ns);
      return timeA > timeB;
    });
    return std::move(m_rows);
  }

 private:
  // The first row is that of what is outside of any.
  ModuleRow& rowOf(std::int32_t module) { return m_rows[static_cast<std::size_t>(module + 1)]; }

  void closeBefore(const Event& event) {
    while (!m_calls.empty()) {
      const auto& last = m_trace.events[m_calls.back()];
      if (last.track == event.track && last.end() > event.start) return;
      --m_open[at(last.module + 1)];
      m_calls.pop_back();
    }
  }

  // Recomputing in the backward pass calls modules too; that time is backward.
  void addCalls() {
    for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
      const auto& event = m_trace.events[i];
      if (event.kind != Kind::Module || event.backward || event.module < 0 || !m_span.has(event)) continue;
      closeBefore(event);
      auto& row = rowOf(event.module);
      ++row.calls;
      row.forward_self_ns += event.duration;
      if (m_open[at(event.module + 1)] == 0) row.forward_ns += event.duration;
      if (!m_calls.empty()) rowOf(m_trace.events[m_calls.back()].module).forward_self_ns -= event.duration;
      m_calls.push_back(i);
      ++m_open[at(event.module + 1)];
    }
  }

  void addWork() {
    for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
      const auto& event = m_trace.events[i];
      if (!m_span.has(event)) continue;
      auto& row = rowOf(event.module);
      if (m_trace.onDevice(event)) {
        row.device_ns += event.duration;
        continue;
      }
      const bool outside = event.module < 0 && event.kind == Kind::Operator && event.stage == Stage::Forward;
      if (event.backward) row.backward_ns += m_times.self[i];
      else if (outside) addOutside(row, m_times.self[i]);
      if (m_costs[i]) row.flops += m_costs[i]->flops;
    }
  }

  static void addOutside(ModuleRow& row, std::int64_t time) {
    row.forward_ns += time;
    row.forward_self_ns += time;
  }

  void addMemory() {
    for (const auto& change : m_trace.memory) {
      if (change.bytes <= 0 || change.event < 0) continue;
      const auto& event = m_trace.events[at(change.event)];
      if (!m_span.has(event)) continue;
      auto& row = rowOf(event.module);
      row.allocated = addSaturating(row.allocated, change.bytes);
    }
  }

  // −1 for one that stands in no other.
  static std::int32_t outerOf(const std::unordered_map<std::string, std::int32_t>& paths, std::string path) {
    while (!path.empty()) {
      const auto dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
      if (const auto found = paths.find(path); found != paths.end()) return found->second;
    }
    return -1;
  }

  void addToOuter() {
    const auto& modules = m_trace.modules;
    std::unordered_map<std::string, std::int32_t> paths;
    std::vector<std::int32_t> inwards;  // innermost last
    for (std::size_t i = 0; i < modules.size(); ++i) {
      paths.try_emplace(modules[i].path, idOf(i));
      inwards.push_back(idOf(i));
    }
    std::stable_sort(inwards.begin(), inwards.end(), [&modules](std::int32_t a, std::int32_t b) {
      return modules[at(a)].path.size() < modules[at(b)].path.size();
    });
    for (auto inner = inwards.rbegin(); inner != inwards.rend(); ++inner) {
      const auto outer = outerOf(paths, modules[at(*inner)].path);
      if (outer < 0) continue;
      const auto& from = rowOf(*inner);
      auto& to = rowOf(outer);
      to.backward_ns += from.backward_ns;
      to.device_ns += from.device_ns;
      to.flops += from.flops;
      to.allocated = addSaturating(to.allocated, from.allocated);
    }
  }

  const Trace& m_trace;
  const Times& m_times;
  const EventCosts& m_costs;
  Span m_span;
  std::vector<ModuleRow> m_rows;
  std::vector<std::int32_t> m_open;  // calls under way, by row
  std::vector<std::size_t> m_calls;  // events under way, the innermost last
};

}  // namespace

std::vector<ModuleRow> moduleTable(const Trace& trace, const Times& times, const EventCosts& costs, Span span) {
  return ModuleTable(trace, times, costs, span).take();
}

std::vector<KernelRow> kernelTable(const Trace& trace, Span span) {
  std::map<std::pair<int, std::int32_t>, KernelRow> rows;  // by device and name
  for (const auto& event : trace.events) {
    if (!trace.onDevice(event) || !span.has(event)) continue;
    const auto device = trace.tracks[at(event.track)].device;
    auto& row = rows[{device, event.name}];
    row.name = event.name;
    row.device = device;
    row.min_ns = row.calls == 0 ? event.duration : std::min(row.min_ns, event.duration);
    row.max_ns = std::max(row.max_ns, event.duration);
    ++row.calls;
    row.total_ns += event.duration;
    row.bytes = addSaturating(row.bytes, std::max<std::int64_t>(event.bytes, 0));
  }
  std::vector<KernelRow> all;
  for (auto& [key, row] : rows) {
    row.mean_ns = row.total_ns / row.calls;
    all.push_back(row);
  }
  std::stable_sort(all.begin(), all.end(), [](const KernelRow& a, const KernelRow& b) { return a.total_ns > b.total_ns; });
  return all;
}

}  // namespace atelier::trace
