// run: a spec from file, flags and --set; a session; its record, events, table or JSON.
#include <unistd.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/session/plan.h"
#include "present.h"
#include "run_session.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

using wire::ExitCode;

struct RunArguments {
  SpecArguments spec;
  bool events = false;
};

wire::Result<std::vector<engine::Variant>> oneVariant(const RunArguments& arguments, const Context& context, Input& input) {
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
  const auto one = oneVariant(arguments, context, input);
  engine::Control control;
  Recorder recorder(context.home, "", events, console, control);
  if (!one.ok()) return refuse(one.error(), recorder, console, context.json && !arguments.events);
  engine::Session session(*one, context.memory, control, recorder.sink());
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
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
