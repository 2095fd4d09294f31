// What lies on a disk or comes by mail: the files of a run's folder ("@name" sections), a query ("?text"), an archive packed of
// any names and contents ("+@name" sections), an archive of any bytes. Nothing throws, nothing is written outside of the home,
// a refused import leaves the home as it was.
#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "core/registry/archive.h"
#include "core/registry/archive_reader.h"
#include "core/registry/event_log.h"
#include "core/registry/fields.h"
#include "core/registry/query.h"
#include "core/registry/registry.h"
#include "core/registry/run_folder.h"
#include "fuzz.h"

namespace atelier::fuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace atelier::registry;

constexpr const char* kId = "20261130-104512-3f9a1c";
constexpr std::array kRunFiles{"spec.json", "environment.json", "events.jsonl", "summary.json", "labels.json", "race.json"};
constexpr const char* kArchiveFile = "in.atelier";
constexpr std::size_t kBlock = 512;
constexpr std::size_t kWholeEvery = 64;  // inputs; a registry is opened and its index written that often

const ArchiveLimits& limits() {
  static const ArchiveLimits small{200, 1 << 20, 4 << 20};
  return small;
}

wire::RunSummary exampleSummary() {
  wire::RunSummary summary;
  summary.id = kId;
  summary.seed = 7;
  summary.steps = 200;
  summary.samples_per_second = wire::Interval{1234.5, 1200.25, 1260.75, 10};
  summary.step_p50 = 64.0;
  summary.accuracy = 0.8125;
  summary.loss = 0.5;
  summary.peak_memory_bytes = {15, 1, 2, 3, 4, 5};
  summary.blocks = 10;
  return summary;
}

