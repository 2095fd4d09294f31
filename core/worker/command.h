// Commands of atelier-engine: one file a verb. A verb declares its arguments on a CLI11 subcommand and returns its exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "console.h"
#include "core/wire/option.h"
#include "core/wire/run_spec.h"

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
Run declareCompare(CLI::App& command, Context& context);
Run declareRuns(CLI::App& command, Context& context);
Run declareDescribe(CLI::App& command, Context& context);
Run declareDoctor(CLI::App& command, Context& context);
Run declareInspect(CLI::App& command, Context& context);
Run declareCompletion(CLI::App& command, Context& context);

// The arguments that say what to run: --spec, a flag for every common key, --set, and --b for a race.
struct SpecArguments {
  std::string file;
  std::map<std::string, std::string> flags;
  std::vector<std::string> set, b;
};
void declareSpec(CLI::App& command, const wire::Schema& schema, SpecArguments& arguments, const wire::Catalog& texts);

// "learning_rate" → "--learning-rate".
std::string flagName(const std::string& key);

}  // namespace atelier::worker
