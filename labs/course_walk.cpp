#include "course_walk.h"

#include <algorithm>

#include "lab_file.h"
#include "toml_tree.h"

namespace atelier::lab {

namespace fs = std::filesystem;

std::vector<fs::path> subfolders(const fs::path& folder, const fs::path& root, std::vector<wire::Error>& refused) {
  const auto refuse = [&](const char* id, const fs::path& path) {
    refused.push_back({wire::ExitCode::Usage, fileMessage(id, path.string(), 0, {{"limit", std::to_string(kMostEntries)}})});
  };
  std::vector<fs::path> all;
  std::vector<fs::path> outside;
  std::size_t entries = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (++entries > kMostEntries) {
      refuse("lab.too_many_entries", folder);
      return {};
    }
    const auto& path = entry->path();
    if (path.filename().string().starts_with('.')) continue;
    std::error_code broken;
    const bool directory = entry->is_directory(broken);
    const bool link = entry->is_symlink(broken);
    // A link that leads nowhere or in circles is no folder, and the author should hear of it.
    if (link && !liesWithin(path, root) && (directory || !fs::exists(path, broken))) outside.push_back(path);
    else if (directory) all.push_back(path);
  }
  if (error) refuse("lab.unreadable_folder", folder);
  std::sort(outside.begin(), outside.end());
  for (const auto& path : outside) refuse("lab.outside", path);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<fs::path> labFolders(const fs::path& course) {
  if (isThere(course / "lab.toml")) return {course};
  std::vector<wire::Error> ignored;
  std::vector<fs::path> all;
  for (const auto& day : subfolders(course, course, ignored))
    for (const auto& lab : subfolders(day, course, ignored)) {
      if (all.size() == kMostLabs) return all;
      all.push_back(lab);
    }
  return all;
}

}  // namespace atelier::lab
