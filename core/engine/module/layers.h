// The layers that our models are made of, with PyTorch's names, defaults and initialisation: with the same seed the weights
// are bit-equal to those of Python's torch.nn, drawn in the same order. Shapes are PyTorch's: images (N, C, H, W).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "laid_out_linear.h"
#include "module.h"
#include "series.h"

namespace atelier::engine {

// How a layer's parameters begin.
enum class Init {
  Draw,    // as PyTorch initialises them
  Skip,    // one number for all, not contiguous: a loader is about to give them memory of their own (bert.h)
  Shapes,  // without any memory (meta tensors): only names and shapes are asked for
};

// A float32 parameter that isn't initialised yet.
at::Tensor blank(at::IntArrayRef shape, Init init);

// y = x Wᵀ + b; weight (out, in). Inference keeps a copy of the weight as the processor's matmul likes it best.
class Linear final : public Module {
 public:
  Linear(std::int64_t in, std::int64_t out, Init init = Init::Draw);
  std::string kind() const override { return "Linear"; }
  void train(bool on = true) override;
  const at::Tensor& weight() const { return m_weight; }
  const at::Tensor& bias() const { return m_bias; }
  // Another way to compute x Wᵀ + b, in other number formats; {}: LibTorch's own.
  using Product = std::function<at::Tensor(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias)>;
  void computeWith(Product product) { m_product = std::move(product); }
  bool computesOtherwise() const { return m_product != nullptr; }

 private:
  at::Tensor forward(at::Tensor input) override;
  at::Tensor m_weight, m_bias;
  Product m_product;
  LaidOutLinear m_laidOut;
};

struct ConvOptions {
  std::int64_t in, out, kernel, stride = 1, padding = 0;
  bool bias = true;
};

class Conv2d final : public Module {
 public:
  explicit Conv2d(const ConvOptions& options);
  std::string kind() const override { return "Conv2d"; }
  // ResNet's second initialisation pass: normal with standard deviation √(2 ÷ fan_out).
  void initialiseKaimingNormal();

 private:
  at::Tensor forward(at::Tensor input) override;
  ConvOptions m_options;
  at::Tensor m_weight, m_bias;
};

// Running statistics with momentum 0.1, epsilon 1e-5, affine.
class BatchNorm2d final : public Module {
 public:
  explicit BatchNorm2d(std::int64_t channels);
  std::string kind() const override { return "BatchNorm2d"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  at::Tensor m_weight, m_bias, m_mean, m_variance, m_batches;
};

class ReLU final : public Module {
 public:
  explicit ReLU(bool inPlace = false) : m_inPlace(inPlace) {}
  std::string kind() const override { return "ReLU"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  bool m_inPlace;
};

class MaxPool2d final : public Module {
 public:
  explicit MaxPool2d(std::int64_t kernel, std::int64_t stride = 0, std::int64_t padding = 0)
      : m_kernel(kernel), m_stride(stride ? stride : kernel), m_padding(padding) {}
  std::string kind() const override { return "MaxPool2d"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  std::int64_t m_kernel, m_stride, m_padding;
};

// (N, C, H, W) → (N, C).
class GlobalAveragePool final : public Module {
 public:
  std::string kind() const override { return "AdaptiveAvgPool2d"; }

 private:
  at::Tensor forward(at::Tensor input) override;
};

class Flatten final : public Module {
 public:
  std::string kind() const override { return "Flatten"; }

 private:
  at::Tensor forward(at::Tensor input) override;
};

// Parts named "0", "1", … and run in order.
class Sequential : public Series {
 public:
  explicit Sequential(const std::vector<std::shared_ptr<Module>>& parts);
  std::string kind() const override { return "Sequential"; }

 private:
  at::Tensor forward(at::Tensor input) override;
};

}  // namespace atelier::engine
