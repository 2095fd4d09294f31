// Commands of atelier-engine: one file a verb. A verb declares its arguments on a CLI11 subcommand and returns its exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "console.h"
#include "core/wire/option.h"

namespace atelier::engine {
class TensorMemory;
}

namespace atelier::worker {

// What every verb is given; built by main.
struct Context {
  const wire::Schema& schema;
  engine::TensorMemory& memory;
  std::filesystem::path home;
  std::string language = "en";
  bool json = false;
  CLI::App* root = nullptr;
};

using Run = std::function<wire::ExitCode()>;
// Adds the verb's subcommand and returns what runs it once the arguments are parsed.
using Declare = Run (*)(CLI::App& command, Context& context);

struct Verb {
  const char* name;
  Declare declare;
};

Run declareRun(CLI::App& command, Context& context);
Run declareRace(CLI::App& command, Context& context);
Run declareSweep(CLI::App& command, Context& context);
Run declareCompare(CLI::App& command, Context& context);
Run declareRuns(CLI::App& command, Context& context);
Run declareDescribe(CLI::App& command, Context& context);
Run declareDoctor(CLI::App& command, Context& context);
Run declareInspect(CLI::App& command, Context& context);
Run declareCompletion(CLI::App& command, Context& context);
Run declareScript(CLI::App& command, Context& context);
Run declareProfile(CLI::App& command, Context& context);
Run declareTokenize(CLI::App& command, Context& context);
Run declareAutotune(CLI::App& command, Context& context);
Run declareMaxBatch(CLI::App& command, Context& context);

}  // namespace atelier::worker
