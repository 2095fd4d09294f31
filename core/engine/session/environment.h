// The environment of a run, stored with it so that a figure can be understood later. Any thread.
#pragma once

#include <nlohmann/json.hpp>

namespace atelier::engine {

// cpu, cores, memory_bytes, gpu (names, or the reason why there is none), torch, atelier, revision, os, kernel, governor, load.
nlohmann::json environment();

}  // namespace atelier::engine
