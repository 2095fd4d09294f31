// Writes a safetensors file as SafetensorsFile reads it: the header padded with spaces so that the data begin at a multiple of
// 8 bytes, as the format's own library does. The file is there whole or not at all.
// Any thread; the bytes must stay as they are meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/wire/result.h"

namespace atelier::pretrained {

struct TensorToStore {
  std::string name;                    // valid UTF-8, each once
  std::string dtype;                   // "F32", "BF16", "I64", … as the format writes them
  std::vector<std::int64_t> shape{};   // empty: a scalar
  std::span<const std::byte> bytes{};  // as many as the shape takes, contiguous, little-endian
};

// Fails as WholeFile does.
wire::Status writeSafetensors(const std::filesystem::path& file, const std::vector<TensorToStore>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

}  // namespace atelier::pretrained
