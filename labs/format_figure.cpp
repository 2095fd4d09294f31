#include "format_figure.h"

#include <cmath>

#include "core/wire/number.h"
#include "core/wire/number_format.h"

namespace atelier::lab {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "0.1", "-3", "2^-9".
std::optional<double> term(std::string_view text) {
  text = trimmed(text);
  const auto power = text.find('^');
  if (power == std::string_view::npos) return wire::parseNumber(text);
  const auto base = wire::parseNumber(text.substr(0, power)), exponent = wire::parseNumber(text.substr(power + 1));
  if (!base || !exponent) return std::nullopt;
  return std::pow(*base, *exponent);
}

std::optional<double> sum(std::string_view text) {
  double all = 0;
  while (true) {
    const auto plus = text.find('+');
    const auto next = term(text.substr(0, plus));
    if (!next) return std::nullopt;
    all += *next;
    if (plus == std::string_view::npos) return all;
    text.remove_prefix(plus + 1);
  }
}

}  // namespace

std::optional<double> formatFigure(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const auto* format = wire::findNumberFormat(text.substr(0, open));
  if (!format) return std::nullopt;
  const auto value = sum(text.substr(open + 1, text.size() - open - 2));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return format->decode(format->encode(*value).bits);
}

}  // namespace atelier::lab
