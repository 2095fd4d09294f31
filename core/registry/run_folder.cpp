#include "run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "event_log.h"
#include "files.h"
#include "run_files.h"
#include "run_id.h"
#include "run_lock.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestJson = 64 << 20;
constexpr std::int64_t kAbandonedAfter = 3'600'000'000'000;  // nanoseconds: no writer takes that long to make a folder
constexpr off_t kReserved = 64 << 10;                        // bytes; a summary takes some 5 KiB

bool isThere(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

std::optional<json> readObject(const fs::path& file) {
  const auto text = readWhole(file, kLargestJson);
  if (!text) return std::nullopt;
  auto value = wire::parseJson(*text);
  return value && value->is_object() ? value : std::nullopt;
}

void markDamaged(wire::RunSummary& summary, const fs::path& file) {
  summary.status = "failed";
  summary.failure.push_back({"registry.damaged", {{"file", file.string()}}});
}

std::int64_t createdMilliseconds(const fs::path& folder) {
  if (const auto time = idMilliseconds(folder.filename().string())) return *time;
  struct stat state {};
  if (::stat((folder / kSpecFile).c_str(), &state) != 0 && ::stat(folder.c_str(), &state) != 0) return 0;
  return std::int64_t{state.st_mtim.tv_sec} * 1000;
}

std::string raceOf(const fs::path& folder) {
  if (const auto race = readObject(folder / "race.json")) return wire::textAt(*race, "race");
  const auto environment = readObject(folder / "environment.json");
  return environment ? wire::textAt(*environment, "race") : std::string();
}

// A run never writes that it still goes: whoever says so in its summary would make it go forever.
bool isEnd(const std::string& status) {
  return !status.empty() && status != "running";
}

wire::RunSummary summaryFrom(const json& object, const std::string& id) {
  auto summary = wire::runSummaryFromJson(object);
  summary.id = id;
  return summary;
}

void readSummary(const fs::path& folder, RunReading& reading) {
  auto& summary = reading.record.summary;
  const auto file = folder / "summary.json", events = folder / "events.jsonl";
  // Asked before looking for the summary: a writer that ends in between leaves a summary, not a run that looks killed.
  const bool alive = writerAlive(folder);
  const bool there = isThere(file);  // likewise: one that comes in between is whole
  summary.id = reading.record.id;
  if (const auto object = readObject(file); object && isEnd(wire::textAt(*object, "status"))) {
    summary = summaryFrom(*object, reading.record.id);
  } else if (there) {
    if (const auto log = readLog(events)) summary = recoverSummary(reading.record.id, *log);
    summary.failure.clear();
    markDamaged(summary, file);
  } else if (alive) {
    summary.status = "running";
  } else if (isThere(events)) {
    summary.status = "failed";
    reading.killed = true;
  } else {
    markDamaged(summary, events);
  }
}

// The line goes after the last whole one; nothing of it stays when it doesn't fit.
void appendEnding(const fs::path& events, const EventLog& log, const wire::RunSummary& summary) {
  wire::RunEvent event{0, log.events.empty() ? 0 : log.events.back().t, summary.variant,
                       wire::RunFailed{wire::ExitCode::Failed, summary.failure}};
  const auto fd = openFile(events, O_WRONLY | O_APPEND);
  const auto whole = static_cast<off_t>(log.whole_bytes);
  if (!fd || ::ftruncate(fd.get(), whole) != 0) return;
  if (writeAll(fd.get(), wire::encodeEvent(event) + "\n") != 0 && ::ftruncate(fd.get(), whole) != 0) return;
  ::fsync(fd.get());
}

}  // namespace

std::optional<RunReading> readRun(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return std::nullopt;
  RunReading reading;
  reading.stamp = folderStamp(folder);
  auto& record = reading.record;
  record.id = folder.filename().string();
  record.folder = folder;
  record.created_ms = createdMilliseconds(folder);
  readSummary(folder, reading);
  const auto spec = readObject(folder / kSpecFile);
  record.spec = spec.value_or(json::object());
  if (const auto seed = record.spec.find("seed"); record.summary.status == "running" && seed != record.spec.end())
    record.summary.seed = seed->is_number_integer() ? seed->get<std::int64_t>() : 0;
  record.labels = labelsFromJson(readObject(folder / "labels.json").value_or(json::object()));
  record.race = raceOf(folder);
  if (reading.killed || spec) return reading;
  if (!fs::is_directory(folder, ignored)) return std::nullopt;  // removed while it was read
  markDamaged(record.summary, folder / kSpecFile);
  return reading;
}

