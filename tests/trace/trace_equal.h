// Whether two traces are the same in all that they hold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace atelier::trace::testing {

inline bool same(const Event& a, const Event& b) {
  return a.start == b.start && a.duration == b.duration && a.name == b.name && a.track == b.track && a.parent == b.parent &&
         a.module == b.module && a.detail == b.detail && a.step == b.step && a.correlation == b.correlation &&
         a.sequence == b.sequence && a.bytes == b.bytes && a.kind == b.kind && a.stage == b.stage && a.backward == b.backward;
}

inline bool same(const Detail& a, const Detail& b) {
  if (a.inputs.size() != b.inputs.size() || a.scalars != b.scalars || a.stack != b.stack) return false;
  for (std::size_t i = 0; i < a.inputs.size(); ++i)
    if (a.inputs[i].sizes != b.inputs[i].sizes || a.inputs[i].dtype != b.inputs[i].dtype) return false;
  return true;
}

inline bool same(const Allocation& a, const Allocation& b) {
  return a.time == b.time && a.bytes == b.bytes && a.address == b.address && a.event == b.event && a.device == b.device &&
         a.category == b.category;
}

inline bool same(const Track& a, const Track& b) {
  return a.name == b.name && a.process == b.process && a.id == b.id && a.device == b.device;
}

inline bool same(const Module& a, const Module& b) {
  return a.path == b.path && a.type == b.type;
}

template <class T>
std::string differenceOf(const char* what, const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return std::string(what) + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return std::string(what) + " " + std::to_string(i);
  return "";
}

// What differs first; "" when nothing does.
inline std::string difference(const Trace& a, const Trace& b) {
  if (a.names != b.names) return "names";
  for (const auto& found : {differenceOf("track", a.tracks, b.tracks), differenceOf("module", a.modules, b.modules),
                            differenceOf("detail", a.details, b.details), differenceOf("event", a.events, b.events),
                            differenceOf("memory", a.memory, b.memory)})
    if (!found.empty()) return found;
  for (std::size_t i = 0; i < kCategories; ++i)
    if (a.memory_at_start.bytes[i] != b.memory_at_start.bytes[i]) return "memory at start";
  if (a.origin != b.origin || a.title != b.title || a.device != b.device) return "origin, title or device";
  return a.events_cut == b.events_cut && a.memory_cut == b.memory_cut ? "" : "what was cut";
}

}  // namespace atelier::trace::testing
