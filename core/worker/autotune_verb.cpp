// autotune: the workers, the prefetch and, when asked, the batch that make a run fastest on this machine, found by racing them.
#include <unistd.h>

#include <algorithm>

#include "command.h"
#include "control_thread.h"
#include "core/engine/monitor/process.h"
#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/session/autotune.h"
#include "core/engine/session/plan.h"
#include "spec_arguments.h"

namespace atelier::worker {
namespace {

using engine::LoaderSetting;
using engine::TunedSetting;
using nlohmann::json;
using wire::ExitCode;
using wire::Message;

struct TuneArguments {
  SpecArguments spec;
  bool batches = false;
};

json settingJson(const LoaderSetting& setting) {
  return {{"workers", setting.workers}, {"prefetch", setting.prefetch}, {"batch", setting.batch}};
}

// "--workers 2 --prefetch 4", as it is typed.
std::string flagsOf(const LoaderSetting& setting, const LoaderSetting& start) {
  auto flags = "--workers " + std::to_string(setting.workers) + " --prefetch " + std::to_string(setting.prefetch);
  if (setting.batch != start.batch) flags += " --batch " + std::to_string(setting.batch);
  return flags;
}

// Threads that compute and threads that load share the cores; more of both than cores wait for one another.
bool crowds(const wire::RunSpec& spec, std::int64_t workers, int cores) {
  const auto threads = spec.integer("threads") > 0 ? spec.integer("threads") : cores;
  return workers > 0 && threads + workers > cores;
}

json tuningJson(const engine::Tuning& tuning, const wire::RunSpec& spec, int cores) {
  auto tried = json::array();
  for (const auto& one : tuning.tried) {
    auto entry = settingJson(one.setting);
    entry["races"] = one.races;
    if (one.samples_per_second) entry["samples_per_second"] = *one.samples_per_second;
    if (one.ratio) entry["ratio"] = wire::toJson(*one.ratio);
    if (!one.verdict.empty()) entry["verdict"] = one.verdict;
    if (!one.failure.empty()) entry["failure"] = wire::toJson(one.failure);
    tried.push_back(std::move(entry));
  }
  json object{{"status", tuning.interrupted ? "interrupted" : "done"},
              {"start", settingJson(tuning.start)},
              {"tried", std::move(tried)},
              {"better", tuning.better},
              {"cores", cores}};
  const auto& chosen = tuning.better ? tuning.tried[*tuning.best].setting : tuning.start;
  object["best"] = settingJson(chosen);
  object["flags"] = flagsOf(chosen, tuning.start);
  object["oversubscribed"] = crowds(spec, chosen.workers, cores);
  return object;
}

std::vector<std::string> rowOf(const Console& console, const TunedSetting& one) {
  const auto& format = console.format();
  return {std::to_string(one.setting.workers),
          std::to_string(one.setting.prefetch),
          std::to_string(one.setting.batch),
          one.samples_per_second ? format.number(*one.samples_per_second, 4) : "—",
          one.ratio ? format.ratio(one.ratio->median) : "—",
          one.ratio ? format.interval(*one.ratio) : "—",
          std::to_string(one.races)};
}

void present(const Console& console, const engine::Tuning& tuning, const wire::RunSpec& spec, int cores) {
  std::vector<std::vector<std::string>> rows{{"workers", "prefetch", "batch", console.text("autotune.rate"),
                                              console.text("autotune.ratio"), console.text("autotune.interval"),
                                              console.text("autotune.races")}};
  for (const auto& one : tuning.tried) rows.push_back(rowOf(console, one));
  console.table(rows);
  console.print("");
  const auto say = [&](Message message) { console.print(console.texts().text(message)); };
  for (const auto& one : tuning.tried)
    for (const auto& message : one.failure)
      say({"autotune.failed", {{"setting", flagsOf(one.setting, tuning.start)}, {"reason", console.texts().text(message)}}});
  if (tuning.interrupted) return say({"autotune.interrupted"});
  if (!tuning.better) return say({"autotune.nothing_better", {{"setting", flagsOf(tuning.start, tuning.start)}}});
  const auto& best = tuning.tried[*tuning.best];
  say({"autotune.best",
       {{"setting", flagsOf(best.setting, tuning.start)},
        {"ratio", console.format().ratio(best.ratio->median)},
        {"interval", console.format().interval(*best.ratio)}}});
  if (best.setting.batch != tuning.start.batch) say({"autotune.other_batch"});
  if (crowds(spec, best.setting.workers, cores))
    say({"autotune.crowded", {{"workers", std::to_string(best.setting.workers)}, {"cores", std::to_string(cores)}}});
}

ExitCode refused(const Console& console, const wire::Error& error, bool asJson) {
  console.fail(error);
  if (asJson) console.printJson({{"status", "failed"}, {"failure", wire::toJson(error.messages)}});
  return error.code;
}

ExitCode execute(const TuneArguments& arguments, Context& context) {
  Console console(context.language, context.json);
  Input input(STDIN_FILENO);
  const auto spec = readSpec(context.schema, arguments.spec, input);
  blockSignals();  // only now: while a spec is awaited, Ctrl-C ends the program as it ends any other
  if (!spec.ok()) return refused(console, spec.error(), context.json);
  if (auto valid = engine::validate(*spec); !valid.ok()) return refused(console, valid.error(), context.json);
  const int cores = engine::availableCores();
  const auto start = engine::loaderSetting(*spec);
  const auto grid = engine::tuningGrid(start, cores, arguments.batches);
  engine::Control control;
  wire::Result<engine::Tuning> tuning(engine::Tuning{});
  {
    const ControlThread controller(control, nullptr);
    int races = 0;
    const auto run = engine::tuningRaces(*spec, context.memory, control, {});
    const auto counted = [&](const engine::TuningRace& race) {
      // Halving comes to an end after about two races in three of the grid.
      const auto planned = std::max<double>(1, static_cast<double>(grid.size()) * 2 / engine::kSettingsOfARace);
      console.progress("autotune", std::min(0.99, races++ / planned), flagsOf(race.settings.front(), start));
      return run(race);
    };
    tuning = engine::tune(start, grid, counted, control);
  }
  console.endProgress();
  if (!tuning.ok()) return refused(console, tuning.error(), context.json);
  if (context.json) console.printJson(tuningJson(*tuning, *spec, cores));
  else present(console, *tuning, *spec, cores);
  return tuning->interrupted ? ExitCode::Interrupted : ExitCode::Done;
}

}  // namespace

Run declareAutotune(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<TuneArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  declareSpec(command, context.schema, arguments->spec, texts);
  command.add_flag("--batch-too", arguments->batches, texts.text("cli.autotune.batch_too"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
