// A generated script, run in a Python of its own and told as a run: recorded, streamed and summed up like a native one, with
// "source": "python" in its environment and the script itself, script.py, in its folder. Main thread.
#pragma once

#include <filesystem>
#include <string>

#include "core/engine/script/script.h"
#include "core/engine/session/control.h"
#include "core/wire/run_spec.h"
#include "python.h"
#include "recorder.h"
#include "run_session.h"

namespace atelier::worker {

struct ScriptJob {
  wire::RunSpec spec;
  engine::ScriptPlan plan;
  Python python;
  std::string text;            // the script
  std::filesystem::path file;  // where it lies
  std::filesystem::path home;  // the registry's
};

// Returns when the script has ended or was stopped; a stopped one has three seconds to end by itself. A pause holds its
// processes. Nothing of the script outlives this.
Ending runScript(const ScriptJob& job, Recorder& recorder, engine::Control& control);

}  // namespace atelier::worker
