#include "float8_codes.h"
#include "float8_cuda.h"
#include "kernels/cuda/block.cuh"

namespace atelier::kernels {
namespace {

using namespace device;

__constant__ float8_codes::Table kTableE4M3 = float8_codes::tableOf<Float8::E4M3>();
__constant__ float8_codes::Table kTableE5M2 = float8_codes::tableOf<Float8::E5M2>();

template <Float8 kFormat, Infinities kInfinities>
__global__ void encode(const float* values, std::uint8_t* codes, std::int64_t count, const float* factor) {
  for (auto i = firstItem(); i < count; i += itemStride())
    codes[i] = float8_codes::codeOf<kFormat, kInfinities>(values[i] * *factor);
}

template <Float8 kFormat>
__global__ void decode(const std::uint8_t* codes, float* values, std::int64_t count, const float* factor) {
  // Threads of a warp look up different codes, which constant memory would serve one by one.
  __shared__ float table[256];
  table[threadIdx.x] = (kFormat == Float8::E4M3 ? kTableE4M3 : kTableE5M2).values[threadIdx.x];
  __syncthreads();
  for (auto i = firstItem(); i < count; i += itemStride()) values[i] = table[codes[i]] / *factor;
}
static_assert(kThreads == 256, "a thread an entry of the table");

// Of magnitudes, as bits: they order as the values do, with NaN above all.
__device__ std::uint32_t magnitude(float value) {
  return float8_codes::bitsOf(value) & 0x7FFFFFFFU;
}

// The bits gather where the factor will be: those of 0 to begin with.
__global__ void gatherHighest(const float* values, std::int64_t count, float* factor) {
  std::uint32_t highest = 0;
  for (auto i = firstItem(); i < count; i += itemStride()) highest = max(highest, magnitude(values[i]));
  highest = overBlock(highest, Larger());
  if (threadIdx.x == 0) atomicMax(reinterpret_cast<unsigned*>(factor), highest);
}

__global__ void settleFactor(float* factor, float largest) {
  *factor = float8_codes::factorFor(*factor, largest);
}

__global__ void rowFactors(const float* values, float* factors, std::int64_t rows, std::int64_t columns, float largest) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    std::uint32_t highest = 0;
    for (std::int64_t i = threadIdx.x; i < columns; i += kThreads) highest = max(highest, magnitude(values[row * columns + i]));
    highest = overBlock(highest, Larger());
    if (threadIdx.x == 0) factors[row] = float8_codes::factorFor(float8_codes::ofBits(highest), largest);
  }
}

constexpr float largestOf(Float8 format) {
  return format == Float8::E4M3 ? 448.0F : 57344.0F;
}

}  // namespace

int toFloat8Cuda(const float* values, std::uint8_t* codes, std::int64_t count, const float* factor, Float8 format,
                 Infinities infinities, void* stream) {
  if (count == 0) return 0;
  using I = Infinities;
  const bool keep = infinities == I::Keep;
  const auto kernel = format == Float8::E4M3 ? (keep ? encode<Float8::E4M3, I::Keep> : encode<Float8::E4M3, I::Saturate>)
                                             : (keep ? encode<Float8::E5M2, I::Keep> : encode<Float8::E5M2, I::Saturate>);
  kernel<<<blocksFor(count), kThreads, 0, streamOf(stream)>>>(values, codes, count, factor);
  return launched();
}

int fromFloat8Cuda(const std::uint8_t* codes, float* values, std::int64_t count, const float* factor, Float8 format,
                   void* stream) {
  if (count == 0) return 0;
  const auto kernel = format == Float8::E4M3 ? decode<Float8::E4M3> : decode<Float8::E5M2>;
  kernel<<<blocksFor(count), kThreads, 0, streamOf(stream)>>>(codes, values, count, factor);
  return launched();
}

int float8FactorCuda(const float* values, std::int64_t count, Float8 format, float* factor, void* stream) {
  cudaMemsetAsync(factor, 0, sizeof(float), streamOf(stream));
  if (count > 0) gatherHighest<<<blocksFor(count), kThreads, 0, streamOf(stream)>>>(values, count, factor);
  settleFactor<<<1, 1, 0, streamOf(stream)>>>(factor, largestOf(format));
  return launched();
}

int float8RowFactorsCuda(const float* values, float* factors, std::int64_t rows, std::int64_t columns, Float8 format,
                         void* stream) {
  if (rows == 0) return 0;
  rowFactors<<<blocksFor(rows * kThreads), kThreads, 0, streamOf(stream)>>>(values, factors, rows, columns, largestOf(format));
  return launched();
}

}  // namespace atelier::kernels
