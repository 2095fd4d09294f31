#include "fuzz.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/wire/catalog.h"

namespace atelier::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kWatched = "nobody may write here\n";

// In memory where there is such a file system: the registry syncs what it writes.
fs::path temporary() {
  const fs::path memory("/dev/shm");
  return ::access(memory.c_str(), W_OK | X_OK) == 0 ? memory : fs::temp_directory_path();
}

}  // namespace

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "\nbroken: %s\n", what);
  std::abort();
}

void requireTold(const wire::Error& error) {
  static const auto english = wire::Catalog::builtIn("en"), french = wire::Catalog::builtIn("fr");
  require(!error.messages.empty(), "a refusal says why");
  for (const auto& message : error.messages) {
    if (!english.has(message.id) || !french.has(message.id)) std::fprintf(stderr, "%s", message.id.c_str());
    require(english.has(message.id) && french.has(message.id), "a refusal's reason has a text in both languages");
    require(!english.text(message).empty() && !french.text(message).empty(), "a reason is not empty");
  }
}

std::vector<std::pair<std::string, std::string>> sections(std::string_view input) {
  std::vector<std::pair<std::string, std::string>> all;
  while (!input.empty()) {
    const auto end = input.find('\n');
    const auto line = input.substr(0, end);
    const bool mark = line.starts_with('@');
    if (mark) all.emplace_back(std::string(line.substr(1)), std::string());
    else if (!all.empty()) all.back().second += input.substr(0, end == std::string_view::npos ? end : end + 1);
    if (end == std::string_view::npos) break;
    input.remove_prefix(end + 1);
  }
  return all;
}

Playground::Playground() {
  auto pattern = (temporary() / "atelier-fuzz-XXXXXX").string();
  require(::mkdtemp(pattern.data()) != nullptr, "a temporary folder can be made");
  m_root = pattern;
  m_home = m_root / "a" / "b" / "c" / "home";
  fs::create_directories(m_home);
  m_watched = m_root / "a" / "watched";
  writeFile(m_watched, kWatched);
}

Playground::~Playground() {
  std::error_code ignored;
  fs::remove_all(m_root, ignored);
}

void Playground::requireUntouched(const std::vector<fs::path>& known) const {
  std::ifstream input(m_watched, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(input), {}};
  require(content == kWatched, "a file outside of the home is as it was");
  const std::vector<fs::path> folders{m_root / "a", m_root / "a" / "b", m_root / "a" / "b" / "c"};
  for (fs::recursive_directory_iterator entry(m_root), end; entry != end; ++entry) {
    const auto& path = entry->path();
    if (path == m_home) entry.disable_recursion_pending();
    const bool expected = path == m_home || path == m_watched ||
                          std::find(folders.begin(), folders.end(), path) != folders.end() ||
                          std::find(known.begin(), known.end(), path) != known.end();
    if (!expected) std::fprintf(stderr, "%s", path.c_str());
    require(expected, "nothing is written outside of the home");
  }
}

void writeFile(const fs::path& file, std::string_view content) {
  std::ofstream output(file, std::ios::binary | std::ios::trunc);
  output.write(content.data(), static_cast<std::streamsize>(content.size()));
}

}  // namespace atelier::fuzz
