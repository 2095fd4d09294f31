// A figure that nobody has to measure: what a number format makes of a number, written FORMAT(NUMBER), such as
// "bfloat16(1 + 2^-9)" or "float32(16777217)". Formats are wire/number_format.h's; a number is a sum of decimals and powers.
// Predictions and checks may be about it as about any figure of a result. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace atelier::lab {

// Rounded to nearest, to even when halfway; beyond the largest infinite, or NaN where the format has no infinity. nullopt: the
// text is none of these.
std::optional<double> formatFigure(std::string_view text);

}  // namespace atelier::lab