std::string exampleEvents() {
  wire::BlockDone block;
  block.steps = 20;
  block.samples = 2560;
  block.seconds = 1;
  block.samples_per_second = 2560;
  block.loss = 0.5;
  std::string events;
  for (const wire::EventBody& body :
       {wire::EventBody(wire::RunStarted{kId, {{"model", "mlp"}}, json::object(), 200, 10, 10, {}}), wire::EventBody(block),
        wire::EventBody(wire::RunFinished{exampleSummary()})})
    events += wire::encodeEvent({0, 1'000'000'000, "", body}) + "\n";
  return events;
}

std::string exampleRun(const std::string& folder) {
  return "@" + folder + "spec.json\n" + json{{"model", "mlp"}, {"batch", 128}, {"seed", 7}, {"precision", "bf16"}}.dump() +
         "\n@" + folder + "environment.json\n" + json{{"cpu", "x"}, {"race", "20261130-104512-aaaaaa"}}.dump() + "\n@" +
         folder + "events.jsonl\n" + exampleEvents() + "@" + folder + "summary.json\n" + wire::toJson(exampleSummary()).dump() +
         "\n@" + folder + "labels.json\n" + R"({"name":"named","note":"slow","tags":["a","b"],"pinned":true})" + "\n";
}

// ---- a run's folder

void checkRecord(const RunRecord& record) {
  require(record.id == kId, "a run is called as its folder");
  const auto once = wire::toJson(record.summary);
  require(wire::toJson(wire::runSummaryFromJson(once)) == once, "a summary is written the same ever after");
  const auto labels = toJson(record.labels);
  require(toJson(labelsFromJson(labels)) == labels, "labels are written the same ever after");
  for (const auto& info : knownFields()) {
    const bool number = std::holds_alternative<double>(field(record, info.name));
    require(figure(record, info.name).has_value() == number, "a figure is a field that is a number");
  }
  static const auto everything = Query::parse("(accuracy > 80 % or not loss = nan) mlp pinned tag = a created > 2026");
  require(everything.ok(), "a query of all kinds is one");
  static_cast<void>(everything->matches(record));
}

// All that a window does with a run.
void checkWhole(const fs::path& home) {
  auto opened = Registry::open(home);
  require(opened.ok(), "a home can be opened");
  auto& registry = **opened;
  const auto list = registry.list();
  require(list.ok() && list->size() == 1 && list->front().id == kId, "the run is listed");
  require(registry.find(kId).ok(), "the run is found");
  static_cast<void>(registry.events(kId).ok());
  require(registry.label(kId, {"other", "note", {"tag"}, false}).ok(), "the run can be named");
  require(registry.find(kId)->labels.name == "other", "the name is kept");
  require(registry.remove(kId).ok() && !registry.find(kId).ok(), "the run can be removed");
  require(registry.restore(kId).ok() && registry.find(kId).ok(), "the run can be brought back");
}

void checkRun(const Playground& ground, std::string_view input) {
  const auto folder = ground.home() / "runs" / kId;
  fs::remove_all(ground.home());
  fs::create_directories(folder);
  for (const auto& [name, content] : sections(input))
    if (std::find(kRunFiles.begin(), kRunFiles.end(), name) != kRunFiles.end()) writeFile(folder / name, content);
  auto reading = readRun(folder);
  require(reading.has_value(), "a folder is a run");
  checkRecord(reading->record);
  if (const auto log = readLog(folder / "events.jsonl")) {
    require(log->whole_bytes <= fs::file_size(folder / "events.jsonl") && log->skipped >= 0,
            "a log is no longer than its file");
    static_cast<void>(recoverSummary(kId, *log));
  }
  if (reading->killed) {
    const auto summary = endKilled(ground.home(), folder);
    const auto again = readRun(folder);
    require(again && !again->killed, "a killed run is ended once");
    // A spec that can't be read is told after how the run ended.
    const auto& failure = again->record.summary.failure;
    const bool damaged = !failure.empty() && failure.back().id == "registry.damaged";
    require(damaged || wire::toJson(again->record.summary) == wire::toJson(summary), "its end is the one it was given");
  }
  if (std::hash<std::string_view>()(input) % kWholeEvery == 0) checkWhole(ground.home());
  fs::remove(ground.beside(kArchiveFile));  // of an input before
  ground.requireUntouched();
}

// ---- a query

void checkQuery(std::string_view text) {
  static const auto records = [] {
    std::vector<RunRecord> all(3);
    all[0].summary = exampleSummary();
    all[0].spec = {{"model", "mlp"}, {"batch", 128}, {"precision", "bf16"}, {"fused", true}, {"memory_budget", 0}};
    all[0].labels = {"named", "a note", {"slow", "x"}, true};
    all[1].spec = json::object();
    all[2].spec = {{"model", 7}, {"batch", "many"}, {"fused", nullptr}, {"precision", json::array()}};
    for (auto& record : all) record.id = kId;
    return all;
  }();
  const auto query = Query::parse(text);
  if (!query) {
    require(query.error().code == wire::ExitCode::Usage, "a bad query is the user's mistake");
    requireTold(query.error());
    const auto& args = query.error().messages.front().args;
    require(!args.empty(), "a bad query says where");
    return;
  }
  for (const auto& record : records)
    require(query->matches(record) == Query::parse(text)->matches(record), "a query means one thing");
}

// ---- archives

void putOctal(std::string& block, std::size_t at, std::size_t width, std::uintmax_t value) {
  for (std::size_t i = width - 1; i > 0; --i, value /= 8) block[at + i - 1] = static_cast<char>('0' + value % 8);
}

// The sum of a header's bytes, its own field taken for blanks.
void putChecksum(std::string& tar, std::size_t at) {
  tar.replace(at + 148, 8, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
  putOctal(tar, at + 148, 7, sum);
  tar[at + 154] = '\0';
}

void addFile(std::string& tar, const std::string& name, const std::string& content, char type = '0') {
  std::string header(kBlock, '\0');
  header.replace(0, std::min<std::size_t>(name.size(), 100), name, 0, 100);
  putOctal(header, 100, 8, 0644);
  putOctal(header, 108, 8, 0);
  putOctal(header, 116, 8, 0);
  putOctal(header, 124, 12, content.size());
  putOctal(header, 136, 12, 1'796'000'000);
  header[156] = type;
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  tar += header;
  putChecksum(tar, tar.size() - kBlock);
  tar += content;
  tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
}

// A section "manifest" stands for what is written; without one the list is right.
std::string packed(std::string_view input) {
  const auto files = sections(input);
  json listed = json::object();
  std::string manifest;
  for (const auto& [name, content] : files) {
    if (name == "manifest") manifest = content;
    else if (name.size() <= 100) listed[name] = {{"bytes", content.size()}, {"crc32", updatedCrc(0, content)}};
  }
  if (manifest.empty())
    manifest = json{{"format", kArchiveFormat}, {"version", kArchiveVersion}, {"files", listed}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
  std::string tar;
  addFile(tar, kArchiveManifest, manifest);
  for (const auto& [name, content] : files)
    if (name != "manifest" && name.size() <= 100) addFile(tar, name, content);
  return tar + std::string(2 * kBlock, '\0');
}

// A mutated tar whose headers are right again, so that what stands behind them is reached.
std::string repaired(std::string tar) {
  for (std::size_t at = 0; at + kBlock <= tar.size(); at += kBlock)
    if (tar.compare(at + 257, 5, "ustar") == 0) putChecksum(tar, at);
  return tar;
}

std::map<std::string, std::uintmax_t> filesOf(const fs::path& folder) {
  std::map<std::string, std::uintmax_t> all;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; ++entry)
    if (entry->is_regular_file()) all[entry->path().string()] = entry->file_size();
  return all;
}

void checkArchive(const Playground& ground, const std::string& bytes) {
  const auto file = ground.beside(kArchiveFile);
  writeFile(file, bytes);
  fs::remove_all(ground.home());
  fs::create_directories(ground.home());
  const auto read = readArchive(file, limits());
  if (!read) requireTold(read.error());
  const auto report = importRuns(ground.home(), file, limits());
  ground.requireUntouched({file});
  const auto brought = filesOf(ground.home() / "runs");
  if (!report) {
    requireTold(report.error());
    require(brought.empty(), "a refused archive leaves no run behind");
    return;
  }
  require(read.ok(), "what can be imported can be read");
  for (const auto& id : report->runs) {
    const auto folder = ground.home() / "runs" / id;
    require(
        fs::is_directory(folder) && fs::weakly_canonical(folder).parent_path() == fs::weakly_canonical(ground.home() / "runs"),
        "an imported run lies among the runs");
    require(readRun(folder).has_value(), "an imported run can be read");
  }
  const auto again = importRuns(ground.home(), file, limits());
  require(again.ok() && again->runs.empty() && again->refused.empty() && again->present.size() == report->runs.size(),
          "an archive imported twice brings nothing new");
  require(filesOf(ground.home() / "runs") == brought, "and changes nothing");
}

std::string exportedExample() {
  const Playground ground;
  auto writer = RunWriter::create(ground.home(), kId, {{"model", "mlp"}, {"seed", 7}}, {{"cpu", "x"}});
  require(writer.ok() && (*writer)->append(wire::encodeEvent({0, 0, "", wire::PhaseChanged{"measuring"}})).ok() &&
              (*writer)->finish(exampleSummary()).ok(),
          "a run can be written");
  writer->reset();
  auto registry = Registry::open(ground.home());
  const auto file = ground.beside("out.atelier");
  require(registry.ok() && exportRuns(**registry, {kId}, file).ok(), "a run can be exported");
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

}  // namespace

std::vector<std::string> seeds() {
  const auto folder = "runs/" + std::string(kId) + "/";
  const auto race = "@races/20261130-104512-aaaaaa.json\n" + wire::toJson(wire::RaceSummary{}).dump() + "\n";
  std::vector<std::string> all{exampleRun(""),
                               "@spec.json\n{}\n@events.jsonl\n" + exampleEvents(),
                               "+" + exampleRun(folder) + race,
                               "+" + exampleRun(folder) + "@" + folder + "profile/trace.json\n{}\n",
                               packed(exampleRun(folder) + race),
                               exportedExample()};
  for (const char* query :
       {"resnet bf16", "samples_per_second > 3000 and precision = bf16", "peak_memory < 512MiB accuracy >= 85 %",
        "(tag = slow or pinned) not status = failed", "created > 2026-11-01", "loss = nan", "memory_budget = none",
        "note ~ \"two words\"", "spec.steps = 60", "fused"})
    all.push_back("?" + std::string(query));
  return all;
}

std::vector<std::string> words() {
  return {"@runs/../x/spec.json\n",
          "@/etc/x\n",
          "@../../../x\n",
          "@runs/a/../../b\n",
          "@runs//spec.json\n",
          "@runs/.hidden/spec.json\n",
          "@manifest\n",
          "@races/x.json\n",
          "@sweeps/x.json\n",
          "@spec.json\n",
          "@summary.json\n",
          "@labels.json\n",
          "@runs/20261130-104512-3f9a1d/spec.json\n",
          "ustar",
          "\"status\":\"running\",",
          "\"failure\":[{\"id\":\"x\"}],",
          " and ",
          " or ",
          " not ",
          "(",
          ")",
          " ~ ",
          " >= ",
          " != ",
          "accuracy",
          "created",
          "pinned",
          "spec.batch",
          "2026-13-45",
          "85 %",
          "512MiB",
          "none",
          "nan",
          "\"",
          "\"variant\":\"b\",",
          "\"race\":\"../x\","};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier::fuzz;
  static const Playground ground;
  const auto text = textOf(data, size);
  if (text.starts_with('?')) checkQuery(text.substr(1));
  else if (text.starts_with('@')) checkRun(ground, text);
  else if (text.starts_with('+')) checkArchive(ground, packed(text.substr(1)));
  else checkArchive(ground, repaired(std::string(text)));
  return 0;
}
