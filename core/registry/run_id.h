// Ids of runs and races: UTC time to 1/4096 s, then a mix of thread, boot and host, so that ids sort by time and differ
// between processes and machines that share a home. An id is also a folder's name: what validId() refuses never reaches
// a path. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/result.h"

namespace atelier::registry {

// Letters, digits, "-", "_" and "." inside; at most 64 characters; no "..".
bool validId(std::string_view id);
// registry.bad_id for what validId() refuses.
wire::Status checkId(std::string_view id);

// The time in an id made by makeRunId(), as Unix milliseconds.
std::optional<std::int64_t> idMilliseconds(std::string_view id);

// "20261130-104512" for a Unix time.
std::string utcStamp(std::int64_t seconds);

}  // namespace atelier::registry
