// The process's tensor memory, installed once for all tests of the program.
#pragma once

#include "core/engine/monitor/tensor_memory.h"

namespace atelier::engine {

inline TensorMemory& installedMemory() {
  static TensorMemory& memory = TensorMemory::install();
  return memory;
}

}  // namespace atelier::engine
