#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "index.h"
#include "links.h"
#include "saturating.h"
#include "tables.h"
#include "timeline.h"

namespace atelier::trace {
namespace {

// By event: bytes copied between host and device by what it called; −1 none.
std::vector<std::int64_t> crossings(const Trace& trace) {
  std::vector<std::int64_t> bytes(trace.events.size(), -1);
  const auto add = [&bytes](std::int32_t event, std::int64_t more) {
    bytes[at(event)] = addSaturating(std::max<std::int64_t>(bytes[at(event)], 0), more);
  };
  const Launches launches(trace);
  for (const auto& event : trace.events) {
    const auto call = trace.onDevice(event) && crossesDevices(trace, event) ? launches.of(event) : -1;
    if (call >= 0) add(call, std::max<std::int64_t>(event.bytes, 0));
  }
  for (std::size_t i = bytes.size(); i-- > 0;)
    if (bytes[i] >= 0 && trace.events[i].parent >= 0) add(trace.events[i].parent, bytes[i]);
  return bytes;
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "" for what neither waits nor moves. `crossing`: copies between host and device were made below.
const char* kindOf(const Trace& trace, const Event& event, bool crossing) {
  if (event.kind == Kind::Synchronize) return "synchronise";
  if (event.kind == Kind::Runtime) return crossing ? "copy" : "";
  if (event.kind != Kind::Operator) return "";
  const auto& name = trace.nameOf(event);
  if (isOneOf(name, {"aten::item", "aten::_local_scalar_dense"})) return "item";
  if (name == "aten::nonzero") return "nonzero";
  return crossing && isOneOf(name, {"aten::copy_", "aten::_to_copy", "aten::to"}) ? "copy" : "";
}

}  // namespace

std::vector<Transfer> transfers(const Trace& trace, Span span) {
  const auto bytes = crossings(trace);
  std::vector<char> counted(trace.events.size(), 0);  // it or what it stands in
  std::vector<Transfer> all;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (trace.onDevice(event)) continue;
    counted[i] = event.parent >= 0 ? counted[at(event.parent)] : char{0};
    const char* kind = counted[i] != 0 ? "" : kindOf(trace, event, bytes[i] >= 0);
    if (*kind == '\0') continue;
    counted[i] = 1;
    if (!span.has(event)) continue;
    all.push_back({kind, idOf(i), event.module, event.stage, std::max<std::int64_t>(bytes[i], 0), event.duration});
  }
  std::stable_sort(all.begin(), all.end(), [&trace](const Transfer& a, const Transfer& b) {
    return trace.events[at(a.event)].start < trace.events[at(b.event)].start;
  });
  return all;
}

}  // namespace atelier::trace
