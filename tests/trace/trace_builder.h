// Builds small traces by hand for tests: tracks, then events in any order with times in nanoseconds, then build(). Each event's
// call gives its place in trace().events until build(); last() changes what the call doesn't take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/trace.h"

namespace atelier::trace::testing {

class TraceBuilder {
 public:
  // A thread of the host, or with a device a stream of it.
  std::int32_t track(const std::string& name, int device = -1) {
    const auto number = static_cast<std::int64_t>(m_trace.tracks.size()) + 1;
    m_trace.tracks.push_back({name, device < 0 ? 100 : device, number, device});
    return static_cast<std::int32_t>(number - 1);
  }

  std::int32_t event(Kind kind, std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration) {
    Event event;
    event.kind = kind;
    event.track = track;
    event.name = m_trace.name(name);
    event.start = start;
    event.duration = duration;
    m_trace.events.push_back(event);
    return static_cast<std::int32_t>(m_trace.events.size() - 1);
  }

  std::int32_t op(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration) {
    return event(Kind::Operator, track, name, start, duration);
  }
  // An operator with tensors of one dtype and its other arguments.
  std::int32_t op(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration,
                  const std::vector<std::vector<std::int64_t>>& shapes, const std::string& dtype = "float",
                  std::vector<std::string> scalars = {}) {
    const auto index = op(track, name, start, duration);
    Detail detail;
    for (const auto& shape : shapes) detail.inputs.push_back({shape, dtype});
    detail.scalars = std::move(scalars);
    last().detail = static_cast<std::int32_t>(m_trace.details.size());
    m_trace.details.push_back(std::move(detail));
    return index;
  }
  // A node of autograd, as its engine calls it, for the forward operator with that number.
  std::int32_t node(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration,
                    std::int64_t sequence = -1) {
    const auto index = op(track, "autograd::engine::evaluate_function: " + std::string(name), start, duration);
    last().sequence = sequence;
    return index;
  }
  std::int32_t range(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration) {
    return event(Kind::Range, track, name, start, duration);
  }
  std::int32_t stage(std::int32_t track, Stage stage, std::int64_t start, std::int64_t duration) {
    return range(track, stageName(stage), start, duration);
  }
  std::int32_t step(std::int32_t track, std::int64_t start, std::int64_t duration) {
    return event(Kind::Step, track, "step " + std::to_string(m_steps++), start, duration);
  }
  std::int32_t module(std::int32_t track, std::string_view path, std::string_view type, std::int64_t start,
                      std::int64_t duration) {
    const auto index = event(Kind::Module, track, path.empty() ? type : path, start, duration);
    last().module = m_trace.module(path, type);
    return index;
  }
  std::int32_t loader(std::int32_t track, std::int64_t start, std::int64_t duration) {
    return event(Kind::Loader, track, "batch", start, duration);
  }
  std::int32_t runtime(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration,
                       std::int64_t correlation) {
    const auto index = event(Kind::Runtime, track, name, start, duration);
    last().correlation = correlation;
    return index;
  }
  std::int32_t synchronize(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration) {
    return event(Kind::Synchronize, track, name, start, duration);
  }
  std::int32_t kernel(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration,
                      std::int64_t correlation = 0) {
    const auto index = event(Kind::Kernel, track, name, start, duration);
    last().correlation = correlation;
    return index;
  }
  std::int32_t copy(std::int32_t track, std::string_view name, std::int64_t start, std::int64_t duration,
                    std::int64_t correlation, std::int64_t bytes) {
    const auto index = event(Kind::Copy, track, name, start, duration);
    last().correlation = correlation;
    last().bytes = bytes;
    return index;
  }
  // bytes < 0 frees.
  void memory(std::int32_t track, std::int64_t time, std::int64_t bytes, std::uint64_t address,
              Category category = Category::Unknown, int device = -1) {
    m_trace.memory.push_back({time, bytes, address, track, device, category});
  }

  Event& last() { return m_trace.events.back(); }
  Trace& trace() { return m_trace; }  // before it is finished

  // The trace, finish()ed. Once.
  Trace build() {
    m_trace.finish();
    return std::move(m_trace);
  }

 private:
  Trace m_trace;
  int m_steps = 0;
};

// The first event of that name; −1 none.
inline std::int32_t find(const Trace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (trace.nameOf(trace.events[i]) == name) return static_cast<std::int32_t>(i);
  return -1;
}

// REQUIRES: there is one of that name.
inline const Event& eventOf(const Trace& trace, std::string_view name) {
  return trace.events.at(static_cast<std::size_t>(find(trace, name)));
}

}  // namespace atelier::trace::testing
