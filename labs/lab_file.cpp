#include "lab_file.h"

#include <algorithm>

#include "core/registry/registry.h"
#include "load.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

wire::Error refuse(const char* id, const fs::path& path, std::uintmax_t largest) {
  return {wire::ExitCode::Usage, fileMessage(id, path.string(), 0, {{"limit", std::to_string(largest)}})};
}

wire::Status mayBeRead(const fs::path& folder, const fs::path& path, std::uintmax_t largest) {
  if (!isThere(path)) return refuse("lab.missing_file", path, largest);
  if (!liesWithin(path, folder)) return refuse("lab.outside", path, largest);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return refuse("lab.unreadable", path, largest);
  const auto size = fs::file_size(path, error);
  if (error) return refuse("lab.unreadable", path, largest);
  if (size > largest) return refuse("lab.too_large", path, largest);
  return wire::success();
}

}  // namespace

bool isThere(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

bool liesWithin(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const auto root = fs::canonical(folder, error);
  if (error) return false;
  const auto real = fs::canonical(path, error);
  if (error) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first == root.end() && real != root;
}

wire::Result<std::string> readLabFile(const fs::path& folder, const std::string& name) {
  const auto path = folder / name;
  if (const auto status = mayBeRead(folder, path, kLargestLabFile); !status) return status.error();
  auto content = registry::readWhole(path, kLargestLabFile);
  if (!content.ok()) return refuse("lab.unreadable", path, kLargestLabFile);
  return content;
}

std::optional<wire::Result<fs::path>> findRecording(const fs::path& folder, const std::string& step) {
  const auto path = folder / "recorded" / (step + ".atelier");
  if (!isThere(path)) return std::nullopt;
  if (const auto status = mayBeRead(folder, path, kLargestRecording); !status) return status.error();
  return path;
}

}  // namespace atelier::lab
