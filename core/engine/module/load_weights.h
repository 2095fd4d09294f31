// Weights of a safetensors file put into a model's tensors. Thread: the one that owns the model; the file may be shared.
#pragma once

#include <string_view>

#include <ATen/ATen.h>

#include "core/pretrained/safetensors.h"
#include "core/wire/result.h"

namespace atelier::engine {

// How safetensors files write a dtype: "F32"; "" for one that they have no name for.
std::string_view storedType(at::ScalarType type);

// Whether a stored tensor can be put into `parameter`: the shapes are equal, and both hold floating-point numbers or neither
// does. Fails with weights.shape {tensor, wanted, got}, weights.dtype {tensor, dtype, supported}.
wire::Status checkTensor(const at::Tensor& parameter, const pretrained::StoredTensor& stored);

// Writes a stored tensor's values into `parameter`, converted to its dtype, on its device. Data of the parameter's own dtype is
// copied once, straight from the file's mapping; data that isn't aligned is copied before it is converted. Fails as
// checkTensor() does; the parameter is then as it was.
wire::Status loadTensor(at::Tensor& parameter, const pretrained::SafetensorsFile& file, const pretrained::StoredTensor& stored);

}  // namespace atelier::engine
