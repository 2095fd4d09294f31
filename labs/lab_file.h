// Reads the files of a lab's or the course's folder and nothing outside of it: symbolic links and paths that lead out,
// things that are no plain files, and files that are too large are refused. Any thread.
#pragma once

#include <filesystem>
#include <string>

#include "core/wire/result.h"

namespace atelier::lab {

// Fails with lab.missing_file, lab.outside, lab.too_large or lab.unreadable; args file, line 0.
wire::Result<std::string> readLabFile(const std::filesystem::path& folder, const std::string& name);

// Whether `path`, links resolved, lies below `folder`.
bool liesWithin(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace atelier::lab
