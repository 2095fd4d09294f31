#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "archive_reader.h"
#include "core/wire/number.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 1 << 16;

struct Packed {
  fs::path file;
  ArchiveMeasure measure{};
};

// What goes in, by its name there; in order, so that the same runs make the same archive.
struct Parcel {
  std::map<std::string, Packed> files;
  ExportReport report;
};

using Piece = std::function<wire::Status(std::string_view)>;

// The file from beginning to end, in pieces.
wire::Status readPieces(const fs::path& file, const Piece& take) {
  const auto fd = openFile(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!fd) return systemError("registry.read", file, errno);
  std::string piece(kPiece, '\0');
  for (;;) {
    const auto count = ::read(fd.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return systemError("registry.read", file, errno);
    if (count == 0) return wire::success();
    if (auto taken = take(std::string_view(piece).substr(0, static_cast<std::size_t>(count))); !taken) return taken;
  }
}

// An id that a file of the run names: its race's, its sweep's.
std::string namedIn(const fs::path& file, const char* key) {
  const auto text = readWhole(file, 64 << 20);
  const auto object = text ? wire::parseJson(*text) : std::nullopt;
  if (!object || !object->is_object()) return "";
  const auto found = object->find(key);
  return found != object->end() && found->is_string() ? found->get<std::string>() : std::string();
}

void addRecord(Parcel& parcel, const fs::path& home, const std::string& folder, const std::string& id) {
  const auto name = folder + "/" + id + ".json";
  std::error_code ignored;
  if (!id.empty() && parseArchivePath(name) && fs::is_regular_file(home / name, ignored)) parcel.files[name].file = home / name;
}

wire::Status addRun(Parcel& parcel, const RunRecord& run) {
  if (run.summary.status == "running") return wire::Error{wire::ExitCode::Usage, {"archive.running", {{"run", run.id}}}};
  const auto home = run.folder.parent_path().parent_path();
  std::error_code error;
  for (fs::recursive_directory_iterator entry(run.folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto inside = entry->path().lexically_relative(run.folder).generic_string();
    const auto state = entry->symlink_status(error);
    if (error) break;
    const bool hidden = entry->path().filename().string().starts_with(".");
    if (fs::is_directory(state)) {
      if (hidden) entry.disable_recursion_pending();
      continue;
    }
    if (hidden || inside == "writer") continue;  // the writer's own: space kept, a mark, a file half written
    const auto name = "runs/" + run.id + "/" + inside;
    if (fs::is_regular_file(state) && parseArchivePath(name)) parcel.files[name].file = entry->path();
    else parcel.report.left_out.push_back(name);
  }
  if (error) return systemError("registry.read", run.folder, error.value());
  addRecord(parcel, home, "races", run.race);
  addRecord(parcel, home, "sweeps", namedIn(run.folder / "environment.json", "sweep"));
  parcel.report.runs.push_back(run.id);
  return wire::success();
}

wire::Status measure(Parcel& parcel) {
  for (auto& [name, packed] : parcel.files) {
    auto& found = packed.measure;
    const auto status = readPieces(packed.file, [&found](std::string_view piece) {
      found.bytes += piece.size();
      found.crc32 = updatedCrc(found.crc32, piece);
      return wire::success();
    });
    if (!status) return status;
  }
  return wire::success();
}

std::string manifestOf(const Parcel& parcel) {
  auto files = nlohmann::json::object();
  for (const auto& [name, packed] : parcel.files)
    files[name] = {{"bytes", packed.measure.bytes}, {"crc32", packed.measure.crc32}};
  return jsonText({{"format", kArchiveFormat}, {"version", kArchiveVersion}, {"files", std::move(files)}});
}

class ArchiveWriter {
 public:
  ArchiveWriter(fs::path file, int fd) : m_file(std::move(file)), m_archive(archive_write_new()) {
    auto* const writer = m_archive.get();
    archive_write_set_format_pax_restricted(writer);
    archive_write_add_filter_gzip(writer);
    archive_write_set_options(writer, "gzip:!timestamp");
    m_open = archive_write_open_fd(writer, fd) == ARCHIVE_OK;
  }

  wire::Status begin(const std::string& name, std::uintmax_t bytes, std::int64_t modified) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), modified, 0);
    return m_open && archive_write_header(m_archive.get(), entry.get()) == ARCHIVE_OK ? wire::success() : failure();
  }

  wire::Status add(std::string_view piece) {
    const auto written = archive_write_data(m_archive.get(), piece.data(), piece.size());
    return written == static_cast<la_ssize_t>(piece.size()) ? wire::success() : failure();
  }

  wire::Status close() { return archive_write_close(m_archive.get()) == ARCHIVE_OK ? wire::success() : failure(); }

 private:
  struct Free {
    void operator()(archive* writer) const { archive_write_free(writer); }
  };
  wire::Status failure() const { return systemError("registry.write", m_file, archive_errno(m_archive.get())); }

  fs::path m_file;
  std::unique_ptr<archive, Free> m_archive;
  bool m_open = false;
};

wire::Status writeFile(ArchiveWriter& writer, const std::string& name, const Packed& packed) {
  struct stat state {};
  const bool there = ::lstat(packed.file.c_str(), &state) == 0;
  if (!there) return systemError("registry.read", packed.file, errno);
  if (auto begun = writer.begin(name, packed.measure.bytes, state.st_mtim.tv_sec); !begun) return begun;
  ArchiveMeasure now;
  const auto status = readPieces(packed.file, [&](std::string_view piece) {
    now.bytes += piece.size();
    now.crc32 = updatedCrc(now.crc32, piece);
    return now.bytes > packed.measure.bytes ? wire::success() : writer.add(piece);
  });
  const bool same = now.bytes == packed.measure.bytes && now.crc32 == packed.measure.crc32;
  if (status && !same) return wire::Error{wire::ExitCode::Failed, {"archive.changed", {{"file", packed.file.string()}}}};
  return status;
}

wire::Status writeParcel(const Parcel& parcel, const fs::path& file, int fd) {
  ArchiveWriter writer(file, fd);
  const auto manifest = manifestOf(parcel);
  if (auto status = writer.begin(kArchiveManifest, manifest.size(), 0); !status) return status;
  if (auto status = writer.add(manifest); !status) return status;
  for (const auto& [name, packed] : parcel.files)
    if (auto status = writeFile(writer, name, packed); !status) return status;
  if (auto status = writer.close(); !status) return status;
  return ::fsync(fd) == 0 ? wire::success() : systemError("registry.write", file, errno);
}

}  // namespace

wire::Result<ExportReport> exportRuns(Registry& registry, const std::vector<std::string>& ids, const fs::path& file) {
  Parcel parcel;
  std::set<std::string> packed;
  for (const auto& id : ids) {
    auto run = registry.find(id);
    if (!run) return run.error();
    if (!packed.insert(run->id).second) continue;
    if (auto added = addRun(parcel, *run); !added) return added.error();
  }
  if (auto measured = measure(parcel); !measured) return measured.error();
  const auto temporary = file.parent_path() / ("." + file.filename().string() + ".tmp-" + makeRunId());
  const auto fd = openFile(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return systemError("registry.write", file, errno);
  auto status = writeParcel(parcel, file, fd.get());
  if (status && ::rename(temporary.c_str(), file.c_str()) != 0) status = systemError("registry.write", file, errno);
  if (!status) {
    ::unlink(temporary.c_str());
    return status.error();
  }
  syncFolder(file.parent_path());
  return std::move(parcel.report);
}

}  // namespace atelier::registry
