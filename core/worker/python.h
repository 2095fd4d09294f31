// Which Python runs a script: the one that ATELIER_PYTHON names, else the one that LibTorch came with, else the first python3
// on the PATH that has PyTorch. Main thread.
#pragma once

#include <string>

#include "core/wire/result.h"

namespace atelier::worker {

struct Python {
  std::string program, version;  // "3.11.2"
};

// Asks each candidate for its PyTorch without importing it. Fails with script.no_python {tried}.
wire::Result<Python> findPython();

}  // namespace atelier::worker
