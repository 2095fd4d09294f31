// run and race: a spec from file, flags and --set; a session; its record, events, table or JSON.
#include <fcntl.h>
#include <unistd.h>

#include <c10/util/Exception.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/session/plan.h"
#include "core/engine/session/session.h"
#include "core/wire/number.h"
#include "input.h"
#include "present.h"
#include "recorder.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;

struct RunArguments {
  SpecArguments spec;
  bool events = false, race = false;
};

wire::Result<nlohmann::json> specJson(const RunArguments& arguments, Input& input) {
  std::string text = "{}";
  if (arguments.spec.file == "-") text = input.json();
  else if (!arguments.spec.file.empty()) {
    auto read = registry::readWhole(arguments.spec.file, 1 << 20);
    if (!read.ok()) return Error{ExitCode::Usage, read.error().messages};
    text = *read;
  }
  std::string duplicate;
  auto json = wire::parseJson(text, &duplicate);
  if (!duplicate.empty()) return Error{ExitCode::Usage, {"spec.key_twice", {{"key", duplicate}}}};
  if (!json || !json->is_object()) return Error{ExitCode::Usage, {"spec.malformed"}};
  return *json;
}

// Puts "key=value" words and flags over a spec; every mistake is collected.
void assign(const wire::Schema& schema, nlohmann::json& spec, const std::string& key, const std::string& value,
            Error& mistakes) {
  const auto* option = schema.find(key);
  if (!option) {
    const auto nearest = schema.nearestKey(key);
    mistakes.messages.push_back(
        {nearest.empty() ? "spec.unknown_key" : "spec.unknown_key_near", {{"key", key}, {"nearest", nearest}}});
    return;
  }
  const auto read = wire::readText(*option, value);
  if (read.ok()) spec[key] = wire::valueJson(read.value());
  else mistakes.messages.push_back(read.error().messages.front());
}

void assignAll(const wire::Schema& schema, nlohmann::json& spec, const std::vector<std::string>& words, Error& mistakes) {
  for (const auto& word : words) {
    const auto split = word.find('=');
    if (split == std::string::npos) mistakes.messages.push_back({"cli.not_assignment", {{"word", word}}});
    else assign(schema, spec, word.substr(0, split), word.substr(split + 1), mistakes);
  }
}

wire::Result<std::vector<engine::Variant>> variants(const RunArguments& arguments, const Context& context, Input& input) {
  auto json = specJson(arguments, input);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!json.ok()) return json.error();
  Error mistakes{ExitCode::Usage, std::vector<wire::Message>{}};
  for (const auto& [key, value] : arguments.spec.flags) assign(context.schema, *json, key, value, mistakes);
  assignAll(context.schema, *json, arguments.spec.set, mistakes);
  auto other = *json;
  if (arguments.race) assignAll(context.schema, other, arguments.spec.b, mistakes);
  const auto a = wire::RunSpec::parse(context.schema, *json);
  if (!a.ok()) mistakes.messages.insert(mistakes.messages.end(), a.error().messages.begin(), a.error().messages.end());
  if (!mistakes.messages.empty()) return mistakes;
  std::vector<engine::Variant> all;
  if (!arguments.race) {
    all.push_back({registry::makeRunId(), "", *a});
  } else {
    const auto b = wire::RunSpec::parse(context.schema, other);
    if (!b.ok()) return b.error();
    all.push_back({registry::makeRunId(), "a", *a});
    all.push_back({registry::makeRunId(), "b", *b});
  }
  for (const auto& variant : all)
    if (auto valid = engine::validate(variant.spec); !valid.ok()) return valid.error();
  return all;
}

// With --events stdout belongs to us alone: descriptor 1 becomes stderr, where libraries may write what they like.
int claimStdout(bool events) {
  if (!events) return -1;
  const int ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return ours;
}

