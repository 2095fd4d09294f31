// How others see that a run's writer lives: it holds flock(LOCK_EX) on the run's events file. Where the file system has no
// locks, a file `writer` names its process, by what can't be taken for another: host, boot, process id and start time.
// Readers only ever probe with a shared lock, so that they don't take each other for a writer. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/result.h"

namespace atelier::registry {

struct WriterMark {
  std::string host, boot;
  std::int64_t pid = 0, start = 0;  // start: clock ticks since boot
  bool operator==(const WriterMark&) const = default;
};

WriterMark ownMark();
std::string markText(const WriterMark& mark);
std::optional<WriterMark> parseMark(std::string_view text);

// Whether the marked process lives. Of another host that can't be known: it does while it wrote within the last day.
bool markAlive(const WriterMark& mark, std::chrono::seconds sinceLastWrite);

// Marks the run as being written, until the descriptor of its events file is closed.
wire::Status holdRun(int events, const std::filesystem::path& folder);

bool writerAlive(const std::filesystem::path& folder);

}  // namespace atelier::registry
