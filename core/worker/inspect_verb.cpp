// inspect: what is in a file, or what is wrong with it. Knows safetensors files, specs, summaries, event logs, run folders.
#include <fstream>
#include <map>

#include "command.h"
#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "core/wire/run_event.h"
#include "core/wire/run_spec.h"
#include "safetensors_header.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;
namespace fs = std::filesystem;

Error damaged(const fs::path& file, const std::string& why) {
  return {ExitCode::Usage, {"inspect.damaged", {{"file", file.string()}, {"why", why}}}};
}

wire::Result<nlohmann::json> inspectSafetensors(const fs::path& file) {
  const auto header = readSafetensorsHeader(file);
  if (!header.ok()) return header.error();
  auto tensors = nlohmann::json::array();
  std::uint64_t parameters = 0;
  for (const auto& tensor : header->tensors) {
    std::uint64_t count = 1;
    for (const auto size : tensor.shape) count *= size;
    parameters += count;
    tensors.push_back(
        {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"bytes", tensor.end - tensor.begin}});
  }
  return nlohmann::json{
      {"kind", "safetensors"}, {"tensors", tensors}, {"elements", parameters}, {"metadata", header->metadata}};
}

wire::Result<nlohmann::json> inspectEvents(const fs::path& file) {
  std::ifstream input(file);
  std::map<std::string, int> kinds;
  int number = 0, unreadable = 0;
  for (std::string line; std::getline(input, line); ++number) {
    const auto event = wire::decodeEvent(line);
    if (!event.ok()) ++unreadable;
    else if (const auto json = wire::parseJson(line)) ++kinds[(*json)["kind"].get<std::string>()];
  }
  if (number == 0 || unreadable == number) return damaged(file, "events.jsonl");
  return nlohmann::json{{"kind", "events"}, {"events", number}, {"unreadable", unreadable}, {"kinds", kinds}};
}

wire::Result<nlohmann::json> inspectJson(const fs::path& file, const wire::Schema& schema) {
  const auto text = registry::readWhole(file, 1 << 26);
  if (!text.ok()) return Error{ExitCode::Usage, text.error().messages};
  std::string duplicate;
  const auto json = wire::parseJson(*text, &duplicate);
  if (!json) return damaged(file, duplicate.empty() ? "JSON" : "JSON: " + duplicate);
  if (json->is_object() && json->contains("samples_per_second") && json->contains("status"))
    return nlohmann::json{{"kind", "summary"}, {"summary", *json}};
  const auto spec = wire::RunSpec::parse(schema, *json);
  if (!spec.ok()) return spec.error();
  return nlohmann::json{{"kind", "spec"}, {"spec", spec->toJson()}};
}

wire::Result<nlohmann::json> inspectFile(const fs::path& file, const wire::Schema& schema) {
  std::error_code error;
  if (!fs::exists(file, error)) return Error{ExitCode::Usage, {"inspect.no_file", {{"file", file.string()}}}};
  if (fs::is_directory(file, error)) {
    if (!fs::exists(file / "events.jsonl", error))
      return Error{ExitCode::Usage, {"inspect.unknown", {{"file", file.string()}}}};
    auto events = inspectEvents(file / "events.jsonl");
    if (!events.ok()) return events;
    auto spec = inspectJson(file / "spec.json", schema);
    if (!spec.ok()) return spec;
    return nlohmann::json{{"kind", "run"}, {"events", *events}, {"spec", (*spec)["spec"]}};
  }
  const auto ending = file.extension().string();
  if (ending == ".safetensors") return inspectSafetensors(file);
  if (ending == ".jsonl") return inspectEvents(file);
  if (ending == ".json") return inspectJson(file, schema);
  return Error{ExitCode::Usage, {"inspect.unknown", {{"file", file.string()}}}};
}

void printPlain(const Console& console, const nlohmann::json& found) {
  if (found["kind"] != "safetensors") {
    console.printJson(found);
    return;
  }
  std::vector<std::vector<std::string>> rows{{console.text("inspect.tensor"), console.text("inspect.dtype"),
                                              console.text("inspect.shape"), console.text("inspect.bytes")}};
  for (const auto& tensor : found["tensors"])
    rows.push_back({tensor["name"].get<std::string>(), tensor["dtype"].get<std::string>(), tensor["shape"].dump(),
                    console.format().integer(tensor["bytes"].get<std::int64_t>())});
  console.table(rows);
}

ExitCode execute(const std::string& file, const Context& context) {
  const Console console(context.language, true);
  const auto found = inspectFile(file, context.schema);
  if (!found.ok()) {
    console.fail(found.error());
    return found.error().code;
  }
  if (context.json) console.print(found->dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else printPlain(console, *found);
  return ExitCode::Done;
}

}  // namespace

Run declareInspect(CLI::App& command, Context& context) {
  auto file = std::make_shared<std::string>();
  command.add_option("file", *file, wire::Catalog::builtIn(context.language).text("cli.inspect.file"))
      ->required()
      ->type_name("FILE");
  return [file, &context] { return execute(*file, context); };
}

}  // namespace atelier::worker
