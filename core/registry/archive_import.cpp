#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include "archive_reader.h"
#include "core/wire/number.h"
#include "run_folder.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImported = "imported";

// A hidden folder where everything is unpacked; it goes when the import ends, well or not.
class Staging {
 public:
  explicit Staging(const fs::path& runs) : m_folder(runs / (".new-import-" + makeRunId())) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(m_folder, ignored);
  }
  wire::Status make() const {
    std::error_code error;
    fs::create_directories(m_folder, error);
    return error ? wire::Status(systemError("registry.write", m_folder, error.value())) : wire::success();
  }
  const fs::path& folder() const { return m_folder; }

 private:
  fs::path m_folder;
};

struct Unpacked {
  std::set<std::string> runs;
  std::vector<std::string> records;  // races/<id>.json, sweeps/<id>.json
};

wire::Status unpackFile(ArchiveReader& reader, const ArchiveEntry& entry, const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return systemError("registry.write", file, error.value());
  const auto fd = openFile(file, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return systemError("registry.write", file, errno);
  for (std::string piece;; piece.clear()) {
    auto more = reader.read(piece);
    if (!more) return more.error();
    if (!*more) break;
    if (const int failed = writeAll(fd.get(), piece); failed != 0) return systemError("registry.write", file, failed);
  }
  // The time of a run whose id doesn't tell it is its spec's.
  const struct timespec times[2] = {{entry.modified, 0}, {entry.modified, 0}};
  static_cast<void>(::futimens(fd.get(), times));
  return wire::success();
}

wire::Result<Unpacked> unpack(ArchiveReader& reader, const fs::path& staging) {
  Unpacked unpacked;
  for (;;) {
    auto entry = reader.next();
    if (!entry) return entry.error();
    if (!*entry) return unpacked;
    const auto& found = **entry;
    if (found.path.folder == "runs") unpacked.runs.insert(found.path.id);
    else unpacked.records.push_back(found.name);
    if (auto status = unpackFile(reader, found, staging / found.name); !status) return status.error();
  }
}

// Not synced by itself: all that was unpacked is, before it is moved into place.
wire::Status tagImported(const fs::path& folder) {
  const auto file = folder / "labels.json";
  const auto text = readWhole(file, 1 << 20);
  const auto object = text ? wire::parseJson(*text) : std::nullopt;
  auto labels = object && object->is_object() ? labelsFromJson(*object) : Labels();
  if (std::find(labels.tags.begin(), labels.tags.end(), kImported) == labels.tags.end()) labels.tags.emplace_back(kImported);
  const auto fd = openFile(file, O_WRONLY | O_CREAT | O_TRUNC);
  const int failed = fd ? writeAll(fd.get(), jsonText(toJson(labels))) : errno;
  return failed == 0 ? wire::success() : wire::Status(systemError("registry.write", file, failed));
}

bool sameContent(const fs::path& left, const fs::path& right) {
  const auto a = openFile(left, O_RDONLY | O_NONBLOCK), b = openFile(right, O_RDONLY | O_NONBLOCK);
  struct stat first {
  }, second{};
  if (!a || !b || ::fstat(a.get(), &first) != 0 || ::fstat(b.get(), &second) != 0) return false;
  if (!S_ISREG(second.st_mode) || first.st_size != second.st_size) return false;
  std::string one(1 << 16, '\0'), other(1 << 16, '\0');
  for (off_t at = 0; at < first.st_size;) {
    const auto count = ::pread(a.get(), one.data(), one.size(), at);
    if (count <= 0 || ::pread(b.get(), other.data(), static_cast<std::size_t>(count), at) != count) return false;
    if (!std::equal(one.begin(), one.begin() + count, other.begin())) return false;
    at += count;
  }
  return true;
}

// Whether the run that is there says all that the archive's says, labels aside: those are the reader's own.
bool sameRun(const fs::path& brought, const fs::path& there) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(brought, error), end; !error && entry != end; entry.increment(error)) {
    const auto inside = entry->path().lexically_relative(brought);
    if (entry->is_directory(error) || inside == "labels.json") continue;
    if (!sameContent(entry->path(), there / inside)) return false;
  }
  return !error;
}

bool isThere(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

// Moves a race's or a sweep's file into place; one that is there stays.
wire::Status placeRecord(const fs::path& home, const fs::path& staging, const std::string& name, ImportReport& report) {
  const auto from = staging / name, to = home / name;
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) return systemError("registry.write", to, error.value());
  if (::link(from.c_str(), to.c_str()) == 0) return wire::success();
  if (errno != EEXIST && !isThere(to)) {  // a file system without links
    fs::rename(from, to, error);
    return error ? wire::Status(systemError("registry.write", to, error.value())) : wire::success();
  }
  if (!sameContent(from, to)) report.notices.push_back({"archive.record_kept", {{"file", to.string()}}});
  return wire::success();
}

// rename(2) never replaces a folder that has something in it, so what another program put there meanwhile stays.
wire::Status placeRun(const fs::path& home, const fs::path& staging, const std::string& id, ImportReport& report) {
  const auto from = staging / "runs" / id, to = home / "runs" / id;
  if (!isThere(to)) {
    std::error_code error;
    fs::rename(from, to, error);
    if (!error) {
      report.runs.push_back(id);
      return wire::success();
    }
    if (!isThere(to)) return systemError("registry.write", to, error.value());
  }
  (sameRun(from, to) ? report.present : report.refused).push_back(id);
  return wire::success();
}

}  // namespace

wire::Result<ImportReport> importRuns(const fs::path& home, const fs::path& file, const ArchiveLimits& limits) {
  auto reader = ArchiveReader::open(file, limits);
  if (!reader) return reader.error();
  const Staging staging(home / "runs");
  if (auto made = staging.make(); !made) return made.error();
  const auto unpacked = unpack(**reader, staging.folder());
  if (!unpacked) return unpacked.error();
  for (const auto& id : unpacked->runs)
    if (auto status = tagImported(staging.folder() / "runs" / id); !status) return status.error();
  // All bytes are on the disk before a run can be seen.
  if (const auto fd = openFile(staging.folder(), O_RDONLY | O_DIRECTORY)) static_cast<void>(::syncfs(fd.get()));
  ImportReport report;
  for (const auto& name : unpacked->records)
    if (auto status = placeRecord(home, staging.folder(), name, report); !status) return status.error();
  for (const auto& id : unpacked->runs)
    if (auto status = placeRun(home, staging.folder(), id, report); !status) return status.error();
  syncFolder(home / "runs");
  return report;
}

}  // namespace atelier::registry
