// What a run is asked to do: any text as a spec, as the value of an option on the command line, as the axes of a sweep, as the
// schema that an engine describes. What is taken is within its bounds and reads back the same; what isn't is refused by name.
#include <algorithm>
#include <set>
#include <sstream>

#include "core/wire/number.h"
#include "core/wire/run_spec.h"
#include "core/wire/sweep.h"
#include "fuzz.h"

namespace atelier::fuzz {
namespace {

using nlohmann::json;

// One option of each type, as the engine has them.
const wire::Schema& schema() {
  static const auto built = wire::Schema::build(
      {wire::integerOption("batch", 128, 1, 1 << 20), wire::integerOption("seed", 0, 0, std::int64_t{1} << 53),
       wire::numberOption("learning_rate", 1e-3, 0, 10), wire::booleanOption("fused", false),
       wire::choiceOption("precision", {"fp32", "tf32", "bf16", "fp16"}), wire::textOption("device", "auto"),
       wire::bytesOption("memory_budget")});
  return built.value();
}

void checkSpec(std::string_view text) {
  const auto spec = wire::RunSpec::parseText(schema(), text);
  if (!spec) {
    require(spec.error().code == wire::ExitCode::Usage, "a bad spec is the user's mistake");
    return requireTold(spec.error());
  }
  require(spec->values().size() == schema().options().size(), "a spec has every key");
  const auto again = wire::RunSpec::parse(schema(), spec->toJson());
  require(again.ok() && *again == *spec, "a spec reads back the same");
  for (const auto& option : schema().options()) {
    const auto& value = spec->values().at(option.key);
    const auto typed = wire::readText(option, wire::valueText(option, value));
    require(typed.ok() && *typed == value, "a value of a spec can be typed");
  }
}

void checkValues(std::string_view text) {
  for (const auto& option : schema().options()) {
    const auto value = wire::readText(option, text);
    if (!value) {
      requireTold(value.error());
      continue;
    }
    const auto again = wire::readText(option, wire::valueText(option, *value));
    require(again.ok() && *again == *value, "what was typed can be typed again");
    const auto fromJson = wire::readValue(option, wire::valueJson(*value));
    require(fromJson.ok() && *fromJson == *value, "what was typed can stand in a spec");
  }
}

void checkAxes(std::string_view text) {
  std::istringstream input{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; words.size() < 8 && input >> word;) words.push_back(word);
  const auto axes = wire::readAxes(schema(), words);
  if (!axes) return requireTold(axes.error());
  const auto points = wire::gridPoints(*axes);
  require(!points.empty() && points.size() <= wire::kMostSweepPoints, "a sweep has points, and not too many");
  std::set<json> different;
  for (const auto& point : points) {
    different.insert(point);
    require(wire::RunSpec::parse(schema(), point).ok(), "each point is a spec");
  }
  require(different.size() == points.size(), "no point twice");
  auto order = wire::measuringOrder(points.size());
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) require(order[i] == i, "each point is measured once");
}

void checkSchema(std::string_view text) {
  const auto described = wire::parseJson(text);
  if (!described) return;
  const auto read = wire::Schema::fromJson(*described);
  if (!read) return requireTold(read.error());
  const auto once = read->toJson();
  const auto again = wire::Schema::fromJson(once);
  require(again.ok() && again->toJson() == once, "a schema is written the same ever after");
  const auto spec = wire::RunSpec::parse(*read, json::object());
  require(spec.ok(), "the defaults of a schema are a spec");
}

void checkNames(std::string_view text) {
  std::vector<std::string> keys;
  for (const auto& option : schema().options()) keys.push_back(option.key);
  const auto nearest = wire::nearestName(text, keys);
  require(nearest.empty() || std::find(keys.begin(), keys.end(), nearest) != keys.end(),
          "the nearest name is one of the names");
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      R"({"batch":64,"fused":true,"learning_rate":0.01,"precision":"bf16","device":"cpu","memory_budget":"512MiB","seed":7})",
      R"({"batch":128.0,"memory_budget":null,"learning_rate":1})",
      R"({"bacth":1,"precision":"bf61"})",
      R"({"batch":1,"batch":2})",
      schema().toJson().dump(),
      "batch=32,64,128 precision=fp32,bf16",
      "learning_rate=1e-3,1e-2 memory_budget=none,64MiB fused=true,false",
      "true",
      "1e-3",
      "512MiB",
      "none",
      "4096",
      "bf16",
      "cuda:0"};
}

std::vector<std::string> words() {
  return {"batch",
          "\"batch\":",
          "learning_rate=",
          "memory_budget=",
          "precision=",
          "fused=",
          "true",
          "false",
          "on",
          "none",
          "512MiB",
          "2 GiB",
          "bf16",
          "fp32",
          ",",
          "=",
          " ",
          "\"type\":\"choice\"",
          "\"choices\":[]",
          "\"default\":",
          "\"min\":1,",
          "\"max\":0,",
          "\"key\":\"\",",
          "1e-3",
          "0,1,2,3,4,5,6,7,8,9"};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier::fuzz;
  const auto text = textOf(data, size);
  checkSpec(text);
  checkValues(text);
  checkAxes(text);
  checkSchema(text);
  checkNames(text);
  return 0;
}
