#include "archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/wire/number.h"
#include "run_id.h"

namespace atelier::registry {
namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr std::uintmax_t kLargestManifest = 64 << 20;
constexpr std::size_t kLongestName = 512;
constexpr int kDeepest = 8;

bool plainPart(std::string_view part) {
  if (part.empty() || part.front() == '.' || part.back() == ' ') return false;
  return std::all_of(part.begin(), part.end(), [](char c) { return c >= ' ' && c <= '~' && c != '\\' && c != ':'; });
}

// For a message: no control characters, no end of it.
std::string printable(std::string_view name) {
  std::string text(name.substr(0, 120));
  for (auto& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

bool plainFile(archive_entry* entry) {
  return archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry) && !archive_entry_symlink(entry) &&
         archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) >= 0;
}

std::optional<ArchiveMeasure> measureFrom(const nlohmann::json& listed) {
  if (!listed.is_object()) return std::nullopt;
  const auto bytes = listed.find("bytes"), crc = listed.find("crc32");
  if (bytes == listed.end() || crc == listed.end() || !bytes->is_number_unsigned() || !crc->is_number_unsigned())
    return std::nullopt;
  return ArchiveMeasure{bytes->get<std::uintmax_t>(), static_cast<std::uint32_t>(crc->get<std::uintmax_t>())};
}

}  // namespace

std::uint32_t updatedCrc(std::uint32_t crc, std::string_view piece) {
  const auto* bytes = reinterpret_cast<const Bytef*>(piece.data());
  return static_cast<std::uint32_t>(::crc32_z(crc, bytes, piece.size()));
}

