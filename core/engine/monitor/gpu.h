// GPUs: whether there is one that can be used, and why not. The driver's libraries are opened at run time; nothing here
// links CUDA. A driver that is there but broken is a reason, never a crash. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/wire/result.h"

namespace atelier::engine {

struct Gpu {
  int index = 0;
  std::string name;
  std::int64_t memory_bytes = 0;
};

struct GpuStatus {
  std::vector<Gpu> gpus;
  std::string driver;    // driver version, "" when there is none
  wire::Message reason;  // gpu.none, gpu.no_driver, gpu.driver_failed {error}: when gpus is empty
};

// Asks NVML (libnvidia-ml.so.1).
GpuStatus gpuStatus();

// Opens libtorch_cuda beside libtorch_cpu, once: at:: then knows the device "cuda". Fails with the reason (exit code 5).
wire::Status loadCuda();

}  // namespace atelier::engine
