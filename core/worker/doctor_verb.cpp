// doctor: what this machine is and can do, measured, and each problem with its remedy.
#include <filesystem>

#include "command.h"
#include "core/engine/data/dataset.h"
#include "core/engine/monitor/gpu.h"
#include "core/engine/monitor/machine.h"
#include "core/engine/monitor/process.h"
#include "core/engine/session/environment.h"
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

void examineData(Finding& finding) {
  auto data = nlohmann::json::array();
  for (const auto& unit : engine::allData()) {
    const auto loaded = unit.load(0);
    data.push_back({{"id", unit.id}, {"usable", loaded.ok()}});
    if (!loaded.ok()) finding.problems.push_back(loaded.error().messages.front());
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
  examineData(finding);
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
