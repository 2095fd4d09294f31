// What a run that goes on from a checkpoint may do otherwise than the run that wrote it: how long, how it is looked at and
// kept, and what memory it has; nothing that the arithmetic depends on. Pure; any thread.
#pragma once

#include <vector>

#include "core/wire/run_spec.h"

namespace atelier::engine {

// What should be said of it: resume.threads {was, now}: another number of threads adds up in another order, so the last bits
// may differ; resume.schedule {schedule}: the rates follow the new length. Refuses every other difference: resume.key_differs
// {key, was, now}, each named.
wire::Result<std::vector<wire::Message>> mayResume(const wire::RunSpec& was, const wire::RunSpec& now);

}  // namespace atelier::engine
