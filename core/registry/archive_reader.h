// The entries of an archive, one after the other, each checked before it is handed out. Internal to the registry. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive.h"
#include "files.h"

struct archive;
struct archive_entry;

namespace atelier::registry {

inline constexpr const char* kArchiveManifest = "atelier-archive.json";
inline constexpr const char* kArchiveFormat = "atelier-archive";
inline constexpr int kArchiveVersion = 1;

// A name in an archive that leads nowhere but into a home.
struct ArchivePath {
  std::string folder;  // runs, races or sweeps
  std::string id;
  std::string inside;  // of a run: "spec.json", "profile/trace.json"; else ""
};

// nullopt for anything else: absolute, "..", hidden parts, other folders, a writer's mark, names beyond plain ASCII.
std::optional<ArchivePath> parseArchivePath(std::string_view name);

// What the list says of a file; the sum is zlib's CRC-32. libarchive doesn't check gzip's own.
struct ArchiveMeasure {
  std::uintmax_t bytes = 0;
  std::uint32_t crc32 = 0;
};
std::uint32_t updatedCrc(std::uint32_t crc, std::string_view piece);

struct ArchiveEntry {
  std::string name;
  ArchivePath path;
  std::uintmax_t size = 0;
  std::int64_t modified = 0;  // seconds, Unix time
};

class ArchiveReader {
 public:
  // Reads and checks the list of what is in it.
  static wire::Result<std::unique_ptr<ArchiveReader>> open(const std::filesystem::path& file, const ArchiveLimits& limits);

  // Nothing at the end, once every file of the list was there. REQUIRES: the entry before was read to its end.
  wire::Result<std::optional<ArchiveEntry>> next();
  // Appends the next piece of the entry; false when there is none, and then all of it was as listed.
  wire::Result<bool> read(std::string& content);

 private:
  struct Close {
    void operator()(archive* reader) const;
  };

  ArchiveReader(std::filesystem::path file, Descriptor descriptor)
      : m_file(std::move(file)), m_descriptor(std::move(descriptor)) {}
  wire::Status start(const ArchiveLimits& limits);
  wire::Status readManifest(const std::string& text, const ArchiveLimits& limits);
  wire::Error error(const std::string& id, std::vector<std::pair<std::string, std::string>> args = {}) const;
  wire::Error damaged() const;
  wire::Error badEntry(std::string_view name) const;

  std::filesystem::path m_file;
  Descriptor m_descriptor;
  std::unique_ptr<archive, Close> m_archive;
  std::map<std::string, ArchiveMeasure, std::less<>> m_awaited;  // listed and not yet seen
  ArchiveMeasure m_entry;                                        // as listed
  std::uintmax_t m_read = 0;                                     // bytes of the entry so far
  std::uint32_t m_crc = 0;                                       // of those
};

}  // namespace atelier::registry
