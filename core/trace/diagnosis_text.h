// The figures in a finding's messages as a reader's language writes them: "1.42" becomes "1,42" in French. Messages carry them
// as plain numbers, so that files hold no locale; names of operators, modules and keys stay as they are, also where they look
// like numbers (a module may be called "2.1"). Any thread; pure.
#pragma once

#include "core/wire/format.h"
#include "core/wire/result.h"
#include "diagnosis.h"

namespace atelier::trace {

wire::Message localised(wire::Message message, const wire::Format& format);

// A finding's own texts, localised. Advice: what to do, or of a healthy one why there is nothing to do.
enum class FindingPart { Title, Why, Advice };
wire::Message textOf(const Finding& finding, FindingPart part, const wire::Format& format);

}  // namespace atelier::trace
