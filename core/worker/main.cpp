// atelier-engine: the engine's process and its command line. Builds the objects, parses, runs one verb, returns its exit
// code. Expected failures end in the verbs; anything else is caught here and told in a sentence.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/session/build_version.h"
#include "core/engine/session/plan.h"
#include "core/registry/registry.h"

namespace {

using namespace atelier;

constexpr worker::Verb kVerbs[] = {
    {"run", worker::declareRun},         {"race", worker::declareRace},       {"sweep", worker::declareSweep},
    {"compare", worker::declareCompare}, {"runs", worker::declareRuns},       {"describe", worker::declareDescribe},
    {"doctor", worker::declareDoctor},   {"inspect", worker::declareInspect}, {"completion", worker::declareCompletion},
    {"script", worker::declareScript},   {"profile", worker::declareProfile},   {"tokenize", worker::declareTokenize},
    {"autotune", worker::declareAutotune}, {"max-batch", worker::declareMaxBatch}};

// The language must be known before the help is made: --lang is looked for ahead of the parser.
std::string chosenLanguage(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--lang=", 7) == 0) return argv[i] + 7;
    if (std::strcmp(argv[i], "--lang") == 0 && i + 1 < argc) return argv[i + 1];
  }
  return wire::Catalog::systemLanguage();
}

wire::ExitCode usage(const wire::Catalog& texts, const CLI::ParseError& problem, const CLI::App& app) {
  if (problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(problem);  // --help, --version
    return wire::ExitCode::Done;
  }
  fmt::print(stderr, "atelier-engine: {}\n", texts.text(wire::Message{"cli.usage", {{"detail", problem.what()}}}));
  return wire::ExitCode::Usage;
}

wire::ExitCode program(int argc, char** argv) {
  const auto language = chosenLanguage(argc, argv);
  const auto texts = wire::Catalog::builtIn(language);
  const auto schema = engine::engineSchema();
  if (!schema.ok()) {
    fmt::print(stderr, "atelier-engine: {}\n", texts.text(schema.error().messages.front()));
    return schema.error().code;
  }
  CLI::App app(texts.text("cli.about"), "atelier-engine");
  app.footer(texts.text("cli.examples"));
  app.set_version_flag("--version", fmt::format("atelier-engine {} ({})", engine::programVersion(), engine::programRevision()));
  app.require_subcommand(1);
  worker::Context context{*schema, engine::TensorMemory::install(), registry::defaultHome(), language, false, &app};
  setenv("ATELIER_HOME", context.home.c_str(), 1);  // the engine looks there for models, and so do programs started from here
  std::vector<std::pair<CLI::App*, worker::Run>> verbs;
  std::string spokenLanguage = language;
  for (const auto& verb : kVerbs) {
    auto* command = app.add_subcommand(verb.name, texts.text(std::string("cli.verb.") + verb.name));
    command->add_option("--lang", spokenLanguage, texts.text("cli.lang"))->check(CLI::IsMember({"fr", "en"}))->type_name("");
    command->add_flag("--json", context.json, texts.text("cli.json"));
    command->footer(texts.has(std::string("cli.examples.") + verb.name) ? texts.text(std::string("cli.examples.") + verb.name)
                                                                        : "");
    verbs.emplace_back(command, verb.declare(*command, context));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return usage(texts, problem, app);
  }
  for (const auto& [command, run] : verbs)
    if (command->parsed()) return run();
  return wire::ExitCode::Usage;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a full quota is an error of write(), not a death
  std::signal(SIGPIPE, SIG_IGN);
  setenv("KINETO_LOG_LEVEL", "99", 0);  // Kineto tells every machine without a GPU of an error
  try {
    const auto code = program(argc, argv);
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    // Tensors and threads of LibTorch are left to the system: its own clean-up at exit can crash.
    std::_Exit(static_cast<int>(written || code != wire::ExitCode::Done ? code : wire::ExitCode::Failed));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "atelier-engine: {}\n", problem.what());
    std::_Exit(static_cast<int>(wire::ExitCode::Failed));
  }
}
