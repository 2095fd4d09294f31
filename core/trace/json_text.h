// JSON from any bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atelier::trace {

// Appends the text in quotes. Control characters are escaped; what is not UTF-8 becomes U+FFFD.
void appendJsonText(std::string& json, std::string_view text);
std::string jsonText(std::string_view text);

void appendInteger(std::string& json, std::int64_t value);
void appendInteger(std::string& json, std::uint64_t value);

}  // namespace atelier::trace
