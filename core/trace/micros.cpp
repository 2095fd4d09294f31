#include "micros.h"

#include <charconv>

namespace atelier::trace {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 61;  // that differences and ends of times still fit

struct Decimal {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
};

std::string_view takeDigits(std::string_view& text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<Decimal> parse(std::string_view text) {
  Decimal decimal;
  decimal.negative = text.starts_with('-');
  if (decimal.negative) text.remove_prefix(1);
  decimal.whole = takeDigits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = takeDigits(text);
    if (decimal.fraction.empty()) return std::nullopt;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), decimal.exponent);
    if (error != std::errc() || decimal.exponent < -1000 || decimal.exponent > 1000) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return decimal.whole.empty() || !text.empty() ? std::nullopt : std::optional(decimal);
}

}  // namespace

std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds) {
  const auto decimal = parse(microseconds);
  if (!decimal) return std::nullopt;
  const auto digit = [&](std::int64_t at) -> std::int64_t {
    const auto i = static_cast<std::size_t>(at), whole = decimal->whole.size();
    if (i < whole) return decimal->whole[i] - '0';
    return i - whole < decimal->fraction.size() ? decimal->fraction[i - whole] - '0' : 0;
  };
  const auto point = static_cast<std::int64_t>(decimal->whole.size()) + decimal->exponent + 3;
  std::int64_t value = 0;
  for (std::int64_t i = 0; i < point; ++i) {
    if (value > kLongest / 10) return std::nullopt;
    value = value * 10 + digit(i);
  }
  if (point >= 0 && digit(point) >= 5) ++value;
  return decimal->negative ? -value : value;
}

void appendMicroseconds(std::string& text, std::int64_t nanoseconds) {
  const auto size = nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < 0) text += '-';
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, size / 1000).ptr;
  text.append(digits, end);
  const auto rest = static_cast<int>(size % 1000);
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  text.append(decimals, sizeof decimals);
}

}  // namespace atelier::trace
