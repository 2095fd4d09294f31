// runs: list, show, delete, restore, reindex, export.
#include <algorithm>

#include "command.h"
#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "present.h"
#include "runs_export.h"

namespace atelier::worker {
namespace {

using registry::Registry;
using wire::ExitCode;

struct RunsArguments {
  std::string action = "list", out;
  std::vector<std::string> ids;
  int limit = 50;
};

ExitCode failed(const Console& console, const wire::Error& error) {
  console.fail(error);
  return error.code;
}

ExitCode list(const Console& console, const Context& context, Registry& registry, int limit) {
  auto runs = registry.list(limit);
  if (!runs.ok()) return failed(console, runs.error());
  if (context.json) {
    auto all = nlohmann::json::array();
    for (const auto& run : *runs) all.push_back(wire::toJson(run.summary));
    console.printJson(all);
    return ExitCode::Done;
  }
  if (runs->empty()) {
    console.print(console.text("runs.none"));
    return ExitCode::Done;
  }
  std::vector<std::vector<std::string>> rows{{console.text("figure.run"), console.text("option.model.label"),
                                              console.text("figure.status"), console.text("unit.samples_per_second"),
                                              console.text("figure.accuracy"), console.text("runs.name")}};
  for (const auto& run : *runs) {
    const auto& s = run.summary;
    rows.push_back({run.id,
                    run.spec.is_object() && run.spec.contains("model") && run.spec["model"].is_string()
                        ? run.spec["model"].get<std::string>()
                        : "—",
                    console.text("status." + s.status),
                    s.samples_per_second ? console.format().number(s.samples_per_second->median, 4) : "—",
                    s.accuracy ? console.format().percent(*s.accuracy) : "—", run.labels.name});
  }
  console.table(rows);
  return ExitCode::Done;
}

ExitCode show(const Console& console, const Context& context, const registry::RunRecord& run) {
  if (context.json) {
    console.printJson(nlohmann::json{
        {"summary", wire::toJson(run.summary)},
        {"spec", run.spec},
        {"folder", run.folder.string()},
        {"race", run.race},
        {"labels",
         {{"name", run.labels.name}, {"note", run.labels.note}, {"tags", run.labels.tags}, {"pinned", run.labels.pinned}}}});
    return ExitCode::Done;
  }
  presentRun(console, run.summary);
  for (const auto& message : run.summary.failure) console.print(console.texts().text(message));
  console.print("\n" + run.folder.string());
  return ExitCode::Done;
}

ExitCode each(const RunsArguments& arguments, const Console& console, const Context& context, Registry& registry) {
  if (arguments.ids.empty()) return failed(console, {ExitCode::Usage, {"runs.no_id", {{"action", arguments.action}}}});
  if (arguments.action == "export") return exportRuns(console, registry, arguments.ids, arguments.out);
  for (const auto& id : arguments.ids) {
    if (arguments.action == "restore") {
      if (const auto restored = registry.restore(id); !restored.ok()) return failed(console, restored.error());
      continue;
    }
    auto run = registry.find(id);
    if (!run.ok()) return failed(console, run.error());
    if (arguments.action == "show") {
      if (const auto shown = show(console, context, *run); shown != ExitCode::Done) return shown;
    } else if (const auto removed = registry.remove(run->id); !removed.ok()) {
      return failed(console, removed.error());
    } else {
      console.print(console.texts().text(wire::Message{"runs.deleted", {{"run", run->id}}}));
    }
  }
  return ExitCode::Done;
}

ExitCode execute(const RunsArguments& arguments, const Context& context) {
  const Console console(context.language, true);
  auto registry = Registry::open(context.home);
  if (!registry.ok()) return failed(console, registry.error());
  auto& runs = **registry;
  auto code = ExitCode::Done;
  if (arguments.action == "list") code = list(console, context, runs, arguments.limit);
  else if (arguments.action == "reindex") {
    const auto count = runs.reindex();
    if (!count.ok()) return failed(console, count.error());
    if (context.json) console.print(nlohmann::json{{"runs", *count}}.dump());
    else console.print(console.texts().text(wire::Message{"runs.reindexed", {{"count", std::to_string(*count)}}}));
  } else {
    code = each(arguments, console, context, runs);
  }
  for (const auto& notice : runs.notices()) console.warn(notice);
  return code;
}

}  // namespace

Run declareRuns(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<RunsArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  command.add_option("action", arguments->action, texts.text("cli.runs.action"))
      ->check(CLI::IsMember({"list", "show", "delete", "restore", "reindex", "export"}))
      ->type_name("");
  command.add_option("run", arguments->ids, texts.text("cli.runs.ids"))->type_name("RUN");
  command.add_option("--out", arguments->out, texts.text("cli.runs.out"))->type_name("FILE");
  command.add_option("--limit", arguments->limit, texts.text("cli.runs.limit"))->check(CLI::Range(1, 1000000))->type_name("N");
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
