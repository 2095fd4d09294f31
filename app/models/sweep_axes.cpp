#include "sweep_axes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/wire/number.h"
#include "core/wire/sweep.h"

namespace atelier::app {

namespace {

struct Range {
  double low = 0, high = 0, step = 1;
  bool times = false;  // the step is a factor
};

std::vector<std::string> wordsOf(std::string_view typed) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : typed) {
    const bool apart = c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\n';
    if (!apart) word += c;
    if (apart && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

// nullopt: a range that can't be walked.
std::optional<Range> readRange(std::string_view word) {
  const auto dots = word.find("..");
  auto rest = word.substr(dots + 2);
  const auto mark = rest.find_first_of(":*");
  Range range;
  const auto low = wire::parseNumber(word.substr(0, dots));
  const auto high = wire::parseNumber(rest.substr(0, mark));
  if (!low || !high) return std::nullopt;
  range.low = *low;
  range.high = *high;
  if (mark != std::string_view::npos) {
    const auto step = wire::parseNumber(rest.substr(mark + 1));
    if (!step) return std::nullopt;
    range.times = rest[mark] == '*';
    range.step = *step;
  }
  const bool goesOn = range.times ? range.step > 1 && range.low > 0 : range.step > 0;
  return goesOn && range.low <= range.high ? std::optional(range) : std::nullopt;
}

// Whole numbers without an exponent, which integers don't take; 0.1 + 0.2 as the reader means it.
std::string textOf(double value) {
  constexpr double kWhole = 9e15, kSmall = 1e3, kDigits = 1e12;
  if (value == std::trunc(value) && std::fabs(value) < kWhole) return std::to_string(static_cast<std::int64_t>(value));
  return wire::numberText(std::fabs(value) < kSmall ? std::round(value * kDigits) / kDigits : value);
}

// As many as a sweep may have points, and one more to be told by.
std::vector<std::string> walk(const Range& range) {
  constexpr double kRounding = 1e-9;
  std::vector<std::string> values;
  const double last = range.high + kRounding * std::max(1.0, std::fabs(range.high));
  for (std::size_t i = 0; values.size() <= wire::kMostSweepPoints; ++i) {
    const auto n = static_cast<double>(i);
    const double value = range.times ? range.low * std::pow(range.step, n) : range.low + range.step * n;
    if (!(value <= last)) break;
    values.push_back(textOf(value));
  }
  return values;
}

}  // namespace

wire::Result<std::vector<std::string>> axisValues(const wire::Option& option, std::string_view typed) {
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  std::vector<std::string> values;
  const bool number = option.type == wire::OptionType::Integer || option.type == wire::OptionType::Number;
  const auto take = [&](const std::string& text) {
    const auto read = wire::readText(option, text);
    if (!read) {
      mistakes.messages.push_back(read.error().messages.front());
      return;
    }
    auto value = wire::valueText(option, *read);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    else mistakes.messages.push_back({"sweep.value_twice", {{"key", option.key}, {"value", value}}});
  };
  for (const auto& word : wordsOf(typed)) {
    if (!number || word.find("..") == std::string::npos) {
      take(word);
      continue;
    }
    const auto range = readRange(word);
    if (!range) mistakes.messages.push_back({"sweepview.bad_range", {{"key", option.key}, {"given", word}}});
    else
      for (const auto& text : walk(*range)) take(text);
  }
  if (values.size() > wire::kMostSweepPoints)
    mistakes.messages.push_back({"sweep.too_many", {{"most", std::to_string(wire::kMostSweepPoints)}}});
  if (values.empty() && mistakes.messages.empty()) mistakes.messages.push_back({"sweepview.no_values", {{"key", option.key}}});
  if (mistakes.messages.size() > 4) mistakes.messages.resize(4);
  if (!mistakes.messages.empty()) return mistakes;
  return values;
}

}  // namespace atelier::app
