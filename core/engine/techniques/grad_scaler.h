// GradScaler: the factor that a loss is multiplied by so that float16 gradients don't vanish, with the rules of PyTorch's
// torch.amp.GradScaler: a window whose gradients are not all finite takes no step and makes the scale smaller (× backoff); so
// many sound ones in a row make it larger (× growth). Values are float32, as PyTorch's.
// Bounds: a scale above half of float32's range isn't taken (PyTorch: one that is infinite); one below the floor isn't either:
// PyTorch goes on to zero in silence, here the caller ends the run.
// Thread: the session's.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>

#include "core/engine/session/state_archive.h"

namespace atelier::engine {

struct ScalerRules {
  double initial_scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
};

class GradScaler {
 public:
  // float16's smallest normal number: gradients that overflow even at this scale are no matter of scales.
  static constexpr float kFloor = 1.0F / 16384;
  static constexpr float kCeiling = std::numeric_limits<float>::max() / 2;

  enum class Change { None, Grew, Shrank, AtFloor };

  explicit GradScaler(const ScalerRules& rules) : m_rules(rules), m_scale(static_cast<float>(rules.initial_scale)) {}

  double scale() const { return m_scale; }
  std::int64_t growthTracker() const { return m_tracker; }

  // Divides the scale out of the gradients, in place. False: not all of them are finite; such stay so. Waits for a GPU.
  // REQUIRES: the gradients are on one device and of one type, not float16.
  bool unscale(const std::vector<at::Tensor>& gradients) const {
    if (gradients.empty()) return true;
    const at::NoGradGuard noGrad;
    const auto one = at::TensorOptions().dtype(at::kFloat).device(gradients.front().device());
    auto found = at::zeros({1}, one);
    // 1 ÷ scale as PyTorch takes it: in float64, then rounded.
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, at::full({1}, 1.0 / static_cast<double>(m_scale), one));
    return found.item<float>() == 0;
  }

  // After a window: `finite` is what unscale() found. Shrank, and AtFloor where the scale could not shrink further, mean that
  // the optimizer step is left out.
  Change update(bool finite) {
    if (!finite) {
      m_tracker = 0;
      const auto next = static_cast<float>(m_scale * m_rules.backoff_factor);
      if (next < kFloor) return Change::AtFloor;
      m_scale = next;
      return Change::Shrank;
    }
    if (++m_tracker < m_rules.growth_interval) return Change::None;
    m_tracker = 0;
    const auto next = static_cast<float>(m_scale * m_rules.growth_factor);
    if (!(next <= kCeiling)) return Change::None;
    m_scale = next;
    return Change::Grew;
  }

  void state(StateArchive& archive) {
    double scale = m_scale;
    archive.number("scale", scale);
    archive.integer("growth_tracker", m_tracker);
    m_scale = static_cast<float>(scale);
  }

 private:
  ScalerRules m_rules;
  float m_scale;
  std::int64_t m_tracker = 0;
};

}  // namespace atelier::engine
