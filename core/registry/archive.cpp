#include "archive.h"

#include <algorithm>
#include <map>
#include <utility>

#include "archive_reader.h"
#include "core/wire/number.h"
#include "event_log.h"
#include "run_files.h"
#include "run_folder.h"
#include "run_id.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMostHeld = 512ULL << 20;  // bytes of texts in memory

struct Texts {
  std::map<std::string, std::string> files;
  std::int64_t modified = 0;  // of the spec
};

struct Contents {
  std::map<std::string, Texts> runs;
  std::map<std::string, std::string> races;
};

bool wanted(const ArchivePath& path) {
  static constexpr const char* kFiles[] = {kSpecFile,      "environment.json", "events.jsonl",
                                           "summary.json", "labels.json",      "race.json"};
  return path.folder == "races" ||
         (path.folder == "runs" && std::find(std::begin(kFiles), std::end(kFiles), path.inside) != std::end(kFiles));
}

wire::Result<Contents> readContents(ArchiveReader& reader, const fs::path& file) {
  Contents contents;
  std::uintmax_t held = 0;
  for (;;) {
    auto entry = reader.next();
    if (!entry) return entry.error();
    if (!*entry) return contents;
    const auto& found = **entry;
    const bool keep = wanted(found.path);
    if (keep && (held += found.size) > kMostHeld)
      return wire::Error{wire::ExitCode::Usage,
                         {"archive.too_large", {{"file", file.string()}, {"limit", std::to_string(kMostHeld)}}}};
    std::string text;
    for (;;) {
      auto more = reader.read(text);
      if (!more) return more.error();
      if (!*more) break;
      if (!keep) text.clear();
    }
    if (!keep) continue;
    if (found.path.folder == "races") {
      contents.races[found.path.id] = std::move(text);
      continue;
    }
    auto& run = contents.runs[found.path.id];
    if (found.path.inside == kSpecFile) run.modified = found.modified;
    run.files[found.path.inside] = std::move(text);
  }
}

std::optional<json> objectIn(const Texts& texts, const char* name) {
  const auto found = texts.files.find(name);
  if (found == texts.files.end()) return std::nullopt;
  auto object = wire::parseJson(found->second);
  return object && object->is_object() ? std::move(object) : std::nullopt;
}

std::string idIn(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// As readRun() tells a folder: what is damaged is named, the rest is read.
ArchivedRun runFrom(const std::string& id, const Texts& texts, const fs::path& file) {
  ArchivedRun run;
  auto& record = run.record;
  record.id = id;
  record.created_ms = idMilliseconds(id).value_or(texts.modified * 1000);
  const auto events = texts.files.find("events.jsonl");
  auto log = events == texts.files.end() ? EventLog() : decodeLog(events->second);
  const auto spec = objectIn(texts, kSpecFile), summary = objectIn(texts, "summary.json");
  if (summary) record.summary = wire::runSummaryFromJson(*summary);
  if (!summary || record.summary.status.empty()) record.summary = recoverSummary(id, log);
  record.summary.id = id;
  record.spec = spec.value_or(json::object());
  if (!spec) {
    record.summary.status = "failed";
    record.summary.failure.push_back({"registry.damaged", {{"file", file.string() + ": runs/" + id + "/spec.json"}}});
  }
  run.environment = objectIn(texts, "environment.json").value_or(json::object());
  record.labels = labelsFromJson(objectIn(texts, "labels.json").value_or(json::object()));
  const auto race = objectIn(texts, "race.json");
  record.race = idIn(race ? *race : run.environment, "race");
  run.events = std::move(log.events);
  run.skipped_lines = log.skipped;
  return run;
}

void addRace(ArchivedRun& run, const Contents& contents) {
  const auto found = contents.races.find(run.record.race);
  if (found == contents.races.end()) return;
  if (const auto object = wire::parseJson(found->second); object && object->is_object())
    run.race = wire::raceSummaryFromJson(*object);
}

}  // namespace

wire::Result<std::vector<ArchivedRun>> readArchive(const fs::path& file, const ArchiveLimits& limits) {
  auto reader = ArchiveReader::open(file, limits);
  if (!reader) return reader.error();
  const auto contents = readContents(**reader, file);
  if (!contents) return contents.error();
  std::vector<ArchivedRun> runs;
  for (const auto& [id, texts] : contents->runs) {
    runs.push_back(runFrom(id, texts, file));
    addRace(runs.back(), *contents);
  }
  std::sort(runs.begin(), runs.end(), [](const ArchivedRun& left, const ArchivedRun& right) {
    const auto &a = left.record, &b = right.record;
    return a.created_ms != b.created_ms ? a.created_ms > b.created_ms : a.id > b.id;
  });
  return runs;
}

}  // namespace atelier::registry
