// Matmuls and recurrent layers: 2·m·n·k a product. A bias is not counted. aten::linear, matmul, einsum and mv call one of
// these.
#include "cost_formulas.h"
#include "saturating.h"

namespace atelier::trace::cost {
namespace {

// The product of the tensors at `kFirst` and `kFirst` + 1, what stands before them added to it: (m, k)·(k, n), or of a batch.
template <std::size_t kFirst, bool kBatched>
std::optional<Cost> matmul(const Call& call) {
  constexpr std::size_t kRank = kBatched ? 3 : 2;
  if (call.tensors.size() < kFirst + 2) return std::nullopt;
  const auto &a = call.tensor(kFirst), &b = call.tensor(kFirst + 1);
  if (a.sizes.size() != kRank || b.sizes.size() != kRank || a.sizes[kRank - 1] != b.sizes[kRank - 2]) return std::nullopt;
  if (kBatched && a.sizes[0] != b.sizes[0]) return std::nullopt;
  const auto columns = b.sizes[kRank - 1];
  Sizes result = a.sizes;
  result[kRank - 1] = columns;
  Traffic traffic;
  for (std::size_t i = 0; i < kFirst + 2; ++i) traffic.add(call.tensor(i));
  traffic.add(elementsOf(result), a.dtype);
  return Cost{2 * product(a.sizes) * product(b.sizes, kRank - 1), traffic.bytes(), true};
}

// addmv (bias, matrix, vector).
std::optional<Cost> matrixVector(const Call& call) {
  if (call.tensors.size() < 3) return std::nullopt;
  const auto &matrix = call.tensor(1), &vector = call.tensor(2);
  if (matrix.sizes.size() != 2 || vector.sizes.size() != 1 || matrix.sizes[1] != vector.sizes[0]) return std::nullopt;
  Traffic traffic;
  for (std::size_t i = 0; i < 3; ++i) traffic.add(call.tensor(i));
  traffic.add(matrix.sizes[0], matrix.dtype);
  return Cost{2 * product(matrix.sizes), traffic.bytes(), true};
}

std::optional<Cost> dot(const Call& call) {
  if (call.tensors.size() < 2 || call.tensor(0).sizes.size() != 1 || call.tensor(0).sizes != call.tensor(1).sizes)
    return std::nullopt;
  Traffic traffic;
  traffic.add(call.tensor(0));
  traffic.add(call.tensor(1));
  traffic.add(1, call.tensor(0).dtype);
  return Cost{2 * product(call.tensor(0).sizes), traffic.bytes(), true};
}

// (…, in) and a weight of (out, in).
std::optional<Cost> linear(const Call& call) {
  if (call.tensors.size() < 2) return std::nullopt;
  const auto &input = call.tensor(0), &weight = call.tensor(1);
  if (input.sizes.empty() || weight.sizes.size() != 2 || input.sizes.back() != weight.sizes[1]) return std::nullopt;
  Sizes result = input.sizes;
  result.back() = weight.sizes[0];
  Traffic traffic;
  traffic.addAll(call);
  traffic.add(elementsOf(result), input.dtype);
  return Cost{2 * product(input.sizes) * product({weight.sizes[0]}), traffic.bytes(), true};
}

// The matrices by which each position of a sequence is multiplied. The layer's input (T, N, I) or (N, T, I) stands first.
double perPosition(const Call& call, std::size_t weights) {
  double all = 0;
  for (std::size_t i = 1; i <= weights && i < call.tensors.size(); ++i)
    if (call.tensor(i).sizes.size() == 2) all += product(call.tensor(i).sizes);
  return all;
}

// One layer and direction of oneDNN: input, weight of the input, weight of the state. The gates' own arithmetic is left out.
template <int kTimes>
std::optional<Cost> oneDnnLayer(const Call& call) {
  if (call.tensors.size() < 3 || call.tensor(0).sizes.size() != 3) return std::nullopt;
  const auto &input = call.tensor(0), &ofInput = call.tensor(1), &ofState = call.tensor(2);
  if (ofInput.sizes.size() != 2 || ofState.sizes.size() != 2 || ofInput.sizes[1] != input.sizes[2]) return std::nullopt;
  Traffic traffic;
  traffic.addAll(call);
  const auto state = ofState.sizes[1];
  if (state < 0) return std::nullopt;
  const auto positions = elementsOf({input.sizes[0], input.sizes[1]});
  if (positions) traffic.add(multiplySaturating(*positions, state), input.dtype);
  return Cost{kTimes * 2 * product({input.sizes[0], input.sizes[1]}) * perPosition(call, 2), traffic.bytes(), true};
}

// All layers of cuDNN: the weights are the tensors of two dimensions; the states have three.
template <int kTimes>
std::optional<Cost> cudnnLayers(const Call& call) {
  const auto& input = call.tensor(0);
  if (input.sizes.size() != 3) return std::nullopt;
  Traffic traffic;
  traffic.addAll(call);
  const double matrices = perPosition(call, call.tensors.size());
  if (matrices == 0) return std::nullopt;
  return Cost{kTimes * 2 * product({input.sizes[0], input.sizes[1]}) * matrices, traffic.bytes(), true};
}

constexpr NamedFormula kFormulas[] = {{"mm", matmul<0, false>},
                                      {"_int_mm", matmul<0, false>},
                                      {"_scaled_mm", matmul<0, false>},
                                      {"bmm", matmul<0, true>},
                                      {"addmm", matmul<1, false>},
                                      {"_addmm_activation", matmul<1, false>},
                                      {"baddbmm", matmul<1, true>},
                                      {"addmv", matrixVector},
                                      {"dot", dot},
                                      {"mkldnn_linear", linear},
                                      {"mkldnn::_linear_pointwise", linear},
                                      {"mkldnn_rnn_layer", oneDnnLayer<1>},
                                      {"mkldnn_rnn_layer_backward", oneDnnLayer<2>},
                                      {"_cudnn_rnn", cudnnLayers<1>},
                                      {"_cudnn_rnn_backward", cudnnLayers<2>}};

}  // namespace

std::span<const NamedFormula> matmulFormulas() {
  return kFormulas;
}

}  // namespace atelier::trace::cost
