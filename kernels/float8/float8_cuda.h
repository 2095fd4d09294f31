// float8 on a GPU: as float8.h, on device memory, in order of `stream` (a cudaStream_t), without waiting for it, and with the
// same bits. A tensor's factor stays on the device: `factor` points to one float32 there. Thread: any whose current device has
// the memory. Returned are cudaError_t codes, 0 where all was launched.
#pragma once

#include "float8.h"

namespace atelier::kernels {

int toFloat8Cuda(const float* values, std::uint8_t* codes, std::int64_t count, const float* factor, Float8 format,
                 Infinities infinities, void* stream);
int fromFloat8Cuda(const std::uint8_t* codes, float* values, std::int64_t count, const float* factor, Float8 format,
                   void* stream);
int float8FactorCuda(const float* values, std::int64_t count, Float8 format, float* factor, void* stream);
int float8RowFactorsCuda(const float* values, float* factors, std::int64_t rows, std::int64_t columns, Float8 format,
                         void* stream);

}  // namespace atelier::kernels
