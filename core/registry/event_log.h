// A run's recorded events, and the summary that can be made of them when the run could not write its own. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/wire/result.h"
#include "core/wire/run_event.h"
#include "core/wire/summary.h"

namespace atelier::registry {

struct EventLog {
  std::vector<wire::RunEvent> events;
  int skipped = 0;              // whole lines that could not be decoded
  std::size_t whole_bytes = 0;  // up to and with the last newline: what follows was torn off in writing
};

EventLog decodeLog(std::string_view content);
wire::Result<EventLog> readLog(const std::filesystem::path& events);

// The run's own last word when it came to say it ("finished", "failed"); otherwise status failed because of run.killed, and
// what the recorded blocks tell: samples/s as the median over undisturbed blocks with its distribution-free 95 % interval
// (order statistics n/2 ∓ 1.96 √n/2, Conover 1999), steps, loss, memory, accuracy.
wire::RunSummary recoverSummary(const std::string& id, const EventLog& log);

// Whether the last word is there.
bool hasEnding(const EventLog& log);

}  // namespace atelier::registry
