// A model's weights as a safetensors file, by the names of PyTorch's state_dict. Thread: the one that owns the model.
#pragma once

#include <filesystem>

#include "core/wire/result.h"
#include "module.h"

namespace atelier::engine {

// Parameters and buffers; one that stands under several names is written under the first, as load_model(…) of the format's own
// library expects. Fails with file.disk_full or file.not_written {file, reason}; the former file then stays.
wire::Status saveWeights(const std::filesystem::path& file, const Module& model);

}  // namespace atelier::engine
