#include "core/engine/profile/peaks.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "core/engine/monitor/process.h"
#include "installed_memory.h"

namespace atelier::engine {

TEST(Peaks, AreMeasuredAndLeaveNothingBehind) {
  auto& memory = installedMemory();
  auto& account = memory.newAccount(64 << 20);
  memory.use(account);
  at::set_num_threads(1);
  const auto peaks = measurePeaks(c10::kCPU, 2);
  EXPECT_EQ(at::get_num_threads(), 1);
  EXPECT_FALSE(peaks.name.empty());
  EXPECT_EQ(peaks.cores, availableCores());
  for (const double rate : {peaks.fp32_flops, peaks.bf16_flops}) {
    EXPECT_GT(rate, 1e8) << "a tenth of a GFLOP/s";
    EXPECT_LT(rate, 1e15);
  }
  EXPECT_GT(peaks.bytes_per_second, 1e8);
  EXPECT_LT(peaks.bytes_per_second, 1e13);
  EXPECT_EQ(account.live().total, 0);
  EXPECT_LT(account.peak().total, 32 << 20) << "the copy is beside the account: a budget must not forbid it";
  memory.use(memory.newAccount(0));
}

}  // namespace atelier::engine
