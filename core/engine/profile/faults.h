// Faults: what a run does wrong on purpose, so that one can learn to find it; wire/faults.h has their ids. Each is a technique
// that the technique `inject` passes its hooks on to. What they do can be measured, and goes with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/engine/techniques/technique.h"

namespace atelier::engine {

inline constexpr std::int64_t kTinyBatch = 4;  // samples, of tiny-batches: a fault that the plan makes

// nullptr of a fault that has nothing to do while the run goes: tiny-batches. REQUIRES: the id is one of wire::faultIds().
std::unique_ptr<Technique> makeFault(const std::string& id, const TechniqueContext& context);

// Those that hang on the model: item, nan, dead-relu, exploding-gradient; nullptr of others.
std::unique_ptr<Technique> makeModelFault(const std::string& id, const TechniqueContext& context);

}  // namespace atelier::engine
