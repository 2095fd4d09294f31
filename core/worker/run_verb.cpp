// run: a spec from file, flags and --set, or that of a run that is gone on with (--resume); a session; its record, events,
// table or JSON.
#include <unistd.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/session/checkpoint.h"
#include "core/engine/session/plan.h"
#include "core/engine/session/resume.h"
#include "present.h"
#include "run_session.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;
namespace fs = std::filesystem;

struct RunArguments {
  SpecArguments spec;
  std::string resume;
  bool events = false;
};

// The checkpoint that --resume names: its file, the folder that it is in, or its run.
wire::Result<fs::path> checkpointFile(const std::string& named, const Context& context) {
  std::error_code error;
  if (fs::is_directory(named, error)) return fs::path(named) / engine::kCheckpointFile;
  if (fs::exists(named, error) || named.find('/') != std::string::npos) return fs::path(named);
  auto registry = registry::Registry::open(context.home);
  if (!registry.ok()) return registry.error();
  const auto run = (*registry)->find(named);
  if (!run.ok()) return Error{ExitCode::Usage, run.error().messages};
  auto file = run->folder / engine::kCheckpointFile;
  if (!fs::exists(file, error)) return Error{ExitCode::Usage, {"resume.no_checkpoint", {{"run", run->id}}}};
  return file;
}

// The spec of the checkpoint's run, with what the arguments say otherwise.
wire::Result<std::vector<engine::Variant>> resumedVariant(const RunArguments& arguments, const Context& context, Input& input) {
  Error mistakes{ExitCode::Usage, std::vector<wire::Message>{}};
  const auto keys = specKeys(context.schema, arguments.spec, input, mistakes);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!keys.ok()) return keys.error();
  const auto file = checkpointFile(arguments.resume, context);
  if (!file.ok()) return file.error();
  const auto from = engine::Checkpoint::open(*file);
  if (!from.ok()) return from.error();
  const auto was = wire::RunSpec::parse(context.schema, (*from)->head().spec);
  if (!was.ok()) return was.error();
  auto all = was->toJson();
  all.update(*keys);
  const auto spec = wire::RunSpec::parse(context.schema, all);
  if (!spec.ok()) addMistakes(mistakes, spec.error());
  if (!mistakes.messages.empty()) return mistakes;
  const auto said = engine::mayResume(*was, *spec);
  if (!said.ok()) return said.error();
  if (auto valid = engine::validate(*spec); !valid.ok()) return valid.error();
  return std::vector<engine::Variant>{{registry::makeRunId(), "", *spec, {}, {*from, *said}}};
}

wire::Result<std::vector<engine::Variant>> oneVariant(const RunArguments& arguments, const Context& context, Input& input) {
  if (!arguments.resume.empty()) return resumedVariant(arguments, context, input);
  const auto spec = readSpec(context.schema, arguments.spec, input);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!spec.ok()) return spec.error();
  if (auto valid = engine::validate(*spec); !valid.ok()) return valid.error();
  return std::vector<engine::Variant>{{registry::makeRunId(), "", *spec}};
}

ExitCode execute(const RunArguments& arguments, Context& context) {
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  auto one = oneVariant(arguments, context, input);
  engine::Control control;
  Recorder recorder(context.home, "", events, console, control);
  if (!one.ok()) return refuse(one.error(), recorder, console, context.json && !arguments.events);
  engine::Session session(withFolders(std::move(one).value(), recorder), context.memory, control, recorder.sink());
  auto ending = runObeying(session, control, arguments.events ? &input : nullptr, recorder, console);
  closeRecords(ending, recorder);
  if (ending.failure) console.fail(*ending.failure);
  if (context.json && !arguments.events) console.printJson(wire::toJson(ending.summaries.front()));
  else if (!arguments.events) presentRun(console, ending.summaries.front());
  return exitCode(ending);
}

}  // namespace

Run declareRun(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<RunArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  command.add_option("--resume", arguments->resume, texts.text("cli.resume"))->type_name("RUN|FILE");
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
