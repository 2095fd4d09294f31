// What this machine can do, measured: matmul rates that thresholds and presets are keyed on, never CPU flags. Any thread.
#pragma once

#include "core/wire/summary.h"

namespace atelier::engine {

struct MatmulRate {
  wire::Interval gflops;  // 10⁹ multiply-adds × 2 a second, over repeats
  double best = 0;        // of the repeats: what slows one down comes from outside
};

// Square matmul of `size` in float32 or bfloat16, warmed up, `repeats` times or until 0.6 s are over.
MatmulRate measureMatmul(bool bfloat16, int size = 384, int repeats = 15);

}  // namespace atelier::engine
