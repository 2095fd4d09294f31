// race: two to four variants by interleaved blocks in one sitting, each of b, c and d compared with a.
#include <unistd.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/session/plan.h"
#include "present.h"
#include "run_session.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;

struct RaceArguments {
  SpecArguments spec;
  std::vector<std::string> b, c, d;  // what each does otherwise than a
  bool events = false;
};

// a, b, and those of c and d that were asked for; every mistake is named.
wire::Result<std::vector<engine::Variant>> variants(const RaceArguments& arguments, const Context& context, Input& input) {
  Error mistakes{ExitCode::Usage, std::vector<wire::Message>{}};
  const auto keys = specKeys(context.schema, arguments.spec, input, mistakes);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!keys.ok()) return keys.error();
  if (arguments.c.empty() && !arguments.d.empty()) addMistakes(mistakes, {ExitCode::Usage, {"race.d_without_c"}});
  const auto a = wire::RunSpec::parse(context.schema, *keys);
  if (!a.ok()) addMistakes(mistakes, a.error());
  std::vector<engine::Variant> all;
  if (a.ok()) all.push_back({registry::makeRunId(), "a", *a});
  for (const auto& [name, words] : {std::pair{"b", &arguments.b}, std::pair{"c", &arguments.c}, std::pair{"d", &arguments.d}}) {
    if (words->empty() && std::string_view(name) != "b") continue;
    auto own = *keys;
    assignWords(context.schema, own, *words, mistakes);
    if (!a.ok()) continue;  // its mistakes would be told again
    const auto spec = wire::RunSpec::parse(context.schema, own);
    if (spec.ok()) all.push_back({registry::makeRunId(), name, *spec});
    else addMistakes(mistakes, spec.error());
  }
  if (!mistakes.messages.empty()) return mistakes;
  for (const auto& variant : all)
    if (auto valid = engine::validate(variant.spec); !valid.ok()) return valid.error();
  return all;
}

void saveRace(const Console& console, const Context& context, const std::string& id, const wire::RaceSummary& race) {
  auto registry = registry::Registry::open(context.home);
  if (!registry.ok()) return console.fail(registry.error());
  if (const auto put = (*registry)->putRace(id, race); !put.ok()) console.fail(put.error());
}

ExitCode execute(const RaceArguments& arguments, Context& context) {
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  const auto all = variants(arguments, context, input);
  engine::Control control;
  const auto id = registry::makeRunId();
  Recorder recorder(context.home, id, events, console, control);
  if (!all.ok()) return refuse(all.error(), recorder, console, context.json && !arguments.events);
  engine::Session session(withFolders(*all, recorder), context.memory, control, recorder.sink());
  auto ending = runObeying(session, control, arguments.events ? &input : nullptr, recorder, console);
  const auto race = session.race(ending.summaries);
  if (!ending.failure) recorder.take("", wire::RaceFinished{race});
  closeRecords(ending, recorder);
  saveRace(console, context, id, race);
  if (ending.failure) console.fail(*ending.failure);
  if (context.json && !arguments.events) console.printJson(wire::toJson(race));
  else if (!arguments.events) presentRace(console, race);
  return exitCode(ending);
}

}  // namespace

Run declareRace(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<RaceArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  const auto others = [&](const char* flag, std::vector<std::string>& words, const char* help) {
    command.add_option(flag, words, texts.text(help))->type_name("KEY=VALUE")->allow_extra_args(false);
  };
  others("--b", arguments->b, "cli.b");
  others("--c", arguments->c, "cli.c");
  others("--d", arguments->d, "cli.d");
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
