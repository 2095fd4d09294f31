// compare: runs side by side, and the spec keys in which they differ.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "command.h"
#include "core/registry/registry.h"
#include "present.h"
#include "runs_export.h"

namespace atelier::worker {
namespace {

using wire::ExitCode;

struct CompareArguments {
  std::vector<std::string> ids;
  bool markdown = false, csv = false;
};

// Keys that not all specs agree on, with each run's value.
nlohmann::json differences(const std::vector<registry::RunRecord>& runs) {
  std::set<std::string> keys;
  for (const auto& run : runs)
    if (run.spec.is_object())
      for (const auto& [key, value] : run.spec.items()) keys.insert(key);
  auto result = nlohmann::json::object();
  for (const auto& key : keys) {
    auto values = nlohmann::json::array();
    std::set<std::string> distinct;
    for (const auto& run : runs) {
      values.push_back(run.spec.is_object() && run.spec.contains(key) ? run.spec[key] : nlohmann::json());
      distinct.insert(values.back().dump());
    }
    if (distinct.size() > 1) result[key] = values;
  }
  return result;
}

// Where the losses of two runs of one spec first differ: the block, and the steps measured by its end; null where they never
// do, which deterministic mode promises. nullopt when there aren't two such runs, or their events can't be read.
std::optional<nlohmann::json> partingOf(registry::Registry& registry, const std::vector<registry::RunRecord>& runs) {
  if (runs.size() != 2 || !differences(runs).empty()) return std::nullopt;
  std::vector<wire::BlockDone> blocks[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto events = registry.events(runs[i].id);
    if (!events.ok()) return std::nullopt;
    for (const auto& event : *events)
      if (const auto* block = std::get_if<wire::BlockDone>(&event.body)) blocks[i].push_back(*block);
  }
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < std::min(blocks[0].size(), blocks[1].size()); ++i) {
    const auto &a = blocks[0][i], &b = blocks[1][i];
    steps += a.steps;
    const bool bothNone = a.loss && b.loss && std::isnan(*a.loss) && std::isnan(*b.loss);
    if (a.steps != b.steps || (a.loss != b.loss && !bothNone))
      return std::optional<nlohmann::json>(std::in_place, nlohmann::json{{"block", a.block}, {"steps", steps}});
  }
  return std::optional<nlohmann::json>(std::in_place, nullptr);
}

ExitCode execute(const CompareArguments& arguments, const Context& context) {
  const Console console(context.language, true);
  auto registry = registry::Registry::open(context.home);
  if (!registry.ok()) {
    console.fail(registry.error());
    return registry.error().code;
  }
  std::vector<registry::RunRecord> runs;
  for (const auto& id : arguments.ids) {
    auto run = (*registry)->find(id);
    if (!run.ok()) {
      console.fail(run.error());
      return run.error().code;
    }
    runs.push_back(*run);
  }
  const auto different = differences(runs);
  if (context.json) {
    nlohmann::json all{{"runs", nlohmann::json::array()}, {"differences", different}};
    for (const auto& run : runs) all["runs"].push_back(wire::toJson(run.summary));
    if (const auto parting = partingOf(**registry, runs)) all["losses_part"] = *parting;
    console.printJson(all);
    return ExitCode::Done;
  }
  if (arguments.csv) {
    console.print(runsCsv(runs));
    return ExitCode::Done;
  }
  std::vector<std::pair<std::string, wire::RunSummary>> named;
  for (const auto& run : runs) named.emplace_back(run.labels.name.empty() ? run.id : run.labels.name, run.summary);
  auto rows = figureTable(console, named);
  for (const auto& [key, values] : different.items()) {
    rows.push_back({key});
    for (const auto& value : values) rows.back().push_back(value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (const auto parting = partingOf(**registry, runs)) {
    const auto at = parting->is_null() ? console.text("compare.never") : (*parting)["steps"].dump();
    rows.push_back({console.text("compare.losses_part"), at, at});
  }
  if (arguments.markdown) console.print(markdownTable(rows));
  else console.table(rows);
  return ExitCode::Done;
}

}  // namespace

Run declareCompare(CLI::App& command, Context& context) {
  auto arguments = std::make_shared<CompareArguments>();
  const auto texts = wire::Catalog::builtIn(context.language);
  command.add_option("run", arguments->ids, texts.text("cli.runs.ids"))->required()->type_name("RUN");
  command.add_flag("--markdown", arguments->markdown, texts.text("cli.compare.markdown"));
  command.add_flag("--csv", arguments->csv, texts.text("cli.compare.csv"));
  return [arguments, &context] { return execute(*arguments, context); };
}

}  // namespace atelier::worker
