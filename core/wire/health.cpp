#include "health.h"

#include <cmath>
#include <utility>

#include "json_read.h"
#include "number.h"

namespace atelier::wire {
namespace {

using nlohmann::json;

// 0 when there is none; NaN when null does not say which number it stands for.
double numberAt(const json& object, const char* key) {
  if (const auto number = getNumber(object, key)) return *number;
  const auto found = object.find(key);
  return found != object.end() && found->is_null() ? std::nan("") : 0;
}

std::int64_t integerAt(const json& object, const char* key, std::int64_t fallback = 0) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return fallback;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return fallback;
  return found->get<std::int64_t>();
}

TensorStats statsFromJson(const json& object) {
  TensorStats stats;
  stats.module = textAt(object, "module");
  stats.type = textAt(object, "type");
  stats.mean = numberAt(object, "mean");
  stats.deviation = numberAt(object, "deviation");
  stats.min = numberAt(object, "min");
  stats.max = numberAt(object, "max");
  stats.norm = numberAt(object, "norm");
  stats.count = integerAt(object, "count");
  stats.zeros = integerAt(object, "zeros");
  stats.nans = integerAt(object, "nans");
  stats.infinities = integerAt(object, "infinities");
  return stats;
}

std::vector<TensorStats> listAt(const json& object, const char* key) {
  std::vector<TensorStats> all;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return all;
  for (const auto& entry : *found)
    if (entry.is_object()) all.push_back(statsFromJson(entry));
  return all;
}

json listJson(const std::vector<TensorStats>& all) {
  auto list = json::array();
  for (const auto& stats : all) list.push_back(toJson(stats));
  return list;
}

}  // namespace

json toJson(const TensorStats& stats) {
  json object{{"module", stats.module}, {"type", stats.type}, {"count", stats.count},
              {"zeros", stats.zeros},   {"nans", stats.nans}, {"infinities", stats.infinities}};
  putNumber(object, "mean", stats.mean);
  putNumber(object, "deviation", stats.deviation);
  putNumber(object, "min", stats.min);
  putNumber(object, "max", stats.max);
  putNumber(object, "norm", stats.norm);
  return object;
}

json toJson(const Health& health) {
  json object{{"step", health.step},
              {"activations", listJson(health.activations)},
              {"gradients", listJson(health.gradients)},
              {"parameters", listJson(health.parameters)},
              {"first_bad_module", health.first_bad_module},
              {"first_bad_operator", health.first_bad_operator},
              {"first_bad_stage", health.first_bad_stage},
              {"first_bad_step", health.first_bad_step}};
  putNumber(object, "gradient_norm", health.gradient_norm);
  if (!health.histograms.empty()) object["histograms"] = toJson(health.histograms);
  return object;
}

json toJson(const Gradients& gradients) {
  auto object = json::object();
  object["step"] = gradients.step;
  putNumber(object, "norm", gradients.norm);
  auto layers = json::array();
  for (const auto& layer : gradients.layers) {
    auto entry = json::object();
    entry["name"] = layer.name;
    putNumber(entry, "norm", layer.norm);
    putNumber(entry, "weight_norm", layer.weight_norm);
    putNumber(entry, "update_ratio", layer.update_ratio);
    layers.push_back(std::move(entry));
  }
  object["layers"] = std::move(layers);
  putNumber(object, "noise_scale", gradients.noise_scale);
  if (!gradients.noise_estimator.empty()) object["noise_estimator"] = gradients.noise_estimator;
  return object;
}

Gradients gradientsFromJson(const json& object) {
  Gradients gradients;
  if (!object.is_object()) return gradients;
  gradients.step = integerAt(object, "step", -1);
  gradients.norm = numberAt(object, "norm");
  if (const auto layers = object.find("layers"); layers != object.end() && layers->is_array())
    for (const auto& entry : *layers)
      if (entry.is_object())
        gradients.layers.push_back({textAt(entry, "name"), numberAt(entry, "norm"), numberAt(entry, "weight_norm"),
                                    numberAt(entry, "update_ratio")});
  gradients.noise_scale = getNumber(object, "noise_scale");
  gradients.noise_estimator = textAt(object, "noise_estimator");
  return gradients;
}

Health healthFromJson(const json& object) {
  Health health;
  if (!object.is_object()) return health;
  health.step = integerAt(object, "step", -1);
  health.activations = listAt(object, "activations");
  health.gradients = listAt(object, "gradients");
  health.parameters = listAt(object, "parameters");
  health.gradient_norm = numberAt(object, "gradient_norm");
  health.first_bad_module = textAt(object, "first_bad_module");
  health.first_bad_operator = textAt(object, "first_bad_operator");
  health.first_bad_stage = textAt(object, "first_bad_stage");
  health.first_bad_step = integerAt(object, "first_bad_step", -1);
  health.histograms = histogramsFromJson(memberAt(object, "histograms"));
  return health;
}

}  // namespace atelier::wire
