// What a checkpoint says of itself, as JSON: whose state it is, how far that run was, and each kept value with its place. The
// text is distrusted when it is read: what is malformed, out of range or larger than the file is refused.
// Values only; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <c10/core/ScalarType.h>
#include <nlohmann/json.hpp>

namespace atelier::engine {

inline constexpr int kCheckpointVersion = 1;

// How far a run was: steps of each kind that it had done.
struct RunPosition {
  std::int64_t warmup = 0, measured = 0;
  bool operator==(const RunPosition&) const = default;
};

struct CheckpointHead {
  std::string run;        // id of the run that wrote it
  std::int64_t step = 0;  // steps done
  nlohmann::json spec = nlohmann::json::object();
  RunPosition position{};
};

struct StoredTensorPlace {
  std::int64_t record = -1;  // "data/N"; −1: there was no such tensor
  c10::ScalarType type = c10::ScalarType::Float;
  std::vector<std::int64_t> sizes{}, strides{};  // dense: a permutation of a contiguous tensor's
};

// A tensor, a number of one of two kinds, a text.
using StoredValue = std::variant<StoredTensorPlace, std::int64_t, double, std::string>;

struct CheckpointIndex {
  CheckpointHead head{};
  std::map<std::string, StoredValue> values{};  // by name
  std::vector<std::uint32_t> checksums{};       // CRC-32 of each record's bytes
};

bool canBeKept(c10::ScalarType type);

// Elements of a dense tensor; nullopt when sizes and strides make none, or one of more than `mostBytes`.
std::optional<std::int64_t> denseElements(const StoredTensorPlace& place, std::uint64_t mostBytes);

std::string encodeIndex(const CheckpointIndex& index);

// nullopt: damaged. `version` gets the one that the text says, if any: a newer one can't be read. `fileBytes`: no tensor is
// larger than the whole file.
std::optional<CheckpointIndex> decodeIndex(std::string_view text, std::uint64_t fileBytes, std::int64_t& version);

}  // namespace atelier::engine
