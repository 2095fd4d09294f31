// inspect: what is in a file, or what is wrong with it. Knows safetensors files, models' folders, archives of runs, specs,
// summaries, event logs, run folders.
#include <fstream>
#include <map>

#include "command.h"
#include "core/pretrained/model_folder.h"
#include "core/registry/archive.h"
#include "core/registry/registry.h"
#include "core/registry/run_files.h"
#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "core/wire/run_event.h"
#include "core/wire/run_spec.h"

namespace atelier::worker {
namespace {

using wire::Error;
using wire::ExitCode;
namespace fs = std::filesystem;

Error damaged(const fs::path& file, const std::string& why) {
  return {ExitCode::Usage, {"inspect.damaged", {{"file", file.string()}, {"why", why}}}};
}

std::int64_t elementsOf(const pretrained::StoredTensor& tensor) {
  std::int64_t count = 1;
  for (const auto size : tensor.shape) count *= size;
  return count;
}

wire::Result<nlohmann::json> inspectSafetensors(const fs::path& path) {
  const auto opened = pretrained::SafetensorsFile::open(path);
  if (!opened.ok()) return opened.error();
  const auto& file = **opened;
  auto tensors = nlohmann::json::array();
  std::int64_t elements = 0;
  for (const auto& tensor : file.tensors()) {
    elements += elementsOf(tensor);
    tensors.push_back(
        {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"bytes", tensor.end - tensor.begin}});
  }
  return nlohmann::json{{"kind", "safetensors"},
                        {"tensors", tensors},
                        {"elements", elements},
                        {"metadata", file.metadata().empty() ? nlohmann::json() : nlohmann::json(file.metadata())}};
}

nlohmann::json configJson(const pretrained::BertConfig& config) {
  return {{"vocabulary", config.vocabulary},
          {"hidden", config.hidden},
          {"layers", config.layers},
          {"heads", config.heads},
          {"intermediate", config.intermediate},
          {"positions", config.positions},
          {"types", config.types},
          {"activation", config.activation},
          {"pad", config.pad}};
}

// Buffers of integers, as position ids, are no parameters.
wire::Result<nlohmann::json> inspectModel(const fs::path& folder) {
  const auto opened = pretrained::openModelFolder(folder);
  if (!opened.ok()) return opened.error();
  const auto& model = **opened;
  std::int64_t parameters = 0;
  std::map<std::string, std::int64_t> dtypes;
  for (const auto& tensor : model.weights->tensors()) {
    ++dtypes[tensor.dtype];
    if (tensor.dtype.starts_with('F') || tensor.dtype == "BF16") parameters += elementsOf(tensor);
  }
  return nlohmann::json{{"kind", "model"},
                        {"family", model.config.family},
                        {"config", configJson(model.config)},
                        {"parameters", parameters},
                        {"tensors", model.weights->tensors().size()},
                        {"dtypes", dtypes},
                        {"bytes", model.weights->fileBytes()},
                        {"tokens", model.tokenizer->size()},
                        {"max_tokens", model.max_tokens}};
}

wire::Result<nlohmann::json> inspectArchive(const fs::path& file) {
  const auto runs = registry::readArchive(file);
  if (!runs.ok()) return Error{ExitCode::Usage, runs.error().messages};
  auto all = nlohmann::json::array();
  for (const auto& run : *runs) {
    const auto& record = run.record;
    all.push_back({{"id", record.id},
                   {"name", record.labels.name},
                   {"tags", record.labels.tags},
                   {"model", wire::textAt(record.spec, "model")},
                   {"data", wire::textAt(record.spec, "data")},
                   {"race", record.race},
                   {"summary", wire::toJson(record.summary)},
                   {"events", run.events.size()},
                   {"unreadable", run.skipped_lines}});
  }
  return nlohmann::json{{"kind", "archive"}, {"runs", all}};
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
    if (fs::exists(file / "config.json", error)) return inspectModel(file);
    if (!fs::exists(file / "events.jsonl", error))
      return Error{ExitCode::Usage, {"inspect.unknown", {{"file", file.string()}}}};
    auto events = inspectEvents(file / "events.jsonl");
    if (!events.ok()) return events;
    auto spec = inspectJson(file / registry::kSpecFile, schema);
    if (!spec.ok()) return spec;
    return nlohmann::json{{"kind", "run"}, {"events", *events}, {"spec", (*spec)["spec"]}};
  }
  const auto ending = file.extension().string();
  if (ending == ".safetensors") return inspectSafetensors(file);
  if (ending == ".atelier") return inspectArchive(file);
  if (ending == ".jsonl") return inspectEvents(file);
  if (ending == ".json") return inspectJson(file, schema);
  return Error{ExitCode::Usage, {"inspect.unknown", {{"file", file.string()}}}};
}

// Foreign text, with what would move the cursor escaped as JSON does.
std::string cell(const nlohmann::json& text) {
  const auto quoted = text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.is_string() ? quoted.substr(1, quoted.size() - 2) : quoted;
}

void printTensors(const Console& console, const nlohmann::json& found) {
  std::vector<std::vector<std::string>> rows{{console.text("inspect.tensor"), console.text("inspect.dtype"),
                                              console.text("inspect.shape"), console.text("inspect.bytes")}};
  for (const auto& tensor : found["tensors"])
    rows.push_back({cell(tensor["name"]), cell(tensor["dtype"]), cell(tensor["shape"]),
                    console.format().integer(tensor["bytes"].get<std::int64_t>())});
  console.table(rows);
}

void printModel(const Console& console, const nlohmann::json& found) {
  const auto integer = [&](const nlohmann::json& value) { return console.format().integer(value.get<std::int64_t>()); };
  const auto& config = found["config"];
  std::string dtypes;
  for (const auto& [dtype, count] : found["dtypes"].items()) {
    if (!dtypes.empty()) dtypes += ", ";
    dtypes += integer(count) + " × " + dtype;
  }
  console.pairs({{console.text("inspect.family"), cell(found["family"])},
                 {console.text("inspect.parameters"), integer(found["parameters"])},
                 {console.text("inspect.tensors"), dtypes},
                 {console.text("inspect.bytes"), integer(found["bytes"])},
                 {console.text("inspect.layers"), integer(config["layers"])},
                 {console.text("inspect.hidden"), integer(config["hidden"])},
                 {console.text("inspect.heads"), integer(config["heads"])},
                 {console.text("inspect.tokens"), integer(found["tokens"])},
                 {console.text("inspect.max_tokens"), integer(found["max_tokens"])}});
}

void printArchive(const Console& console, const nlohmann::json& found) {
  std::vector<std::vector<std::string>> rows{{console.text("figure.run"), console.text("option.model.label"),
                                              console.text("option.data.label"), console.text("figure.status"),
                                              console.text("inspect.events"), console.text("runs.name")}};
  for (const auto& run : found["runs"])
    rows.push_back({cell(run["id"]), cell(run["model"]), cell(run["data"]), cell(run["summary"]["status"]),
                    console.format().integer(run["events"].get<std::int64_t>()), cell(run["name"])});
  console.table(rows);
}

void printPlain(const Console& console, const nlohmann::json& found) {
  if (found["kind"] == "safetensors") printTensors(console, found);
  else if (found["kind"] == "model") printModel(console, found);
  else if (found["kind"] == "archive") printArchive(console, found);
  else console.printJson(found);
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
