// A number as a person types it: with a decimal point or comma whatever the language, with groups of thousands, spaces and the
// minus sign of typography; powers (2^-9, 2**-9), sums of them (1 + 2^-9), inf, ∞ and nan. Pure; any thread.
#pragma once

#include <QString>

#include <optional>
#include <string>

namespace atelier::app {

// nullopt for what is no number. Only where a text reads both ways does the language decide: "1,500" is 1500 in English and 1.5
// in French.
std::optional<double> typedNumber(const QString& text, const std::string& language);

}  // namespace atelier::app
