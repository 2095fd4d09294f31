// ParallelFor: how a kernel gets threads without knowing whose they are: the engine passes ATen's, a test passes none.
#pragma once

#include <cstdint>
#include <functional>

namespace atelier::kernels {

using Range = std::function<void(std::int64_t begin, std::int64_t end)>;
// Calls `work` with ranges that together are [0, count) once, from any threads at once, and returns when all are done. `count`
// may be 0: nothing is called. Kernels pass items of even work, and results don't depend on how they are shared out.
using ParallelFor = std::function<void(std::int64_t count, const Range& work)>;

inline void inThisThread(std::int64_t count, const Range& work) {
  if (count > 0) work(0, count);
}

}  // namespace atelier::kernels
