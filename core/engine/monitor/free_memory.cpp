#include "free_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/number.h"

namespace atelier::engine {
namespace {

// The number behind a name, in a file of "name number" lines ("MemAvailable:   1234 kB").
std::optional<std::int64_t> numberBehind(const char* file, std::string_view name) {
  std::ifstream input(file);
  for (std::string word, line; input >> word && std::getline(input, line);) {
    if (word != name) continue;
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) return std::nullopt;
    return wire::parseInteger(std::string_view(line).substr(begin, line.find(' ', begin) - begin));
  }
  return std::nullopt;
}

// A file that holds one number; "max", which is no limit, gives none.
std::optional<std::int64_t> numberIn(const char* file) {
  std::ifstream input(file);
  std::string word;
  if (!(input >> word)) return std::nullopt;
  return wire::parseInteger(word);
}

}  // namespace

std::int64_t freeMemory() {
  auto bytes = numberBehind("/proc/meminfo", "MemAvailable:").value_or(0) << 10;
  const auto limit = numberIn("/sys/fs/cgroup/memory.max"), used = numberIn("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return bytes;
  // Pages of files that nobody needs now are the group's too, and are given back before anybody is killed.
  const auto given = numberBehind("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
  const auto left = std::max<std::int64_t>(0, *limit - *used + given);
  return bytes > 0 ? std::min(bytes, left) : left;
}

}  // namespace atelier::engine
