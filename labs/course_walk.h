// Finds the folders of a course without trusting it: no link is followed out of it or in circles, and a folder with more
// entries than a person would make is refused whole. Any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "core/wire/result.h"

namespace atelier::lab {

inline constexpr std::size_t kMostEntries = 2000;  // of one folder
inline constexpr std::size_t kMostLabs = 1000;     // of a course

// The folders in `folder` that lie below `root`, sorted by name, hidden ones left out. Those that can't be entered are added to
// `refused` (lab.outside, lab.unreadable_folder), and so is the folder itself, with none of its own (lab.too_many_entries).
std::vector<std::filesystem::path> subfolders(const std::filesystem::path& folder, const std::filesystem::path& root,
                                              std::vector<wire::Error>& refused);

// The folders of all labs of a course, readable or not, kMostLabs at most; what can't be entered is left out.
std::vector<std::filesystem::path> labFolders(const std::filesystem::path& course);

}  // namespace atelier::lab