wire::RunSummary endKilled(const fs::path& home, const fs::path& folder) {
  const auto guard = lockFile(home / ".repair.lock");
  const auto id = folder.filename().string();
  if (const auto written = readObject(folder / "summary.json")) return summaryFrom(*written, id);
  const auto events = folder / "events.jsonl";
  auto log = readLog(events);
  const auto known = log ? std::move(*log) : EventLog{};
  auto summary = recoverSummary(id, known);
  if (const auto spec = readObject(folder / kSpecFile); spec && summary.seed == 0)
    if (const auto seed = spec->find("seed"); seed != spec->end() && seed->is_number_integer()) summary.seed = *seed;
  if (log && !hasEnding(known)) appendEnding(events, known, summary);
  // On a read-only home the run is told the same way at each reading.
  static_cast<void>(writeSummary(folder, summary));
  return summary;
}

wire::Status writeSummary(const fs::path& folder, const wire::RunSummary& summary) {
  const auto reserve = folder / ".reserve", file = folder / "summary.json";
  const auto text = jsonText(wire::toJson(summary));
  const auto fd = openFile(reserve, O_WRONLY);
  const bool fits = fd && text.size() <= static_cast<std::size_t>(kReserved);
  if (fits && writeAll(fd.get(), text) == 0 && ::ftruncate(fd.get(), static_cast<off_t>(text.size())) == 0 &&
      ::fsync(fd.get()) == 0 && ::rename(reserve.c_str(), file.c_str()) == 0) {
    syncFolder(folder);
    return wire::success();
  }
  // Too long, or a file system that copies on write: at least its blocks are free again.
  ::unlink(reserve.c_str());
  return writeWhole(file, text);
}

wire::Status reserveSummary(const fs::path& folder) {
  const auto file = folder / ".reserve";
  const auto fd = openFile(file, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return systemError("registry.write", file, errno);
  if (const int error = ::posix_fallocate(fd.get(), 0, kReserved); error != 0)
    return systemError("registry.write", file, error);
  return wire::success();
}

json toJson(const Labels& labels) {
  return {{"name", labels.name}, {"note", labels.note}, {"tags", labels.tags}, {"pinned", labels.pinned}};
}

Labels labelsFromJson(const json& object) {
  Labels labels{wire::textAt(object, "name"), wire::textAt(object, "note"), {}, object.value("pinned", json()) == true};
  const auto tags = object.find("tags");
  if (tags == object.end() || !tags->is_array()) return labels;
  for (const auto& tag : *tags)
    if (tag.is_string()) labels.tags.push_back(tag.get<std::string>());
  return labels;
}

std::vector<std::string> idsIn(const fs::path& folder, const std::string& suffix) {
  std::vector<std::string> ids;
  // readdir(3): taking ten thousand names out of std::filesystem's paths costs more than reading the folder.
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
  while (const auto* entry = listing ? ::readdir(listing.get()) : nullptr) {
    std::string_view name(entry->d_name);
    if (!name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    if (validId(name)) ids.emplace_back(name);
  }
  std::sort(ids.rbegin(), ids.rend());
  return ids;
}

void removeAbandoned(const fs::path& runs) {
  std::error_code error, ignored;
  std::vector<fs::path> abandoned;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto latest = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - kAbandonedAfter;
  for (fs::directory_iterator entry(runs, error), end; !error && entry != end; entry.increment(error)) {
    const auto stamp = folderStamp(entry->path());
    const bool half = entry->path().filename().string().starts_with(".new-");
    if (half && stamp != 0 && stamp < latest) abandoned.push_back(entry->path());
  }
  for (const auto& folder : abandoned) fs::remove_all(folder, ignored);
}

}  // namespace atelier::registry
