// describe: every unit and every option, for people and for the programs that build forms from them.
#include "command.h"
#include "core/engine/data/dataset.h"
#include "core/engine/models/model.h"
#include "core/engine/techniques/technique.h"

namespace atelier::worker {
namespace {

template <class Units>
nlohmann::json unitList(const Console& console, const Units& units, const std::string& kind) {
  auto list = nlohmann::json::array();
  for (const auto& unit : units)
    list.push_back({{"id", unit.id},
                    {"label", console.text(kind + "." + unit.id + ".label")},
                    {"help", console.text(kind + "." + unit.id + ".help")}});
  return list;
}

nlohmann::json described(const Console& console, const Context& context) {
  auto options = context.schema.toJson();
  for (auto& option : options) {
    const auto key = option["key"].get<std::string>();
    option["label"] = console.text("option." + key + ".label");
    option["help"] = console.text("option." + key + ".help");
  }
  auto techniques = nlohmann::json::array();
  for (const auto& technique : engine::allTechniques()) {
    auto keys = nlohmann::json::array();
    for (const auto& option : technique.options) keys.push_back(option.key);
    techniques.push_back({{"id", technique.id}, {"order", technique.order}, {"keys", keys}});
  }
  return {{"options", options},
          {"models", unitList(console, engine::allModels(), "model")},
          {"data", unitList(console, engine::allData(), "data")},
          {"techniques", techniques}};
}

void printUnits(const Console& console, const std::string& title, const nlohmann::json& units) {
  console.print(console.text(title));
  for (const auto& unit : units) console.print("  " + unit["id"].get<std::string>() + " — " + unit["help"].get<std::string>());
  console.print("");
}

wire::ExitCode execute(const Context& context) {
  const Console console(context.language, true);
  const auto all = described(console, context);
  if (context.json) {
    console.printJson(all);
    return wire::ExitCode::Done;
  }
  printUnits(console, "describe.models", all["models"]);
  printUnits(console, "describe.data", all["data"]);
  console.print(console.text("describe.options"));
  std::vector<std::vector<std::string>> rows{
      {console.text("describe.key"), console.text("describe.default"), console.text("describe.values")}};
  for (const auto& option : context.schema.options()) {
    std::string values;
    for (const auto& choice : option.choices) values += (values.empty() ? "" : " | ") + choice;
    if (option.type == wire::OptionType::Integer || option.type == wire::OptionType::Number)
      values = console.format().number(option.min) + " … " + console.format().number(option.max);
    rows.push_back({option.key, wire::valueText(option, option.fallback), values});
  }
  console.table(rows);
  return wire::ExitCode::Done;
}

}  // namespace

Run declareDescribe(CLI::App&, Context& context) {
  return [&context] { return execute(context); };
}

}  // namespace atelier::worker
