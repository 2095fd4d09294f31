// The header of a safetensors file, read with distrust: a length, a JSON object, and byte ranges that must cover the data
// exactly, without gap or overlap, and fit each tensor's dtype and shape.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"

namespace atelier::worker {

struct TensorEntry {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes after the header
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // by offset
  nlohmann::json metadata;
};

// Fails with inspect.damaged {file, why} (exit code 2).
wire::Result<SafetensorsHeader> readSafetensorsHeader(const std::filesystem::path& file);

}  // namespace atelier::worker
