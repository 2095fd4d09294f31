// Numbers in files and on the wire. Finite numbers are JSON numbers. A number that is not finite is JSON null, and its
// name says so in the object's "non_finite" member: {"loss":null,"non_finite":{"loss":"NaN"}}. A number that was not
// measured is absent. The locale is never consulted. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace atelier::wire {

// "NaN", "Infinity", "-Infinity", or "" for a finite number.
std::string_view nonFiniteName(double value);

// Writes object[key] in the form above; nothing for nullopt.
void putNumber(nlohmann::json& object, const std::string& key, std::optional<double> value);

// Reads it back; nullopt when absent, null without a non_finite entry, or not a number.
std::optional<double> getNumber(const nlohmann::json& object, const std::string& key);

// Shortest text that reads back to the same double; non-finite as above.
std::string numberText(double value);

// The whole text as a number, or nullopt. Accepts what JSON accepts and nothing else (no hexadecimal, no locale).
std::optional<double> parseNumber(std::string_view text);
std::optional<std::int64_t> parseInteger(std::string_view text);

// "512MiB", "2 GiB", "1.5GB", "4096" → bytes; nullopt when malformed, negative or above 2^62.
std::optional<std::int64_t> parseBytes(std::string_view text);

// JSON text → value without exceptions; nullopt when malformed, when nested deeper than 100 levels, or when a key stands
// twice in one object (the key is then left in duplicateKey).
std::optional<nlohmann::json> parseJson(std::string_view text, std::string* duplicateKey = nullptr);

}  // namespace atelier::wire