// Runs the session and turns whatever it throws into an error: this is the one place where exceptions end.
std::optional<Error> guarded(engine::Session& session) {
  try {
    const auto status = session.run();
    if (!status.ok()) return status.error();
    return std::nullopt;
  } catch (const c10::OutOfMemoryError& problem) {
    return Error{ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", problem.what_without_backtrace()}}}};
  } catch (const c10::Error& problem) {
    return Error{ExitCode::Failed, {"run.exception", {{"detail", problem.what_without_backtrace()}}}};
  } catch (const std::bad_alloc&) {
    return Error{ExitCode::OutOfMemory, {"run.out_of_memory", {{"detail", "bad_alloc"}}}};
  } catch (const std::exception& problem) {
    return Error{ExitCode::Failed, {"run.exception", {{"detail", problem.what()}}}};
  }
}

void saveRace(const Console& console, const Context& context, const std::string& id, const wire::RaceSummary& race) {
  auto registry = registry::Registry::open(context.home);
  if (!registry.ok()) return console.fail(registry.error());
  if (const auto put = (*registry)->putRace(id, race); !put.ok()) console.fail(put.error());
}

ExitCode execute(const RunArguments& arguments, Context& context) {
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  auto all = variants(arguments, context, input);
  engine::Control control;
  const auto raceId = arguments.race && all.ok() ? registry::makeRunId() : std::string();
  Recorder recorder(context.home, raceId, events, console, control);
  if (!all.ok()) {
    if (arguments.events) recorder.take("", wire::RunFailed{all.error().code, all.error().messages});
    console.fail(all.error());
    if (context.json && !arguments.events)
      console.printJson({{"status", "failed"}, {"failure", wire::toJson(all.error().messages)}});
    return all.error().code;
  }
  std::unique_ptr<engine::Session> session = std::make_unique<engine::Session>(
      *all, context.memory, control,
      [&](const std::string& variant, wire::EventBody body) { recorder.take(variant, std::move(body)); });
  std::optional<Error> failure;
  {
    const ControlThread controller(control, arguments.events ? &input : nullptr);
    failure = guarded(*session);
    if (const auto unwritten = recorder.failure()) failure = *unwritten;
  }
  console.endProgress();
  const std::string status = failure ? "failed" : session->interrupted() ? "interrupted" : "done";
  auto summaries = session->summaries(status);
  for (auto& summary : summaries) {
    if (failure) {
      summary.status = status;
      summary.failure = failure->messages;
      recorder.take(summary.variant, wire::RunFailed{failure->code, failure->messages});
    } else {
      recorder.take(summary.variant, wire::RunFinished{summary});
    }
  }
  auto race = session->race(status);
  if (race) {
    race->a = summaries[0];
    race->b = summaries[1];
    if (!failure) recorder.take("", wire::RaceFinished{*race});
  }
  for (const auto& summary : summaries) recorder.finish(summary);
  if (race) saveRace(console, context, raceId, *race);
  if (!failure) failure = recorder.failure();
  if (failure) console.fail(*failure);
  if (context.json && !arguments.events) console.printJson(race ? wire::toJson(*race) : wire::toJson(summaries.front()));
  else if (!arguments.events && race) presentRace(console, *race);
  else if (!arguments.events) presentRun(console, summaries.front());
  if (failure) return failure->code;
  return session->interrupted() ? ExitCode::Interrupted : ExitCode::Done;
}

Run declare(CLI::App& command, Context& context, bool race) {
  auto arguments = std::make_shared<RunArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  arguments->race = race;
  declareSpec(command, context.schema, arguments->spec, texts);
  if (race) command.add_option("--b", arguments->spec.b, texts.text("cli.b"))->type_name("KEY=VALUE")->allow_extra_args(false);
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace

Run declareRun(CLI::App& command, Context& context) {
  return declare(command, context, false);
}
Run declareRace(CLI::App& command, Context& context) {
  return declare(command, context, true);
}

}  // namespace atelier::worker
