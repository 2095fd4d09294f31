#include "python.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <vector>

#include <unistd.h>

#include "child_process.h"

namespace atelier::worker {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);  // a cold disk is slow
constexpr const char* kQuestion = "import sys, importlib.metadata as m; m.version('torch'); print(sys.version.split()[0])";

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("ATELIER_PYTHON"); chosen && *chosen) return {chosen};
  std::vector<std::string> all{ATELIER_VENV_PYTHON};
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) all.push_back(folder + "/python3");
  return all;
}

// Its version; nullopt when it doesn't run or has no PyTorch.
std::optional<std::string> versionOf(const std::string& program) {
  if (access(program.c_str(), X_OK) != 0) return std::nullopt;
  auto child = ChildProcess::start({program, "-c", kQuestion});
  if (!child.ok()) return std::nullopt;
  std::string version;
  const auto late = std::chrono::steady_clock::now() + kPatience;
  while ((*child)->read(100, [&](const std::string& line) { version = line; }))
    if (std::chrono::steady_clock::now() > late) return std::nullopt;
  if ((*child)->exitCode() != 0 || version.empty()) return std::nullopt;
  return version;
}

}  // namespace

wire::Result<Python> findPython() {
  std::string tried;
  for (const auto& program : candidates()) {
    if (const auto version = versionOf(program)) return Python{program, *version};
    if (access(program.c_str(), F_OK) == 0 || tried.empty()) tried += (tried.empty() ? "" : ", ") + program;
  }
  return wire::Error{wire::ExitCode::Failed, {"script.no_python", {{"tried", tried}}}};
}

}  // namespace atelier::worker
