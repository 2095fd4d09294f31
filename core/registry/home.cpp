#include "home.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "registry.h"

namespace atelier::registry {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLongestPath = 4096;

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return fs::path(value ? value : "");
}

// The XDG specification tells programs to ignore a relative path there.
fs::path choiceFile() {
  const auto config = variable("XDG_CONFIG_HOME");
  return (config.is_absolute() ? config : variable("HOME") / ".config") / "atelier" / "home";
}

wire::Error unusable(const fs::path& home, const std::string& reason) {
  return {wire::ExitCode::Failed, wire::Message{"home.not_usable", {{"folder", home.string()}, {"reason", reason}}}};
}

wire::Status tryToWrite(const fs::path& home) {
  std::error_code error;
  fs::create_directories(home, error);
  if (error || !fs::is_directory(home, error)) return unusable(home, error ? error.message() : "");
  const auto trial = home / ".atelier-trial";
  if (!writeWhole(trial, "\n")) return unusable(home, std::make_error_code(std::errc::permission_denied).message());
  fs::remove(trial, error);
  return wire::success();
}

}  // namespace

fs::path usualHome() {
  if (auto data = variable("XDG_DATA_HOME"); data.is_absolute()) return data / "atelier";
  return variable("HOME") / ".local/share/atelier";
}

fs::path chosenHome() {
  const auto file = choiceFile();
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const auto content = readWhole(file, kLongestPath);
  if (!content) return {};
  const auto line = content->substr(0, content->find_first_of(std::string_view("\r\n\0", 3)));
  fs::path home(line);
  return home.is_absolute() ? home : fs::path();
}

wire::Status chooseHome(const fs::path& home) {
  const auto file = choiceFile();
  std::error_code error;
  if (home.empty()) {
    fs::remove(file, error);
    if (error) return unusable(file, error.message());
    return wire::success();
  }
  if (!home.is_absolute() || home.string().find_first_of("\r\n") != std::string::npos)
    return wire::Error{wire::ExitCode::Usage, wire::Message{"home.not_absolute", {{"folder", home.string()}}}};
  if (auto usable = tryToWrite(home); !usable) return usable;
  fs::create_directories(file.parent_path(), error);
  if (error) return unusable(file.parent_path(), error.message());
  return writeWhole(file, home.string() + "\n");
}

}  // namespace atelier::registry
