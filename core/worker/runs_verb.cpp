// runs: list, show, delete, restore, reindex, export, import, label.
#include <algorithm>
#include <limits>
#include <utility>

#include "command.h"
#include "core/registry/query.h"
#include "runs_export.h"
#include "runs_table.h"

namespace atelier::worker {
namespace {

using registry::Registry;
using registry::RunRecord;
using wire::Error;
using wire::ExitCode;
using Runs = std::vector<RunRecord>;

constexpr int kAll = std::numeric_limits<int>::max();

struct RunsArguments {
  std::string action = "list", out, where, sort, name, note;
  std::vector<std::string> ids, tags, untags;
  int limit = 50;
  bool pin = false, unpin = false;
  // What was given at all: an empty name takes the name away.
  const CLI::Option* nameGiven = nullptr;
  const CLI::Option* noteGiven = nullptr;
  const CLI::Option* limitGiven = nullptr;
};

ExitCode failed(const Console& console, const Error& error) {
  console.fail(error);
  return error.code;
}

std::vector<std::string> specKeys(const wire::Schema& schema) {
  std::vector<std::string> keys;
  for (const auto& option : schema.options()) keys.push_back(option.key);
  return keys;
}

wire::Status checkSort(const std::string& field, const wire::Schema& schema) {
  const auto keys = specKeys(schema);
  if (registry::findField(field) || field.starts_with("spec.") || std::find(keys.begin(), keys.end(), field) != keys.end())
    return wire::success();
  auto names = keys;
  for (const auto& info : registry::knownFields()) names.push_back(info.name);
  Error error{ExitCode::Usage, {"runs.unknown_field", {{"field", field}}}};
  if (const auto nearest = wire::nearestName(field, names); !nearest.empty())
    error.messages.push_back({"registry.did_you_mean", {{"nearest", nearest}}});
  return error;
}

// All runs that --where wants, in the order of --sort.
wire::Result<Runs> filtered(const RunsArguments& arguments, const Context& context, Registry& registry) {
  const auto query = registry::Query::parse(arguments.where, specKeys(context.schema));
  if (!query.ok()) return query.error();
  const bool descending = arguments.sort.starts_with("-");
  const auto field = arguments.sort.substr(descending ? 1 : 0);
  if (!field.empty())
    if (const auto known = checkSort(field, context.schema); !known.ok()) return known.error();
  auto runs = registry.list(kAll);
  if (!runs.ok()) return runs;
  std::erase_if(*runs, [&query](const RunRecord& run) { return !query->matches(run); });
  if (!field.empty()) registry::sortRuns(*runs, field, descending);
  return runs;
}

void shorten(Runs& runs, int limit) {
  const auto most = static_cast<std::size_t>(limit);
  if (runs.size() > most) runs.erase(runs.begin() + limit, runs.end());
}

ExitCode list(const RunsArguments& arguments, const Console& console, const Context& context, Registry& registry) {
  const bool narrowed = !arguments.where.empty() || !arguments.sort.empty();
  auto runs = narrowed ? filtered(arguments, context, registry) : registry.list(arguments.limit);
  if (!runs.ok()) return failed(console, runs.error());
  const auto found = runs->size();
  shorten(*runs, arguments.limit);
  if (!arguments.where.empty() && found == 0 && !context.json) console.print(console.text("runs.none_match"));
  else listRuns(console, context, *runs);
  if (found > runs->size() && !context.json)
    console.print(console.texts().text(wire::Message{"runs.more", {{"count", std::to_string(found - runs->size())}}}));
  return ExitCode::Done;
}

// The runs that an action is about: those named, or those that --where wants.
wire::Result<Runs> selected(const RunsArguments& arguments, const Context& context, Registry& registry) {
  if (!arguments.ids.empty() && !arguments.where.empty()) return Error{ExitCode::Usage, {"runs.ids_or_where"}};
  if (!arguments.where.empty()) {
    auto runs = filtered(arguments, context, registry);
    if (runs.ok() && arguments.limitGiven->count() > 0) shorten(*runs, arguments.limit);
    if (runs.ok() && runs->empty()) return Error{ExitCode::Usage, {"runs.none_match"}};
    return runs;
  }
  if (arguments.ids.empty()) return Error{ExitCode::Usage, {"runs.no_id", {{"action", arguments.action}}}};
  Runs runs;
  for (const auto& id : arguments.ids) {
    auto run = registry.find(id);
    if (!run.ok()) return run.error();
    runs.push_back(std::move(*run));
  }
  return runs;
}

// Tells, as one JSON object or a line a run, what was done to which runs; also when it could not be done to the last.
ExitCode tell(const Console& console, const Context& context, const std::string& key, const std::string& text,
              const std::vector<std::string>& ids, const wire::Status& status) {
  if (context.json) console.printJson({{key, ids}});
  for (const auto& id : ids)
    if (!context.json) console.print(console.texts().text(wire::Message{text, {{"run", id}}}));
  return status.ok() ? ExitCode::Done : failed(console, status.error());
}

ExitCode removeAll(const Console& console, const Context& context, Registry& registry, const Runs& runs) {
  std::vector<std::string> removed;
  auto status = wire::success();
  for (auto run = runs.begin(); status.ok() && run != runs.end(); ++run) {
    status = registry.remove(run->id);
    if (status.ok()) removed.push_back(run->id);
  }
  return tell(console, context, "deleted", "runs.deleted", removed, status);
}

ExitCode restoreAll(const RunsArguments& arguments, const Console& console, const Context& context, Registry& registry) {
  std::vector<std::string> restored;
  auto status = wire::success();
  for (auto id = arguments.ids.begin(); status.ok() && id != arguments.ids.end(); ++id) {
    status = registry.restore(*id);
    if (status.ok()) restored.push_back(*id);
  }
  return tell(console, context, "restored", "runs.restored", restored, status);
}

registry::Labels labelled(registry::Labels labels, const RunsArguments& arguments) {
  if (arguments.nameGiven->count() > 0) labels.name = arguments.name;
  if (arguments.noteGiven->count() > 0) labels.note = arguments.note;
  for (const auto& tag : arguments.untags) std::erase(labels.tags, tag);
  for (const auto& tag : arguments.tags)
    if (!tag.empty() && std::find(labels.tags.begin(), labels.tags.end(), tag) == labels.tags.end()) labels.tags.push_back(tag);
  if (arguments.pin || arguments.unpin) labels.pinned = arguments.pin;
  return labels;
}

ExitCode labelAll(const RunsArguments& arguments, const Console& console, const Context& context, Registry& registry,
                  const Runs& runs) {
  const bool given = arguments.nameGiven->count() + arguments.noteGiven->count() > 0 || !arguments.tags.empty() ||
                     !arguments.untags.empty() || arguments.pin || arguments.unpin;
  if (!given) return failed(console, {ExitCode::Usage, {"runs.no_label"}});
  auto all = nlohmann::json::array();
  for (const auto& run : runs) {
    const auto labels = labelled(run.labels, arguments);
    if (const auto status = registry.label(run.id, labels); !status.ok()) return failed(console, status.error());
    all.push_back(labelsJson(labels));
    all.back()["id"] = run.id;
    if (!context.json) console.print(console.texts().text(wire::Message{"runs.labelled", {{"run", run.id}}}));
  }
  if (context.json) console.printJson(all);
  return ExitCode::Done;
}

ExitCode reindex(const Console& console, const Context& context, Registry& registry) {
  const auto count = registry.reindex();
  if (!count.ok()) return failed(console, count.error());
  if (context.json) console.print(nlohmann::json{{"runs", *count}}.dump());
  else console.print(console.texts().text(wire::Message{"runs.reindexed", {{"count", std::to_string(*count)}}}));
  return ExitCode::Done;
}

ExitCode each(const RunsArguments& arguments, const Console& console, const Context& context, Registry& registry) {
  const auto runs = selected(arguments, context, registry);
  if (!runs.ok()) return failed(console, runs.error());
  if (arguments.action == "export") return exportRuns(console, context, registry, *runs, arguments.out);
  if (arguments.action == "delete") return removeAll(console, context, registry, *runs);
  if (arguments.action == "label") return labelAll(arguments, console, context, registry, *runs);
  for (const auto& run : *runs) showRun(console, context, run);
  return ExitCode::Done;
}

// Actions that take no --where: what they are about isn't among the runs.
ExitCode others(const RunsArguments& arguments, const Console& console, const Context& context, Registry& registry) {
  const auto& action = arguments.action;
  if (!arguments.where.empty()) return failed(console, {ExitCode::Usage, {"runs.no_where", {{"action", action}}}});
  if (action == "reindex") return reindex(console, context, registry);
  if (arguments.ids.empty())
    return failed(console, {ExitCode::Usage, {action == "import" ? "runs.no_file" : "runs.no_id", {{"action", action}}}});
  if (action == "import") return importRuns(console, context, arguments.ids);
  return restoreAll(arguments, console, context, registry);
}

ExitCode execute(const RunsArguments& arguments, const Context& context) {
  const Console console(context.language, true);
  auto registry = Registry::open(context.home);
  if (!registry.ok()) return failed(console, registry.error());
  auto& runs = **registry;
  const auto& action = arguments.action;
  const bool other = action == "restore" || action == "reindex" || action == "import";
  const auto code = action == "list" ? list(arguments, console, context, runs)
                    : other          ? others(arguments, console, context, runs)
                                     : each(arguments, console, context, runs);
  for (const auto& notice : runs.notices()) console.warn(notice);
  return code;
}

}  // namespace

Run declareRuns(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<RunsArguments>();
  auto& a = *arguments;
  const auto texts = wire::Catalog::builtIn(context.language);
  command.add_option("action", a.action, texts.text("cli.runs.action"))
      ->check(CLI::IsMember({"list", "show", "delete", "restore", "reindex", "export", "import", "label"}))
      ->type_name("");
  command.add_option("run", a.ids, texts.text("cli.runs.ids"))->type_name("RUN");
  command.add_option("--where", a.where, texts.text("cli.runs.where"))->type_name("EXPR");
  command.add_option("--sort", a.sort, texts.text("cli.runs.sort"))->type_name("FIELD");
  a.limitGiven =
      command.add_option("--limit", a.limit, texts.text("cli.runs.limit"))->check(CLI::Range(1, 1000000))->type_name("N");
  command.add_option("--out", a.out, texts.text("cli.runs.out"))->type_name("FILE");
  a.nameGiven = command.add_option("--name", a.name, texts.text("cli.runs.name"))->type_name("NAME");
  a.noteGiven = command.add_option("--note", a.note, texts.text("cli.runs.note"))->type_name("TEXT");
  command.add_option("--tag", a.tags, texts.text("cli.runs.tag"))->type_name("TAG")->allow_extra_args(false);
  command.add_option("--untag", a.untags, texts.text("cli.runs.untag"))->type_name("TAG")->allow_extra_args(false);
  auto* pin = command.add_flag("--pin", a.pin, texts.text("cli.runs.pin"));
  command.add_flag("--unpin", a.unpin, texts.text("cli.runs.unpin"))->excludes(pin);
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
