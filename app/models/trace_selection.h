// TraceSelection: what is chosen in an opened trace, shared by all that show it: an event, or all calls of an operator or a
// module, and a span of time. Choosing in one widget is seen in all. Ids are those of the trace's tables; −1: none. Whoever
// opens another trace clears it. GUI thread.
#pragma once

#include <QObject>

#include <cstdint>
#include <optional>

#include "core/trace/tree.h"

namespace atelier::app {

class TraceSelection : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  std::int32_t event() const { return m_event; }    // in trace.events
  std::int32_t name() const { return m_name; }      // in trace.names: the operator's, the kernel's, the range's
  std::int32_t module() const { return m_module; }  // in trace.modules
  // From begin to end in nanoseconds; nullopt: no span was chosen.
  const std::optional<trace::Span>& span() const { return m_span; }
  bool empty() const { return m_event < 0 && m_name < 0 && m_module < 0; }

  // An event with its name and its module. REQUIRES: an event of that trace, or −1, which is clear().
  void selectEvent(const trace::Trace& trace, std::int32_t event);
  void selectName(std::int32_t name);      // every event of that name; no event of its own
  void selectModule(std::int32_t module);  // every event of that module; no event and no name of its own
  // Every event of that name in that module; −1: in any.
  void selectName(std::int32_t name, std::int32_t module);
  void selectSpan(std::optional<trace::Span> span);  // an empty one is none
  void clear();                                      // all but the span

 Q_SIGNALS:
  void changed();      // event, name or module
  void spanChanged();  // span

 private:
  void set(std::int32_t event, std::int32_t name, std::int32_t module);

  std::int32_t m_event = -1, m_name = -1, m_module = -1;
  std::optional<trace::Span> m_span;
};

}  // namespace atelier::app
