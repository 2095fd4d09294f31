// Times in Chrome's traces are microseconds written in decimal; here they are integer nanoseconds, exactly, never by way of a
// double: that would round the times of a program that runs for months. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atelier::trace {

// "5205382885092.000" → 5205382885092000; what is finer than a nanosecond is rounded. nullopt for what is no JSON number and
// for times beyond 2^61 ns.
std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds);

// With three decimals.
void appendMicroseconds(std::string& text, std::int64_t nanoseconds);

}  // namespace atelier::trace
