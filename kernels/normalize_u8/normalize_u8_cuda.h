// normalize_u8 on a GPU: as normalize_u8.h, on device memory, in order of `stream` (a cudaStream_t), without waiting for it.
// Thread: any whose current device has the memory. Returns a cudaError_t code, 0 where it was launched.
#pragma once

#include "normalize_u8.h"

namespace atelier::kernels {

int normalizeU8Cuda(const std::uint8_t* pixels, float* out, std::size_t count, float scale, float shift, void* stream);

}  // namespace atelier::kernels
