#include "kernels/cuda/block.cuh"
#include "normalize_u8_cuda.h"

namespace atelier::kernels {
namespace {

using namespace device;

__global__ void normalize(const std::uint8_t* pixels, float* out, std::int64_t count, float scale, float shift) {
  for (auto i = firstItem(); i < count; i += itemStride()) out[i] = static_cast<float>(pixels[i]) * scale + shift;
}

}  // namespace

int normalizeU8Cuda(const std::uint8_t* pixels, float* out, std::size_t count, float scale, float shift, void* stream) {
  if (count == 0) return 0;
  const auto all = static_cast<std::int64_t>(count);
  normalize<<<blocksFor(all), kThreads, 0, streamOf(stream)>>>(pixels, out, all, scale, shift);
  return launched();
}

}  // namespace atelier::kernels
