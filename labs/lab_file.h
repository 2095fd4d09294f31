// Reads the files of a lab's or the course's folder and nothing outside of it: symbolic links and paths that lead out or in
// circles, things that are no plain files, and files that are too large are refused. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/wire/result.h"

namespace atelier::lab {

// Fails with lab.missing_file, lab.outside, lab.too_large or lab.unreadable; args file, line 0.
wire::Result<std::string> readLabFile(const std::filesystem::path& folder, const std::string& name);

// The archive of a recorded run that a lab's folder holds for a step (recorded/STEP.atelier), not opened; nullopt when there is
// none; fails as readLabFile does.
std::optional<wire::Result<std::filesystem::path>> findRecording(const std::filesystem::path& folder, const std::string& step);

// Whether anything is called so in the folder, be it a link that leads nowhere.
bool isThere(const std::filesystem::path& path);

// Whether `path`, links resolved, lies below `folder`.
bool liesWithin(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace atelier::lab
