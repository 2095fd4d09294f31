// A course that is being written while it is shown: whether its files have changed, and what to show while one of them is
// broken. Nothing here waits or watches; the caller asks, a few times a second at most. Any thread; values only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "lab.h"

namespace atelier::lab {

// A number that changes when a file of the course is added, removed, written or renamed, from names, sizes and times alone;
// 0 when the folder can't be read. Hidden files, links' targets, what lies deeper than a lab's recorded runs, and entries
// beyond the ten thousandth don't count.
std::uint64_t courseStamp(const std::filesystem::path& folder);

// Reads the course anew. A lab that can't be read any more, but whose folder is still there, keeps its last good form, marked
// `outdated`; a broken course.toml leaves half-days and their titles as they were. The reasons stand in `refused` as ever.
// REQUIRES: `shown` was read from the same folder in the same language.
Course reloadCourse(const std::filesystem::path& folder, std::string_view language, const Course& shown);

}  // namespace atelier::lab
