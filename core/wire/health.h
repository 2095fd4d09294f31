// Health: what flows through a model at one step: statistics of every module's output, of the gradients that reach it and of
// each parameter's gradient, and where the first value that is not finite was born. Values only; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace atelier::wire {

struct TensorStats {
  std::string module, type;                          // dotted path ("" the root) and "Conv2d"; of parameters: their dotted name
  double mean = 0, deviation = 0, min = 0, max = 0;  // over the finite values
  double norm = 0;                                   // L2, over the finite values
  std::int64_t count = 0, zeros = 0, nans = 0, infinities = 0;
};

struct Health {
  std::int64_t step = -1;  // −1: not looked at
  std::vector<TensorStats> activations, gradients, parameters;  // parameters: their gradients
  double gradient_norm = 0;                                     // global, before clipping
  std::string first_bad_module, first_bad_operator;             // where the first NaN or Inf was born; "" none
  std::string first_bad_stage;                                  // "forward" or "backward"; "" none was born
  std::int64_t first_bad_step = -1;
};

nlohmann::json toJson(const TensorStats& stats);
nlohmann::json toJson(const Health& health);
// Lenient: absent or mistyped members keep their defaults; null stands for a number that was not finite.
Health healthFromJson(const nlohmann::json& json);

}  // namespace atelier::wire
