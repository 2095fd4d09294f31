#include "trace_selection.h"

#include <utility>

#include "core/trace/index.h"

namespace atelier::app {

void TraceSelection::set(std::int32_t event, std::int32_t name, std::int32_t module) {
  if (event == m_event && name == m_name && module == m_module) return;
  m_event = event;
  m_name = name;
  m_module = module;
  Q_EMIT changed();
}

void TraceSelection::selectEvent(const trace::Trace& trace, std::int32_t event) {
  if (event < 0) return clear();
  const auto& chosen = trace.events[trace::at(event)];
  set(event, chosen.name, chosen.module);
}

void TraceSelection::selectName(std::int32_t name) {
  set(-1, name, -1);
}

void TraceSelection::selectModule(std::int32_t module) {
  set(-1, -1, module);
}

void TraceSelection::selectName(std::int32_t name, std::int32_t module) {
  set(-1, name, module);
}

void TraceSelection::selectSpan(std::optional<trace::Span> span) {
  if (span && span->to < span->from) std::swap(span->from, span->to);
  if (span && span->to == span->from) span.reset();
  const bool same = span.has_value() == m_span.has_value() && (!span || (span->from == m_span->from && span->to == m_span->to));
  if (same) return;
  m_span = span;
  Q_EMIT spanChanged();
}

void TraceSelection::clear() {
  set(-1, -1, -1);
}

}  // namespace atelier::app
