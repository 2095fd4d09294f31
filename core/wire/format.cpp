#include "format.h"

#include <charconv>
#include <cmath>

namespace atelier::wire {
namespace {

constexpr std::string_view kThin = "\u202f";  // narrow no-break space

std::string grouped(std::string_view digits, std::string_view separator) {
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const auto left = digits.size() - i;
    const bool afterDigit = i > 0 && digits[i - 1] != '-';
    if (afterDigit && left % 3 == 0) result += separator;
    result += digits[i];
  }
  return result;
}

}  // namespace

std::string Format::fixed(double value, int decimals) const {
  if (std::isnan(value)) return "—";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr;
  std::string text(buffer, end);
  if (text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-')) text.erase(0, 1);
  const auto dot = text.find('.');
  auto whole = grouped(text.substr(0, dot), m_french ? kThin : std::string_view(","));
  if (dot == std::string::npos) return whole;
  return whole + (m_french ? "," : ".") + text.substr(dot + 1);
}

std::string Format::number(double value, int digits) const {
  if (!std::isfinite(value) || value == 0) return fixed(value, 0);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  return fixed(value, std::max(0, std::min(digits - magnitude, 12)));
}

std::string Format::compact(double value, int digits) const {
  auto text = number(value, digits);
  const auto mark = text.find(m_french ? ',' : '.');
  if (mark == std::string::npos || !std::isfinite(value)) return text;
  // English groups thousands by commas, never by the mark that is looked for: what follows it is decimals.
  text.erase(text.find_last_not_of('0') + 1);
  if (text.size() == mark + 1) text.pop_back();
  return text;
}

std::string Format::integer(std::int64_t value) const {
  return grouped(std::to_string(value), m_french ? kThin : std::string_view(","));
}

std::string Format::percent(double share, int decimals) const {
  return fixed(share * 100, decimals) + std::string(kThin) + "%";
}

std::string Format::ratio(double value) const {
  return number(value) + (m_french ? std::string(kThin) : std::string()) + "×";
}

std::string Format::interval(const Interval& value, int digits) const {
  return "[" + compact(value.low, digits) + (m_french ? "\u00a0; " : ", ") + compact(value.high, digits) + "]";
}

std::string Format::bytes(std::int64_t bytes) const {
  constexpr double kKibi = 1024;
  const auto size = static_cast<double>(bytes);
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  double scaled = size;
  while (std::fabs(scaled) >= kKibi && unit < 3) {
    scaled /= kKibi;
    ++unit;
  }
  return (unit == 0 ? fixed(scaled, 0) : number(scaled)) + "\u00a0" + units[unit];
}

std::string Format::duration(double seconds) const {
  if (!std::isfinite(seconds)) return "—";
  if (seconds < 1) return number(seconds * 1000) + "\u00a0ms";
  if (seconds < 10) return fixed(seconds, 1) + "\u00a0s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return integer(whole) + "\u00a0s";
  const auto minutes = integer(whole / 60) + "\u00a0min";
  return whole % 60 == 0 ? minutes : minutes + " " + integer(whole % 60) + "\u00a0s";
}

}  // namespace atelier::wire
