#include "lab_file.h"

#include <algorithm>

#include "core/registry/registry.h"
#include "load.h"
#include "toml_tree.h"

namespace atelier::lab {

namespace fs = std::filesystem;

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
  const auto refuse = [&](const char* id) {
    return wire::Error{wire::ExitCode::Usage, fileMessage(id, path.string(), 0, {{"limit", std::to_string(kLargestLabFile)}})};
  };
  std::error_code error;
  if (!fs::exists(path, error)) return refuse(fs::is_symlink(path, error) ? "lab.outside" : "lab.missing_file");
  if (!liesWithin(path, folder)) return refuse("lab.outside");
  if (!fs::is_regular_file(path, error)) return refuse("lab.unreadable");
  const auto size = fs::file_size(path, error);
  if (error) return refuse("lab.unreadable");
  if (size > kLargestLabFile) return refuse("lab.too_large");
  auto content = registry::readWhole(path, kLargestLabFile);
  if (!content.ok()) return refuse("lab.unreadable");
  return content;
}

}  // namespace atelier::lab
