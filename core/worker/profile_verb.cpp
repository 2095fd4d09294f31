// profile: a run whose last steps are looked at by the profiler, or a trace that another program made; tables, a diagnosis and
// a plan; exports for other viewers; the difference from another trace.
#include <chrono>
#include <memory>

#include <unistd.h>

#include "command.h"
#include "control_thread.h"
#include "core/engine/profile/schedule.h"
#include "core/engine/session/plan.h"
#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/trace/chrome_json.h"
#include "core/trace/compare.h"
#include "core/trace/flame.h"
#include "core/trace/tensorboard.h"
#include "present.h"
#include "present_profile.h"
#include "run_session.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

namespace fs = std::filesystem;
using wire::Error;
using wire::ExitCode;

struct ProfileArguments {
  SpecArguments spec;
  std::string schedule = "on", import, against, trace, csv, flame, tensorboard;
  std::size_t rows = 12;
  bool shapes = false, events = false;
};

// Of a run that is made to be profiled: enough steps to know its speed, none more.
void shorten(nlohmann::json& keys) {
  const auto unless = [&](const char* key, nlohmann::json value) {
    if (!keys.contains(key)) keys[key] = std::move(value);
  };
  if (!keys.contains("epochs")) {
    unless("steps", 30);
    unless("warmup", 5);
  }
  unless("evaluate", false);
}

wire::Result<wire::RunSpec> specOf(const ProfileArguments& arguments, const Context& context, Input& input) {
  Error mistakes;
  auto keys = specKeys(context.schema, arguments.spec, input, mistakes);
  if (!keys.ok()) return keys.error();
  shorten(*keys);
  if (keys->value("profile", nlohmann::json("off")) == "off") (*keys)["profile"] = arguments.schedule;
  const auto spec = wire::RunSpec::parse(context.schema, *keys);
  if (!spec.ok()) addMistakes(mistakes, spec.error());
  if (!mistakes.messages.empty()) return mistakes;
  if (auto valid = engine::validate(*spec); !valid.ok()) return valid.error();
  return *spec;
}

// A trace's file, or the trace of a recorded run.
wire::Result<trace::Trace> openTrace(const std::string& name, const Context& context) {
  std::error_code problem;
  if (const auto recorded = context.home / "runs" / name / registry::kTraceFile;
      name.find('/') == std::string::npos && fs::exists(recorded, problem))
    return trace::readChromeTrace(recorded);
  return trace::readChromeTrace(name);
}

wire::Status writeExports(const ProfileArguments& arguments, const Profile& profile) {
  if (!arguments.trace.empty())
    if (auto done = trace::writeChromeTrace(profile.trace, arguments.trace); !done.ok()) return done;
  if (!arguments.csv.empty()) {
    const auto text = trace::operatorsCsv(profile.trace, profile.report.operators_by_shape);
    if (auto done = registry::writeWhole(arguments.csv, text); !done.ok()) return done;
  }
  if (!arguments.flame.empty()) {
    const auto flame =
        trace::flameOf(profile.trace, profile.report.times, trace::mainTrack(profile.trace), profile.report.span);
    if (auto done = registry::writeWhole(arguments.flame, trace::flameSvg(profile.trace, flame, profile.trace.title));
        !done.ok())
      return done;
  }
  if (arguments.tensorboard.empty()) return wire::success();
  const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  return trace::writeTensorBoard(profile.trace, arguments.tensorboard, "atelier", now);
}

// What was asked beside the tables: exports, and the difference from another trace.
ExitCode finish(const ProfileArguments& arguments, const Context& context, const Console& console, const Profile& profile,
                nlohmann::json answer) {
  if (const auto written = writeExports(arguments, profile); !written.ok()) {
    console.fail(written.error());
    return written.error().code;
  }
  const bool json = context.json && !arguments.events;
  if (!json && !arguments.events) presentProfile(console, profile, arguments.rows, arguments.shapes);
  if (!arguments.against.empty()) {
    const auto other = openTrace(arguments.against, context);
    if (!other.ok()) {
      console.fail(other.error());
      return other.error().code;
    }
    const auto comparison = trace::compareTraces(*other, profile.trace);
    if (json) answer["against"] = comparisonJson(comparison, arguments.rows);
    else if (!arguments.events) presentComparison(console, comparison, arguments.rows);
  }
  if (json) console.printJson(answer);
  return ExitCode::Done;
}

ExitCode showImported(const ProfileArguments& arguments, Context& context) {
  const Console console(context.language, context.json);
  auto read = openTrace(arguments.import, context);
  if (!read.ok()) {
    console.fail(read.error());
    return read.error().code;
  }
  const auto profile = makeProfile(std::move(read).value(), {});
  auto answer = profileJson(profile, &console.texts());
  answer["trace"] = arguments.import;
  return finish(arguments, context, console, profile, std::move(answer));
}

ExitCode profileRun(const ProfileArguments& arguments, Context& context) {
  Console console(context.language, context.json || arguments.events);
  Input input(STDIN_FILENO);
  const int events = claimStdout(arguments.events);
  const auto spec = specOf(arguments, context, input);
  blockSignals();
  engine::Control control;
  Recorder recorder(context.home, "", events, console, control);
  if (!spec.ok()) return refuse(spec.error(), recorder, console, context.json && !arguments.events);
  engine::Session session(withFolders({{registry::makeRunId(), "", *spec}}, recorder), context.memory, control,
                          recorder.sink());
  auto ending = runObeying(session, control, arguments.events ? &input : nullptr, recorder, console);
  closeRecords(ending, recorder);
  if (ending.failure) console.fail(*ending.failure);
  const auto& summary = ending.summaries.front();
  auto answer = wire::toJson(summary);
  if (ending.profiles.empty()) {  // it failed, or was stopped before its end
    if (context.json && !arguments.events) console.printJson(answer);
    return exitCode(ending);
  }
  answer.update(profileJson(ending.profiles.front(), &console.texts()));
  answer["trace"] = (recorder.folder(summary.id) / registry::kTraceFile).string();
  if (!context.json && !arguments.events) presentRun(console, summary);
  const auto shown = finish(arguments, context, console, ending.profiles.front(), std::move(answer));
  return shown == ExitCode::Done ? exitCode(ending) : shown;
}

}  // namespace

Run declareProfile(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<ProfileArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  command.add_option("--schedule", arguments->schedule, texts.text("cli.profile.schedule"))->type_name("TEXT");
  command.add_option("--import", arguments->import, texts.text("cli.profile.import"))->type_name("TRACE");
  command.add_option("--against", arguments->against, texts.text("cli.profile.against"))->type_name("TRACE|RUN");
  command.add_option("--trace", arguments->trace, texts.text("cli.profile.trace"))->type_name("FILE.json.gz");
  command.add_option("--csv", arguments->csv, texts.text("cli.profile.csv"))->type_name("FILE.csv");
  command.add_option("--flame", arguments->flame, texts.text("cli.profile.flame"))->type_name("FILE.svg");
  command.add_option("--tensorboard", arguments->tensorboard, texts.text("cli.profile.tensorboard"))->type_name("DIR");
  command.add_option("--rows", arguments->rows, texts.text("cli.profile.rows"))->check(CLI::Range(1, 1000))->type_name("N");
  command.add_flag("--by-shape", arguments->shapes, texts.text("cli.profile.by_shape"));
  command.add_flag("--events", arguments->events, texts.text("cli.events"));
  return [arguments, &context] {
    return arguments->import.empty() ? profileRun(*arguments, context) : showImported(*arguments, context);
  };
}

}  // namespace atelier::worker
