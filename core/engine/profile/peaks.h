// What this machine can do at best, measured: large matmuls in float32 and bfloat16 with `threads` threads on the device, and a
// copy far larger than its caches. About two seconds on a CPU. Not thread-safe: it sets the number of threads, and puts it
// back.
#pragma once

#include <c10/core/Device.h>

#include "core/trace/machine.h"

namespace atelier::engine {

trace::Peaks measurePeaks(c10::Device device, int threads);

}  // namespace atelier::engine
