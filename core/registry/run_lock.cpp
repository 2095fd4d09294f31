#include "run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>

#include "core/wire/number.h"
#include "files.h"
#include "registry.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kForeignSilence{24};

std::string firstLine(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Field 22 of /proc/PID/stat; 0 when there is no such process. The name in field 2 may hold spaces and parentheses.
std::int64_t processStart(std::int64_t pid) {
  const auto line = firstLine("/proc/" + std::to_string(pid) + "/stat");
  const auto name = line.rfind(')');
  if (name == std::string::npos) return 0;
  std::istringstream fields(line.substr(name + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  return wire::parseInteger(field).value_or(0);
}

std::chrono::seconds sinceLastWrite(const fs::path& file) {
  struct stat state {};
  if (::stat(file.c_str(), &state) != 0) return std::chrono::hours(24 * 365);
  return std::chrono::seconds(std::time(nullptr) - state.st_mtim.tv_sec);
}

}  // namespace

WriterMark ownMark() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return {host, firstLine("/proc/sys/kernel/random/boot_id"), ::getpid(), processStart(::getpid())};
}

std::string markText(const WriterMark& mark) {
  return jsonText({{"host", mark.host}, {"boot", mark.boot}, {"pid", mark.pid}, {"start", mark.start}});
}

std::optional<WriterMark> parseMark(std::string_view text) {
  const auto json = wire::parseJson(text);
  if (!json || !json->is_object()) return std::nullopt;
  const auto words = {"host", "boot"}, numbers = {"pid", "start"};
  for (const auto* key : words)
    if (!json->contains(key) || !(*json)[key].is_string()) return std::nullopt;
  for (const auto* key : numbers)
    if (!json->contains(key) || !(*json)[key].is_number_integer()) return std::nullopt;
  return WriterMark{(*json)["host"], (*json)["boot"], (*json)["pid"], (*json)["start"]};
}

bool markAlive(const WriterMark& mark, std::chrono::seconds sinceLastWrite) {
  const auto self = ownMark();
  if (mark.host != self.host) return sinceLastWrite < kForeignSilence;
  if (mark.boot != self.boot) return false;
  return mark.start != 0 && processStart(mark.pid) == mark.start;
}

wire::Status holdRun(int events, const fs::path& folder) {
  if (::flock(events, LOCK_EX | LOCK_NB) == 0) return wire::success();
  if (errno == EWOULDBLOCK) return systemError("registry.write", folder / "events.jsonl", errno);
  return writeWhole(folder / "writer", markText(ownMark()));
}

bool writerAlive(const fs::path& folder) {
  const auto events = folder / "events.jsonl";
  if (const auto text = readWhole(folder / "writer", 1 << 16)) {
    const auto mark = parseMark(*text);
    return mark && markAlive(*mark, sinceLastWrite(events));
  }
  const auto fd = openFile(events, O_RDONLY);
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace atelier::registry
