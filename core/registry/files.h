// What the registry's files need from the system: descriptors that close themselves, locks, errors as messages, the time
// stamp of a folder. Any thread; a Descriptor belongs to one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"

namespace atelier::registry {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : m_fd(fd) {}
  Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }

 private:
  int m_fd = -1;
};

// open(2), closed on exec; not valid when it failed (errno says why).
Descriptor openFile(const std::filesystem::path& file, int flags);

// registry.disk_full when the error means that nothing more fits, else `id`, with the arguments file and reason.
wire::Error systemError(const std::string& id, const std::filesystem::path& file, int error);

// Writes all of it at the descriptor's position; 0 or the errno.
int writeAll(int fd, std::string_view content);

void syncFolder(const std::filesystem::path& folder);

// Waits for the exclusive lock on a file made for that. Not valid where it can't be made or locked (read-only, no locks):
// what it guards must be harmless, if wasteful, when done twice.
Descriptor lockFile(const std::filesystem::path& file);

// JSON as it stands in the registry's files; text that is not UTF-8 is replaced.
std::string jsonText(const nlohmann::json& json);

// When the folder's entries last changed, in nanoseconds; 0 when unknown, or so recent that another change could still
// leave the same stamp. Files there are replaced by renaming only, so an equal stamp means equal content.
std::int64_t folderStamp(const std::filesystem::path& folder);

}  // namespace atelier::registry
