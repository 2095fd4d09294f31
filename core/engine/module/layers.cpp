#include "layers.h"

#include <cmath>
#include <vector>

namespace atelier::engine {
namespace {

// PyTorch's reset_parameters: kaiming_uniform with a = √5 is uniform within ±1/√fan_in, for the weight and for the bias.
void initialise(at::Tensor& weight, at::Tensor& bias, std::int64_t fanIn) {
  const at::NoGradGuard noGrad;
  const double gain = std::sqrt(2.0 / (1.0 + 5.0));
  const double bound = std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(fanIn)));
  weight.uniform_(-bound, bound);
  const double biasBound = 1.0 / std::sqrt(static_cast<double>(fanIn));
  if (bias.defined()) bias.uniform_(-biasBound, biasBound);
}

}  // namespace

at::Tensor blank(at::IntArrayRef shape, Init init) {
  if (init == Init::Skip) return at::empty_strided(shape, std::vector<std::int64_t>(shape.size(), 0), at::kFloat);
  return at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(init == Init::Shapes ? at::kMeta : at::kCPU));
}

Linear::Linear(std::int64_t in, std::int64_t out, Init init) {
  m_weight = register_parameter("weight", blank({out, in}, init));
  m_bias = register_parameter("bias", blank({out}, init));
  if (init == Init::Draw) initialise(m_weight, m_bias, in);
}

// Training writes to the weights, and a fused optimizer doesn't count that up in their versions.
void Linear::train(bool on) {
  Module::train(on);
  m_laidOut.forget();
}

at::Tensor Linear::forward(at::Tensor input) {
  if (m_product) return m_product(input, m_weight, m_bias);
  if (!hooked())
    if (auto output = m_laidOut(input, m_weight, m_bias)) return *std::move(output);
  return at::linear(input, m_weight, m_bias);
}

Conv2d::Conv2d(const ConvOptions& options) : m_options(options) {
  m_weight = register_parameter("weight", at::empty({options.out, options.in, options.kernel, options.kernel}));
  if (options.bias) m_bias = register_parameter("bias", at::empty({options.out}));
  initialise(m_weight, m_bias, options.in * options.kernel * options.kernel);
}

void Conv2d::initialiseKaimingNormal() {
  const at::NoGradGuard noGrad;
  const auto fanOut = static_cast<double>(m_options.out * m_options.kernel * m_options.kernel);
  m_weight.normal_(0.0, std::sqrt(2.0) / std::sqrt(fanOut));
}

at::Tensor Conv2d::forward(at::Tensor input) {
  const auto stride = m_options.stride, padding = m_options.padding;
  return at::conv2d(input, m_weight, m_bias, {stride, stride}, {padding, padding});
}

BatchNorm2d::BatchNorm2d(std::int64_t channels) {
  m_weight = register_parameter("weight", at::ones({channels}));
  m_bias = register_parameter("bias", at::zeros({channels}));
  m_mean = register_buffer("running_mean", at::zeros({channels}));
  m_variance = register_buffer("running_var", at::ones({channels}));
  m_batches = register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
}

at::Tensor BatchNorm2d::forward(at::Tensor input) {
  // A batch that is recomputed was counted when it came first.
  const bool seen = is_training() && recomputing();
  if (is_training() && !seen) m_batches.add_(1);
  return at::batch_norm(input, m_weight, m_bias, seen ? at::Tensor() : m_mean, seen ? at::Tensor() : m_variance, is_training(),
                        0.1, 1e-5, at::globalContext().userEnabledCuDNN());
}

at::Tensor ReLU::forward(at::Tensor input) {
  return m_inPlace ? at::relu_(input) : at::relu(input);
}

at::Tensor MaxPool2d::forward(at::Tensor input) {
  return at::max_pool2d(input, {m_kernel, m_kernel}, {m_stride, m_stride}, {m_padding, m_padding});
}

at::Tensor GlobalAveragePool::forward(at::Tensor input) {
  return at::flatten(at::adaptive_avg_pool2d(input, {1, 1}), 1);
}

at::Tensor Flatten::forward(at::Tensor input) {
  return at::flatten(input, 1);
}

Sequential::Sequential(const std::vector<std::shared_ptr<Module>>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) add(std::to_string(i), parts[i]);
}

at::Tensor Sequential::forward(at::Tensor input) {
  return run(std::move(input), {});
}

}  // namespace atelier::engine
