#include "plan.h"

#include <cmath>

#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::lab {

using nlohmann::json;

json toJson(const Fix& fix) {
  json object{{"rule", fix.rule}, {"set", fix.set}};
  wire::putNumber(object, "predicted", fix.predicted);
  return object;
}

std::optional<Fix> fixFromJson(const json& object) {
  const auto set = wire::memberAt(object, "set");
  if (!set.is_object() || set.empty()) return std::nullopt;
  Fix fix;
  fix.rule = wire::textAt(object, "rule");
  for (const auto& [key, value] : set.items())
    if (value.is_primitive() && !value.is_null()) fix.set[key] = value;
  const auto predicted = wire::getNumber(object, "predicted");
  if (predicted && std::isfinite(*predicted) && *predicted > 0) fix.predicted = *predicted;
  if (fix.set.empty()) return std::nullopt;
  return fix;
}

std::vector<Fix> planOf(const json& result) {
  std::vector<Fix> plan;
  const auto list = wire::memberAt(result, "plan");
  if (!list.is_array()) return plan;
  for (const auto& entry : list)
    if (auto fix = fixFromJson(entry); fix && static_cast<int>(plan.size()) < kMostFixes) plan.push_back(std::move(*fix));
  return plan;
}

bool keptQuality(const wire::RaceSummary& race) {
  if (race.same_quality) return true;
  if (race.a.accuracy && race.b.accuracy) return *race.b.accuracy > *race.a.accuracy;
  return race.a.loss && race.b.loss && *race.b.loss < *race.a.loss;
}

std::string changeText(const json& set) {
  std::string text;
  if (!set.is_object()) return text;
  for (const auto& [key, value] : set.items()) {
    const auto shown =
        value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, json::error_handler_t::replace);
    text += (text.empty() ? "" : ", ") + key + " = " + shown;
  }
  return text;
}

json withoutProfiling(json spec) {
  for (const char* key : {"profile", "profile_shapes", "profile_memory", "profile_modules", "watch", "anomaly"})
    spec.erase(std::string(key));
  return spec;
}

}  // namespace atelier::lab
