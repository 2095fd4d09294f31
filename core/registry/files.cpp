#include "files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <system_error>

#include "home.h"
#include "registry.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

// Coarse file systems stamp to the second.
constexpr std::int64_t kStampTrustedAfter = 2'000'000'000;

fs::path temporaryBeside(const fs::path& file) {
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, ".tmp-%08x", static_cast<unsigned>(std::random_device{}()));
  return file.parent_path() / ("." + file.filename().string() + suffix);
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(m_fd, other.m_fd);
  return *this;
}

Descriptor::~Descriptor() {
  if (m_fd >= 0) ::close(m_fd);
}

Descriptor openFile(const fs::path& file, int flags) {
  int fd = -1;
  do fd = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  while (fd < 0 && errno == EINTR);
  return Descriptor(fd);
}

wire::Error systemError(const std::string& id, const fs::path& file, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {wire::ExitCode::Failed, wire::Message{full ? "registry.disk_full" : id,
                                                {{"file", file.string()}, {"reason", std::generic_category().message(error)}}}};
}

int writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written == 0) return EIO;
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void syncFolder(const fs::path& folder) {
  if (const auto fd = openFile(folder, O_RDONLY | O_DIRECTORY)) ::fsync(fd.get());
}

Descriptor lockFile(const fs::path& file) {
  auto fd = openFile(file, O_RDWR | O_CREAT);
  if (!fd) return fd;
  int locked = -1;
  do locked = ::flock(fd.get(), LOCK_EX);
  while (locked != 0 && errno == EINTR);
  return locked == 0 ? std::move(fd) : Descriptor();
}

std::string jsonText(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::int64_t folderStamp(const fs::path& folder) {
  struct stat state {};
  if (::stat(folder.c_str(), &state) != 0) return 0;
  const std::int64_t stamp = std::int64_t{state.st_mtim.tv_sec} * 1'000'000'000 + state.st_mtim.tv_nsec;
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
  return now.count() - stamp < kStampTrustedAfter ? 0 : stamp;
}

fs::path defaultHome() {
  if (const char* home = std::getenv("ATELIER_HOME"); home && *home) return home;
  std::error_code gone;
  if (auto chosen = chosenHome(); !chosen.empty() && fs::is_directory(chosen, gone)) return chosen;
  return usualHome();
}

wire::Status writeWhole(const fs::path& file, std::string_view content) {
  const auto temporary = temporaryBeside(file);
  const auto fd = openFile(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return systemError("registry.write", file, errno);
  int error = writeAll(fd.get(), content);
  if (error == 0 && ::fsync(fd.get()) != 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return systemError("registry.write", file, error);
  }
  syncFolder(file.parent_path());
  return wire::success();
}

wire::Result<std::string> readWhole(const fs::path& file, std::uintmax_t largest) {
  const auto fd = openFile(file, O_RDONLY | O_NONBLOCK);  // a pipe put there must not hang the reader
  struct stat state {};
  if (!fd || ::fstat(fd.get(), &state) != 0) return systemError("registry.read", file, errno);
  if (!S_ISREG(state.st_mode)) return systemError("registry.read", file, S_ISDIR(state.st_mode) ? EISDIR : EINVAL);
  const wire::Error tooLarge(wire::ExitCode::Failed, wire::Message{"registry.too_large", {{"file", file.string()}}});
  if (static_cast<std::uintmax_t>(state.st_size) > largest) return tooLarge;
  std::string content(static_cast<std::size_t>(state.st_size), '\0');
  std::size_t filled = 0;
  for (;;) {
    // The file may have grown since its size was asked for.
    if (filled == content.size()) content.resize(content.size() + 4096);
    const auto count = ::read(fd.get(), content.data() + filled, content.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return systemError("registry.read", file, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > largest) return tooLarge;
  }
  content.resize(filled);
  return content;
}

}  // namespace atelier::registry
