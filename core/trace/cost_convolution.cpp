// Convolutions: 2·N·Cout·(Cin ÷ groups)·K·outputs, counted at the operator that computes: conv2d, convolution and _convolution
// stand over it. The backward is counted at convolution_backward, whose own children are not; the same again for each of the
// gradients of input and weight that it makes. A bias is not counted.
#include <algorithm>

#include "cost_formulas.h"

namespace atelier::trace::cost {
namespace {

// The order in which a schema names its lists.
enum class Order { PaddingStrideDilation, StridePaddingDilation, KernelStridePadding };

std::optional<Window> windowOf(const std::vector<Sizes>& lists, Order order, const Sizes& weight) {
  const auto dimensions = weight.size() - 2;
  const auto at = [&](std::size_t index, std::int64_t absent) {
    return spread(index < lists.size() ? lists[index] : Sizes(), dimensions, absent);
  };
  const std::size_t stride = order == Order::StridePaddingDilation ? 0 : 1;
  const std::size_t padding = order == Order::PaddingStrideDilation ? 0 : stride + 1;
  const std::size_t dilation = std::max(stride, padding) + 1;
  if (lists.size() <= std::max(stride, padding)) return std::nullopt;
  const auto strides = at(stride, 1), paddings = at(padding, 0), dilations = at(dilation, 1);
  if (!strides || !paddings || !dilations) return std::nullopt;
  return Window{Sizes(weight.begin() + 2, weight.end()), *strides, *paddings, *dilations};
}

template <Order kOrder>
std::optional<Cost> convolution(const Call& call) {
  if (call.tensors.size() < 2) return std::nullopt;
  const auto &input = call.tensor(0), &weight = call.tensor(1);
  if (weight.sizes.size() < 3 || input.sizes.size() != weight.sizes.size()) return std::nullopt;
  const auto lists = listsOf(call);
  const auto window = lists ? windowOf(*lists, kOrder, weight.sizes) : std::nullopt;
  if (!window) return std::nullopt;
  const auto outputs = slide(std::span(input.sizes).subspan(2), *window);
  if (!outputs) return std::nullopt;
  Sizes result{input.sizes[0], weight.sizes[0]};
  result.insert(result.end(), outputs->begin(), outputs->end());
  Traffic traffic;
  traffic.addAll(call);
  traffic.add(elementsOf(result), input.dtype);
  return Cost{2 * product(result) * product(weight.sizes, 1), traffic.bytes(), true};
}

// Only the one that is not transposed: a transposed one's output hangs on more than these lists.
std::optional<Cost> overrideable(const Call& call) {
  const auto flags = flagsOf(call);
  if (flags.empty() || flags.front()) return std::nullopt;
  return convolution<Order::StridePaddingDilation>(call);
}

// (gradient of the output, input, weight); the last list says which gradients are made: [input, weight, bias].
std::optional<Cost> backward(const Call& call) {
  if (call.tensors.size() < 3) return std::nullopt;
  const auto &gradient = call.tensor(0), &input = call.tensor(1), &weight = call.tensor(2);
  const auto lists = listsOf(call);
  const auto flags = flagsOf(call);
  if (!lists || lists->empty() || lists->back().size() != 3 || flags.empty()) return std::nullopt;
  if (weight.sizes.size() < 3 || input.sizes.size() != weight.sizes.size() || gradient.sizes.size() != weight.sizes.size())
    return std::nullopt;
  const auto& made = lists->back();
  // A transposed convolution's windows slide over its input, and its weight is (Cin, Cout ÷ groups, K).
  const bool transposed = flags.front();
  const double once = 2 * product(transposed ? input.sizes : gradient.sizes) * product(weight.sizes, 1);
  Traffic traffic;
  traffic.add(gradient);
  // One of the two is read, and the gradient made is as large as the other.
  for (int i = 0; i < (made[0] != 0) + (made[1] != 0); ++i) {
    traffic.add(weight);
    traffic.add(input);
  }
  if (made[2] != 0) traffic.add(gradient.sizes[1], gradient.dtype);
  return Cost{once * static_cast<double>((made[0] != 0) + (made[1] != 0)), traffic.bytes(), true};
}

constexpr NamedFormula kFormulas[] = {{"mkldnn_convolution", convolution<Order::PaddingStrideDilation>},
                                      {"mkldnn::_convolution_pointwise", convolution<Order::PaddingStrideDilation>},
                                      {"cudnn_convolution", convolution<Order::PaddingStrideDilation>},
                                      {"miopen_convolution", convolution<Order::PaddingStrideDilation>},
                                      {"_nnpack_spatial_convolution", convolution<Order::PaddingStrideDilation>},
                                      {"cudnn_convolution_relu", convolution<Order::StridePaddingDilation>},
                                      {"cudnn_convolution_add_relu", convolution<Order::StridePaddingDilation>},
                                      {"convolution_overrideable", overrideable},
                                      {"_slow_conv2d_forward", convolution<Order::KernelStridePadding>},
                                      {"slow_conv3d_forward", convolution<Order::KernelStridePadding>},
                                      {"slow_conv_dilated2d", convolution<Order::KernelStridePadding>},
                                      {"slow_conv_dilated3d", convolution<Order::KernelStridePadding>},
                                      {"_conv_depthwise2d", convolution<Order::KernelStridePadding>},
                                      {"conv_depthwise3d", convolution<Order::KernelStridePadding>},
                                      {"convolution_backward", backward}};

}  // namespace

std::span<const NamedFormula> convolutionFormulas() {
  return kFormulas;
}

}  // namespace atelier::trace::cost
