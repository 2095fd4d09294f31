#include "laid_out_linear.h"

#include <optional>
#include <string_view>

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "core/engine/monitor/tensor_memory.h"
#include "recompute.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kFewest = 128 * 128;  // weights below which a call's own cost weighs more than the matmul

using Scalars = c10::List<std::optional<at::Scalar>>;
using Text = std::optional<std::string_view>;

at::Tensor reordered(const at::Tensor& weight) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mkldnn::_reorder_linear_weight", "")
                             .typed<at::Tensor(const at::Tensor&, std::optional<std::int64_t>)>();
  return op.call(weight, std::nullopt);
}

at::Tensor product(const at::Tensor& input, const at::Tensor& laidOut, const at::Tensor& bias) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                             .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                                               std::string_view, Scalars, Text)>();
  return op.call(input, laidOut, bias.defined() ? std::optional(bias) : std::nullopt, "none", Scalars(), std::string_view());
}

bool plainFloats(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.scalar_type() == at::kFloat;
}

}  // namespace

bool LaidOutLinear::serves(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) const {
  if (at::GradMode::is_enabled() || inSegment() || m_noRoom || !at::hasMKLDNN()) return false;
  if (at::autocast::is_autocast_enabled(at::kCPU) || !at::globalContext().userEnabledMkldnn()) return false;
  if (bias.defined() && !plainFloats(bias)) return false;
  return plainFloats(input) && plainFloats(weight) && !weight.is_inference() && weight.is_contiguous() &&
         weight.numel() >= kFewest && input.numel() > 0;
}

bool LaidOutLinear::layOut(const at::Tensor& weight) {
  forget();
  const PhaseScope phase(MemoryPhase::Weights);
  try {
    m_laidOut = reordered(weight);
  } catch (const c10::OutOfMemoryError&) {
    m_noRoom = true;
    return false;
  }
  m_seen.remember(weight);
  return true;
}

std::optional<at::Tensor> LaidOutLinear::operator()(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  if (!serves(input, weight, bias)) {
    if (at::GradMode::is_enabled()) forget();
    return std::nullopt;
  }
  if (!(m_laidOut.defined() && m_seen.unchanged(weight)) && !layOut(weight)) return std::nullopt;
  return product(input, m_laidOut, bias);
}

void LaidOutLinear::forget() {
  m_laidOut.reset();
  m_seen.forget();
  m_noRoom = false;
}

}  // namespace atelier::engine
