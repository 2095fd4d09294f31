// doctor: what this machine is and can do, measured, and each problem with its remedy.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "core/engine/data/dataset.h"
#include "core/engine/data/installed.h"
#include "core/engine/monitor/gpu.h"
#include "core/engine/monitor/machine.h"
#include "core/engine/monitor/process.h"
#include "core/engine/session/environment.h"
#include "core/engine/session/plan.h"
#include "core/pretrained/model_folder.h"
#include "core/pretrained/sentences.h"
#include "core/registry/registry.h"

namespace atelier::worker {
namespace {

using wire::Message;

struct Finding {
  nlohmann::json report;
  std::vector<Message> problems;  // their texts name the remedy
};

void examineMatmul(Finding& finding) {
  const auto single = engine::measureMatmul(false).gflops, brain = engine::measureMatmul(true).gflops;
  finding.report["matmul_gflops"] = {{"float32", wire::toJson(single)}, {"bfloat16", wire::toJson(brain)}};
  finding.report["bf16_ratio"] = brain.median / single.median;
  if (brain.median < single.median) finding.problems.push_back({"doctor.slow_bf16"});
}

void examineDisk(Finding& finding, const std::filesystem::path& home) {
  std::error_code error;
  std::filesystem::create_directories(home, error);
  const auto space = std::filesystem::space(home, error);
  constexpr std::uintmax_t kEnough = std::uintmax_t{1} << 30;
  finding.report["home"] = home.string();
  if (error) {
    finding.problems.push_back({"doctor.home_unusable", {{"home", home.string()}, {"error", error.message()}}});
    return;
  }
  finding.report["disk_free_bytes"] = space.available;
  if (space.available < kEnough) finding.problems.push_back({"doctor.little_disk", {{"home", home.string()}}});
}

// Once: what is wrong with the sentences is wrong with the data made of them.
void addProblem(Finding& finding, const Message& problem) {
  auto& all = finding.problems;
  if (std::find(all.begin(), all.end(), problem) == all.end()) all.push_back(problem);
}

// The model that the set-up installs, or null, and its rated sentences.
std::shared_ptr<const pretrained::ModelFolder> examinePretrained(Finding& finding) {
  const auto model = engine::openFolder("hf:minilm");
  const auto sentences = pretrained::readSentences(engine::sentencesFolder());
  auto& report = finding.report["pretrained"];
  report = {{"minilm", nullptr}, {"sentences", nullptr}};
  if (model.ok()) report["minilm"] = (*model)->path.string();
  else addProblem(finding, model.error().messages.front());
  if (sentences.ok()) report["sentences"] = sentences->size();
  else addProblem(finding, sentences.error().messages.front());
  return model.ok() ? *model : nullptr;
}

void examineData(Finding& finding, const Context& context, const pretrained::ModelFolder* model) {
  const auto spec = wire::RunSpec::parse(context.schema, nlohmann::json::object()).value();  // the defaults are valid
  auto data = nlohmann::json::array();
  for (const auto& unit : engine::allData()) {
    const bool tokens = unit.input == engine::InputKind::Tokens;
    engine::DataRequest request{0, spec};
    if (tokens && model) {
      request.tokenizer = model->tokenizer;
      request.max_tokens = model->max_tokens;
    }
    data.push_back({{"id", unit.id}, {"usable", false}});
    if (tokens && !model) continue;  // told already
    const auto loaded = unit.load(request);
    data.back()["usable"] = loaded.ok();
    if (!loaded.ok()) addProblem(finding, loaded.error().messages.front());
  }
  finding.report["data"] = data;
}

Finding examine(const Context& context) {
  Finding finding{engine::environment(), {}};
  const auto gpus = engine::gpuStatus();
  finding.report["threads"] = engine::availableCores();
  if (gpus.gpus.empty()) finding.problems.push_back(gpus.reason);
  if (finding.report["governor"] != "performance" && finding.report["governor"] != "unknown")
    finding.problems.push_back({"doctor.clock_may_change", {{"governor", finding.report["governor"].get<std::string>()}}});
  if (engine::loadAverage() > 0.5 * engine::availableCores()) finding.problems.push_back({"doctor.busy"});
  examineMatmul(finding);
  examineDisk(finding, context.home);
  const auto model = examinePretrained(finding);
  examineData(finding, context, model.get());
  return finding;
}

std::string cell(const Console& console, const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return console.format().integer(value.get<std::int64_t>());
  if (value.is_number()) return console.format().number(value.get<double>());
  return value.dump();
}

wire::ExitCode execute(const Context& context) {
  const Console console(context.language, true);
  auto finding = examine(context);
  auto problems = nlohmann::json::array();
  for (const auto& problem : finding.problems)
    problems.push_back({{"id", problem.id}, {"text", console.texts().text(problem)}});
  finding.report["problems"] = problems;
  if (context.json) {
    console.printJson(finding.report);
    return wire::ExitCode::Done;
  }
  const auto& report = finding.report;
  std::vector<std::vector<std::string>> rows;
  for (const char* key :
       {"cpu", "cores", "threads", "governor", "load", "os", "kernel", "torch", "atelier", "revision", "driver", "home"})
    if (report.contains(key) && report[key] != "")
      rows.push_back({console.text(std::string("doctor.") + key), cell(console, report[key])});
  rows.push_back({console.text("doctor.memory"), console.format().bytes(report["memory_bytes"].get<std::int64_t>())});
  if (report.contains("disk_free_bytes"))
    rows.push_back({console.text("doctor.disk"), console.format().bytes(report["disk_free_bytes"].get<std::int64_t>())});
  const auto& pretrained = report["pretrained"];
  if (!pretrained["minilm"].is_null()) rows.push_back({console.text("doctor.minilm"), cell(console, pretrained["minilm"])});
  if (!pretrained["sentences"].is_null())
    rows.push_back({console.text("doctor.sentences"), cell(console, pretrained["sentences"])});
  for (const auto& gpu : report["gpus"]) rows.push_back({console.text("doctor.gpu"), gpu.get<std::string>()});
  for (const char* format : {"float32", "bfloat16"}) {
    const auto rate = wire::intervalFromJson(report["matmul_gflops"][format]);
    rows.push_back({"matmul " + std::string(format),
                    console.format().number(rate->median) + " " + console.format().interval(*rate) + " Gflop/s"});
  }
  rows.push_back({"bfloat16 ÷ float32", console.format().ratio(report["bf16_ratio"].get<double>())});
  console.pairs(rows);
  if (!finding.problems.empty()) console.print("\n" + console.text("doctor.problems"));
  for (const auto& problem : finding.problems) console.print("• " + console.texts().text(problem));
  return wire::ExitCode::Done;
}

}  // namespace

Run declareDoctor(CLI::App&, Context& context) {
  return [&context] { return execute(context); };
}

}  // namespace atelier::worker
