// Health: what flows through a model at one step: statistics of every module's output, of the gradients that reach it and of
// each parameter's gradient, and where the first value that is not finite was born. Gradients: how large they are at one
// optimizer step, how far it moves the weights, and how noisy they are. Values only; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "value_histogram.h"

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
  // Magnitudes of all parameters before the step, of what each module put out, of all parameters' gradients; empty: not
  // counted.
  ValueHistograms histograms{};
};

struct LayerGradient {
  std::string name;         // of the parameter, dotted
  double norm = 0;          // L2, of its gradient: unscaled, before clipping
  double weight_norm = 0;   // L2, before the step
  double update_ratio = 0;  // L2 norm of what the step changed ÷ weight_norm; 0 where the weight is 0
};

struct Gradients {
  std::int64_t step = -1;  // steps done before this one; −1: not looked at
  double norm = 0;         // global, L2
  std::vector<LayerGradient> layers{};
  // The simple noise scale, in samples (McCandlish et al. 2018, 2.2 and appendix A): tr Σ ÷ |G|², a mean over the looks so far.
  // nullopt: not known yet, or hidden in its own noise.
  std::optional<double> noise_scale{};
  // Where it comes from: "micro-batches" (a window's first against all of it), "consecutive" (one step's gradient against the
  // next one's); "": from nothing yet.
  std::string noise_estimator{};
};

nlohmann::json toJson(const TensorStats& stats);
nlohmann::json toJson(const Health& health);
nlohmann::json toJson(const Gradients& gradients);
// Lenient: absent or mistyped members keep their defaults; null stands for a number that was not finite.
Health healthFromJson(const nlohmann::json& json);
Gradients gradientsFromJson(const nlohmann::json& json);

}  // namespace atelier::wire
