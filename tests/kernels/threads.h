// Threads for kernels under test: items are shared out in uneven ranges, one of them to the thread that calls.
#pragma once

#include <thread>
#include <vector>

#include "kernels/common/parallel.h"

namespace atelier::kernels {

inline ParallelFor inThreads(std::int64_t threads) {
  return [threads](std::int64_t count, const Range& work) {
    std::vector<std::thread> others;
    const std::int64_t each = count / threads;
    for (std::int64_t i = 0; i + 1 < threads && each > 0; ++i) others.emplace_back([&, i] { work(i * each, (i + 1) * each); });
    const std::int64_t rest = each > 0 ? (threads - 1) * each : 0;
    if (rest < count) work(rest, count);
    for (auto& other : others) other.join();
  };
}

}  // namespace atelier::kernels
