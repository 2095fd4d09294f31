// Reads one results.json of unknown origin: bounded, every text made plain, whatever does not fit left out. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "class.h"

namespace atelier::lab {

struct ReadResult {
  std::string learner, origin;
  LabResult result;
};

// Fails with class.unreadable, class.not_results or class.newer; args file. Times after now_ms count as now.
wire::Result<ReadResult> readResult(const std::filesystem::path& file, std::int64_t now_ms);

}  // namespace atelier::lab
