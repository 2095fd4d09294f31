#include "fp8_linear.h"

#include <limits>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>

namespace atelier::engine {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Fp8Product final : public torch::autograd::Function<Fp8Product> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                            bool rows) {
    const auto scale = rows ? Fp8Scale::Row : Fp8Scale::Tensor;
    const auto inputs = toFp8(input.reshape({-1, weight.size(1)}), at::kFloat8_e4m3fn, scale);
    const auto weights = toFp8(weight, at::kFloat8_e4m3fn, scale);
    context->save_for_backward({inputs.codes, inputs.factor, weights.codes, weights.factor});
    auto shape = input.sizes().vec();
    context->saved_data["shape"] = shape;
    context->saved_data["rows"] = rows;
    shape.back() = weight.size(0);
    return at::linear(fromFp8(inputs), fromFp8(weights), bias).reshape(shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto scale = context->saved_data["rows"].toBool() ? Fp8Scale::Row : Fp8Scale::Tensor;
    const auto rows = gradients[0].reshape({-1, gradients[0].size(-1)});
    const auto coded = fromFp8(toFp8(rows, at::kFloat8_e5m2, scale));
    at::Tensor input, weight, bias;
    if (context->needs_input_grad(0))
      input = coded.mm(fromFp8({saved[2], saved[3]})).reshape(context->saved_data["shape"].toIntVector());
    if (context->needs_input_grad(1)) weight = coded.t().mm(fromFp8({saved[0], saved[1]}));
    if (context->needs_input_grad(2)) bias = rows.sum(0);
    return {input, weight, bias, at::Tensor()};
  }
};

}  // namespace

double largestOf(at::ScalarType format) {
  return format == at::kFloat8_e4m3fn ? 448 : 57344;
}

Fp8Matrix toFp8(const at::Tensor& matrix, at::ScalarType format, Fp8Scale scale) {
  TORCH_CHECK_VALUE(matrix.dim() == 2 && matrix.numel() > 0, "eight-bit operands are matrices, not of ", matrix.sizes());
  const double most = largestOf(format);
  const auto values = matrix.to(at::kFloat);
  const auto highest = scale == Fp8Scale::Row ? values.abs().amax(1, true) : values.abs().amax();
  const auto usable = highest.gt(0).logical_and(at::isfinite(highest));
  // A factor of ∞, of tiny values, would make NaN of zeros.
  const auto factor = at::where(usable, highest.reciprocal().mul(most), at::ones_like(highest))
                          .clamp_max(static_cast<double>(std::numeric_limits<float>::max()));
  // LibTorch's cast makes NaN of what is too large for e4m3, and infinity for e5m2.
  return {values.mul(factor).clamp(-most, most).to(format), factor};
}

at::Tensor fromFp8(const Fp8Matrix& matrix) {
  return matrix.codes.to(at::kFloat).div(matrix.factor);
}

at::Tensor fp8Linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, Fp8Scale scale) {
  return Fp8Product::apply(input, weight, bias, scale == Fp8Scale::Row);
}

}  // namespace atelier::engine
