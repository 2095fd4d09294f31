// What memory this machine could still give, as the system says. Any thread.
#pragma once

#include <cstdint>

namespace atelier::engine {

// Bytes that are free or can be freed without swapping, and no more than this process's control group leaves it; 0 where the
// system does not say.
std::int64_t freeMemory();

}  // namespace atelier::engine
