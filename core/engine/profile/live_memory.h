// What of a trainer's memory is live now, by what it is for. Thread: the trainer's.
#pragma once

#include <unordered_set>

#include "core/engine/session/trainer.h"
#include "core/trace/trace.h"

namespace atelier::engine {

// Storages of parameters and buffers.
std::unordered_set<const void*> weightStorages(const Module& model);

// On a CPU the account's, exact. On a GPU weights and gradients of the model; of the rest that is allocated there nobody says
// what it is for: Unknown.
trace::MemoryAtStart liveMemory(Trainer& trainer);

}  // namespace atelier::engine