std::optional<ArchivePath> parseArchivePath(std::string_view name) {
  if (name.size() > kLongestName) return std::nullopt;
  std::vector<std::string_view> parts;
  for (auto rest = name;;) {
    const auto slash = rest.find('/');
    parts.push_back(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (parts.size() < 2 || parts.size() > kDeepest || !std::all_of(parts.begin(), parts.end(), plainPart)) return std::nullopt;
  ArchivePath path{std::string(parts[0]), std::string(parts[1]), ""};
  if (path.folder == "runs") {
    if (parts.size() < 3 || !validId(path.id)) return std::nullopt;
    path.inside = std::string(name.substr(path.folder.size() + path.id.size() + 2));
    // The mark of a living writer would make a run look as if it went on.
    return path.inside == "writer" ? std::nullopt : std::optional(std::move(path));
  }
  if ((path.folder != "races" && path.folder != "sweeps") || parts.size() != 2 || !path.id.ends_with(".json"))
    return std::nullopt;
  path.id.resize(path.id.size() - 5);
  return validId(path.id) ? std::optional(std::move(path)) : std::nullopt;
}

void ArchiveReader::Close::operator()(archive* reader) const {
  archive_read_free(reader);
}

wire::Error ArchiveReader::error(const std::string& id, std::vector<std::pair<std::string, std::string>> args) const {
  args.insert(args.begin(), {"file", m_file.string()});
  return {wire::ExitCode::Usage, wire::Message{id, std::move(args)}};
}

wire::Error ArchiveReader::damaged() const {
  const char* reason = archive_error_string(m_archive.get());
  return error("archive.damaged", {{"reason", printable(reason ? reason : "?")}});
}

wire::Error ArchiveReader::badEntry(std::string_view name) const {
  return error("archive.bad_entry", {{"entry", printable(name)}});
}

wire::Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(const std::filesystem::path& file,
                                                                 const ArchiveLimits& limits) {
  auto descriptor = openFile(file, O_RDONLY | O_NONBLOCK);  // a pipe put there must not hang the reader
  struct stat state {};
  if (!descriptor || ::fstat(descriptor.get(), &state) != 0) return systemError("registry.read", file, errno);
  if (!S_ISREG(state.st_mode)) return systemError("registry.read", file, S_ISDIR(state.st_mode) ? EISDIR : EINVAL);
  std::unique_ptr<ArchiveReader> reader(new ArchiveReader(file, std::move(descriptor)));
  if (auto status = reader->start(limits); !status) return status.error();
  return reader;
}

wire::Status ArchiveReader::start(const ArchiveLimits& limits) {
  m_archive.reset(archive_read_new());
  auto* const reader = m_archive.get();
  archive_read_support_filter_gzip(reader);
  archive_read_support_format_tar(reader);
  archive_entry* entry = nullptr;
  if (archive_read_open_fd(reader, m_descriptor.get(), kPiece) != ARCHIVE_OK ||
      archive_read_next_header(reader, &entry) != ARCHIVE_OK)
    return error("archive.not_one");
  const char* name = archive_entry_pathname(entry);
  // More than one layer of gzip is nothing that we write, and a way to hide how much there is.
  if (!name || name != std::string_view(kArchiveManifest) || !plainFile(entry) || archive_filter_count(reader) > 2)
    return error("archive.not_one");
  const auto bytes = static_cast<std::uintmax_t>(archive_entry_size(entry));
  if (bytes > kLargestManifest) return error("archive.not_one");
  std::string text(bytes, '\0');
  const auto count = archive_read_data(reader, text.data(), text.size());
  if (count < 0 || static_cast<std::uintmax_t>(count) != bytes) return damaged();
  return readManifest(text, limits);
}

wire::Status ArchiveReader::readManifest(const std::string& text, const ArchiveLimits& limits) {
  const auto manifest = wire::parseJson(text);
  if (!manifest || !manifest->is_object() || manifest->value("format", nlohmann::json()) != kArchiveFormat)
    return error("archive.not_one");
  const auto version = manifest->value("version", nlohmann::json());
  if (version != kArchiveVersion)
    return error("archive.version",
                 {{"version", printable(version.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))}});
  const auto files = manifest->find("files");
  if (files == manifest->end() || !files->is_object()) return error("archive.not_one");
  if (files->size() > limits.files) return error("archive.too_many", {{"limit", std::to_string(limits.files)}});
  std::uintmax_t total = 0;
  for (const auto& [name, listed] : files->items()) {
    const auto measure = measureFrom(listed);
    if (!parseArchivePath(name) || !measure) return badEntry(name);
    if (measure->bytes > limits.file_bytes) return error("archive.too_large", {{"limit", std::to_string(limits.file_bytes)}});
    total += measure->bytes;  // checked each time, so it can't wrap
    if (total > limits.total_bytes) return error("archive.too_large", {{"limit", std::to_string(limits.total_bytes)}});
    m_awaited.emplace_hint(m_awaited.end(), name, *measure);
  }
  return wire::success();
}

wire::Result<std::optional<ArchiveEntry>> ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const int code = archive_read_next_header(m_archive.get(), &entry);
  if (code == ARCHIVE_EOF) {
    if (!m_awaited.empty()) return error("archive.truncated", {{"entry", m_awaited.begin()->first}});
    return std::optional<ArchiveEntry>();
  }
  if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return damaged();
  const char* name = archive_entry_pathname(entry);
  if (!name) return badEntry("?");
  const auto listed = m_awaited.find(std::string_view(name));
  auto path = parseArchivePath(name);
  if (listed == m_awaited.end() || !path || !plainFile(entry)) return badEntry(name);
  if (static_cast<std::uintmax_t>(archive_entry_size(entry)) != listed->second.bytes) return badEntry(name);
  m_entry = listed->second;
  m_read = 0;
  m_crc = 0;
  m_awaited.erase(listed);
  return std::optional(ArchiveEntry{name, std::move(*path), m_entry.bytes, archive_entry_mtime(entry)});
}

wire::Result<bool> ArchiveReader::read(std::string& content) {
  const auto before = content.size();
  content.resize(before + kPiece);
  const auto count = archive_read_data(m_archive.get(), content.data() + before, kPiece);
  const auto bytes = static_cast<std::size_t>(std::max<la_ssize_t>(count, 0));
  content.resize(before + bytes);
  if (count < 0) return damaged();
  m_read += bytes;
  m_crc = updatedCrc(m_crc, std::string_view(content).substr(before));
  const bool ended = bytes == 0;
  if (m_read > m_entry.bytes || (ended && (m_read != m_entry.bytes || m_crc != m_entry.crc32)))
    return error("archive.damaged", {{"reason", "CRC-32"}});
  return !ended;
}

}  // namespace atelier::registry
