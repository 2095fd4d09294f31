// Every key that lab.toml and course.toml may hold. The readers take the keys that they accept from here, and the reference
// prints them: a key that is not declared can't be used. What a key means is the catalog's reference.key.TABLE.KEY.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atelier::lab {

inline constexpr std::int64_t kLongestMinutes = 240, kUsualMinutes = 30, kLongestSeconds = 3600, kUsualSeconds = 60;
inline constexpr std::int64_t kMostEpochSamples = 1'000'000'000;
inline constexpr std::int64_t kMostHints = 9, kMostChoices = 9;
inline constexpr std::size_t kFewestChoices = 2;

// What the catalog calls reference.type.NAME.
enum class KeyType { Identifier, Number, Text, Integer, Figure, Words, Scalars, Table, Tables, Titles };

struct LabKey {
  std::string table, key;  // table: "lab" is the top of lab.toml, "course" that of course.toml
  KeyType type = KeyType::Text;
  bool required = false;
  std::string fallback{};              // what an absent one stands for, as it would be written; or ""
  std::vector<std::string> choices{};  // the allowed words, when they are few
  std::optional<std::int64_t> min{}, max{};
};

const std::vector<LabKey>& labKeys();
std::vector<std::string> keysOf(std::string_view table);
// REQUIRES: the key is declared.
const LabKey& labKey(std::string_view table, std::string_view key);

}  // namespace atelier::lab
