// Show as PyTorch: a RunSpec as a complete Python script that trains the same with PyTorch's public API, and measures it in
// the same way: equal seeds give equal weights, the same samples come in the same order, so that loss traces can be held
// against each other. Units (models, data, techniques) write their own part; what can't be said in Python is a comment.
// The script's text is English, as program text is. With --json it says, one object a line: {"event": "start"|"phase"|"step"|
// "block"|"epoch"|"summary", …}. Pure functions; any thread.
#pragma once

#include <set>
#include <string>

#include "builder.h"
#include "core/wire/result.h"
#include "core/wire/run_spec.h"

namespace atelier::engine {

// Fails with spec.batch_too_large.
wire::Result<ScriptPlan> scriptPlan(const wire::RunSpec& spec);

// REQUIRES: scriptPlan(spec) succeeded.
std::string pytorchScript(const wire::RunSpec& spec);

// Keys of the spec that were turned into Python, or into a comment that says why not. Another key's value, where it is not
// the default, is told to be without effect in this run.
std::set<std::string> scriptKeys(const wire::RunSpec& spec);

}  // namespace atelier::engine
