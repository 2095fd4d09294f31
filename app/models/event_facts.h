// EventFacts: all that is known of one event of a trace, or of all calls of a name or module, as labelled values: what it is,
// where it belongs, its times, what it computed and how near that comes to what the machine can do. Pure; GUI thread.
#pragma once

#include <QString>
#include <QVector>

#include <cstdint>

#include "trace_document.h"
#include "trace_selection.h"

namespace atelier::app {

class Words;

struct EventFact {
  QString label, value;
  bool code = false;  // names, shapes, arguments: written as such
};

// REQUIRES: an event of that trace.
QVector<EventFact> factsOf(const TraceDocument::Content& content, std::int32_t event, const Words& words);
// Of whatever is selected; empty: nothing is.
QVector<EventFact> factsOf(const TraceDocument::Content& content, const TraceSelection& selection, const Words& words);

}  // namespace atelier::app
