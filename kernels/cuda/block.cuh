// What kernels share: sums and maxima over a block of threads, and the last launch's error.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace atelier::kernels::device {

constexpr int kThreads = 256;

inline cudaStream_t streamOf(void* stream) {
  return static_cast<cudaStream_t>(stream);
}
inline int launched() {
  return static_cast<int>(cudaGetLastError());
}

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};
struct Smaller {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

// The same value in all threads, always combined in the same order. REQUIRES: blockDim.x == kThreads; all threads call.
template <class T, class Combine>
__device__ T overBlock(T value, const Combine& combine) {
  __shared__ T shared[kThreads];
  shared[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  __syncthreads();
  const T result = shared[0];
  __syncthreads();
  return result;
}

// Blocks for `count` items, one a thread, when each thread goes on by the grid's width.
inline unsigned blocksFor(std::int64_t count) {
  constexpr std::int64_t kMost = 65535;
  const std::int64_t blocks = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMost ? blocks : kMost);
}
__device__ inline std::int64_t firstItem() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t itemStride() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace atelier::kernels::device
