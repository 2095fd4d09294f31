#include "check_support.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/wire/number.h"

namespace atelier::lab {

double numberParameter(const CheckSpec& spec, const std::string& name, double fallback) {
  return wire::getNumber(spec.parameters, name).value_or(fallback);
}

std::string textParameter(const CheckSpec& spec, const std::string& name, const std::string& fallback) {
  const auto found = spec.parameters.find(name);
  return found != spec.parameters.end() && found->is_string() ? found->get<std::string>() : fallback;
}

int countParameter(const CheckSpec& spec, const std::string& name, int fallback) {
  constexpr double kMost = 1000;
  return static_cast<int>(std::clamp(numberParameter(spec, name, fallback), 0.0, kMost));
}

bool flagParameter(const CheckSpec& spec, const std::string& name) {
  const auto found = spec.parameters.find(name);
  return found != spec.parameters.end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> wordsParameter(const CheckSpec& spec, const std::string& name) {
  std::vector<std::string> words;
  const auto found = spec.parameters.find(name);
  if (found == spec.parameters.end() || !found->is_array()) return words;
  for (const auto& word : *found)
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

bool hasFailed(const nlohmann::json& result) {
  if (!result.is_object()) return true;
  if (result.value("status", nlohmann::json()) == "failed") return true;
  for (const char* side : {"a", "b"})
    if (const auto found = result.find(side); found != result.end() && found->is_object() && hasFailed(*found)) return true;
  return false;
}

bool hasResult(const CheckInput& input) {
  return input.outcome && !hasFailed(input.outcome->result);
}

CheckResult conclude(const CheckInput& input, CheckState state, std::string wanted, SentenceArgs args) {
  CheckResult result;
  result.check = input.spec.id;
  result.kind = input.spec.kind;
  result.state = state;
  result.wanted = std::move(wanted);
  result.sentence = {"check." + input.spec.kind + "." + std::string(stateName(state)), std::move(args)};
  return result;
}

CheckResult notRun(const CheckInput& input, std::string wanted) {
  auto result = conclude(input, CheckState::NotRun, std::move(wanted));
  if (!input.outcome) result.sentence = {"check.not_run", {}};
  else result.sentence = {hasResult(input) ? "check.no_figure" : "check.run_failed", {}};
  return result;
}

void setFigure(CheckResult& result, const wire::Interval& figure) {
  result.measured = figure.median;
  result.sentence.args.emplace_back("measured", rounded(figure.median));
  result.sentence.args.emplace_back("low", rounded(figure.low));
  result.sentence.args.emplace_back("high", rounded(figure.high));
  if (figure.count > 1) result.interval = figure;
}

bool machineBusy(const CheckInput& input) {
  return hasResult(input) && input.outcome->result.value("verdict", nlohmann::json()) == "machine-busy";
}

double accuracyMargin(const nlohmann::json& race) {
  constexpr double kNormal = 1.96, kUnknown = 0.01;
  double variance = 0;
  for (const char* side : {"a", "b"}) {
    const auto accuracy = figureAt(race, std::string(side) + ".accuracy");
    const auto counted = figureAt(race, std::string(side) + ".evaluated");
    if (!accuracy || !counted || !(counted->median > 0)) return kUnknown;
    const double share = std::clamp(accuracy->median, 0.0, 1.0);
    variance += share * (1 - share) / counted->median;
  }
  return kNormal * std::sqrt(variance);
}

double halfWidthPercent(const wire::Interval& interval) {
  constexpr double kPercent = 100;
  if (interval.median == 0) return std::numeric_limits<double>::infinity();
  return (interval.high - interval.low) / 2 / std::fabs(interval.median) * kPercent;
}

std::string rounded(double value) {
  if (!std::isfinite(value)) return std::string(wire::nonFiniteName(value));
  constexpr int kDigits = 4;
  constexpr double kWhole = 1e15;
  char buffer[64];
  const double whole = std::round(value);
  // From four digits on the whole part is kept: 21074.3 is 21074, never 2.107e4.
  if (std::fabs(value) >= 1000 && std::fabs(value) < kWhole)
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, whole, std::chars_format::fixed).ptr};
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, kDigits).ptr};
}

}  // namespace atelier::lab
