// Normalisations and softmax (5 an element, forward and backward alike), sums, pooling (K an output element), lookups. Left out
// is mean, which on a CPU calls sum and div_, and whatever else stands over one of these.
#include <algorithm>

#include "core/wire/number.h"
#include "cost_formulas.h"
#include "saturating.h"

namespace atelier::trace::cost {
namespace {

constexpr double kNormalisation = 5;

// All tensors read, and one as large as the first written.
std::optional<Cost> normalisation(const Call& call) {
  const auto& first = call.tensor(0);
  Traffic traffic;
  traffic.addAll(call);
  traffic.add(first);
  return Cost{kNormalisation * product(first.sizes), traffic.bytes(), false};
}

// Elements that are left when `dimensions` are reduced; none named: all of them are.
std::optional<std::int64_t> reduced(const Sizes& sizes, const Sizes& dimensions) {
  if (dimensions.empty()) return 1;
  const auto rank = static_cast<std::int64_t>(sizes.size());
  Sizes left = sizes;
  for (auto dimension : dimensions) {
    if (dimension < 0) dimension += rank;
    if (dimension < 0 || dimension >= rank) return std::nullopt;
    left[static_cast<std::size_t>(dimension)] = 1;
  }
  return elementsOf(left);
}

// `kPerElement` FLOP an input element. Without a list of dimensions the operator calls itself with one: that call is counted,
// unless `kListOptional`.
template <int kPerElement, bool kListOptional>
std::optional<Cost> reduction(const Call& call) {
  const auto lists = listsOf(call);
  if (!lists || (lists->empty() && !kListOptional)) return std::nullopt;
  const auto& input = call.tensor(0);
  const auto left = reduced(input.sizes, lists->empty() ? Sizes() : lists->front());
  if (!left) return std::nullopt;
  Traffic traffic;
  traffic.add(input);
  traffic.add(left, input.dtype);
  return Cost{kPerElement * product(input.sizes), traffic.bytes(), false};
}

// The window of a pooling over the last `dimensions` of its input.
std::optional<Window> poolingWindow(const Call& call, std::size_t dimensions, bool dilates) {
  const auto lists = listsOf(call);
  if (!lists || lists->empty() || lists->front().empty()) return std::nullopt;
  const auto at = [&](std::size_t index, std::int64_t absent) {
    return spread(index < lists->size() ? (*lists)[index] : Sizes(), dimensions, absent);
  };
  const auto kernel = at(0, 1), padding = at(2, 0), dilation = dilates ? at(3, 1) : Sizes(dimensions, 1);
  // Without a stride the windows stand side by side.
  const auto stride = lists->size() > 1 && !(*lists)[1].empty() ? at(1, 1) : kernel;
  if (!kernel || !stride || !padding || !dilation) return std::nullopt;
  return Window{*kernel, *stride, *padding, *dilation};
}

template <std::size_t kDimensions, bool kMax>
std::optional<Cost> pooling(const Call& call) {
  const auto& input = call.tensor(0);
  const auto window = poolingWindow(call, kDimensions, kMax);
  if (!window || input.sizes.size() < kDimensions) return std::nullopt;
  const auto flags = flagsOf(call);
  const auto border = input.sizes.size() - kDimensions;
  const auto outputs = slide(std::span(input.sizes).subspan(border), *window, !flags.empty() && flags.front());
  if (!outputs) return std::nullopt;
  Sizes result(input.sizes.begin(), input.sizes.begin() + static_cast<std::ptrdiff_t>(border));
  result.insert(result.end(), outputs->begin(), outputs->end());
  Traffic traffic;
  traffic.add(input);
  traffic.add(elementsOf(result), input.dtype);
  if (kMax) traffic.add(elementsOf(result), "long int");  // where the maxima stood
  return Cost{product(result) * product(window->kernel), traffic.bytes(), false};
}

// (gradient of the output, input, … indices): each gradient is added where it belongs, once for a maximum, K times for a mean.
template <std::size_t kDimensions, bool kMax>
std::optional<Cost> poolingBackward(const Call& call) {
  if (call.tensors.size() < (kMax ? 3U : 2U)) return std::nullopt;
  const auto window = poolingWindow(call, kDimensions, kMax);
  if (!window) return std::nullopt;
  Traffic traffic;
  traffic.addAll(call);  // the input isn't read: it stands for its gradient, which is as large
  const double each = kMax ? 1 : product(window->kernel);
  return Cost{product(call.tensor(0).sizes) * each, traffic.bytes(), false};
}

// Every input element belongs to one window (or the border of two).
std::optional<Cost> adaptivePooling(const Call& call) {
  const auto lists = listsOf(call);
  const auto& input = call.tensor(0);
  if (!lists || lists->size() != 1 || lists->front().size() > input.sizes.size()) return std::nullopt;
  Sizes result = input.sizes;
  std::copy(lists->front().rbegin(), lists->front().rend(), result.rbegin());
  Traffic traffic;
  traffic.add(input);
  traffic.add(elementsOf(result), input.dtype);
  return Cost{product(input.sizes), traffic.bytes(), false};
}

std::optional<std::int64_t> firstNumber(const Call& call) {
  for (const auto scalar : call.scalars)
    if (const auto number = wire::parseInteger(scalar)) return number;
  return std::nullopt;
}

// (table, indices): the rows looked up are read and written, the rest of the table is not touched.
std::optional<Cost> lookup(const Call& call) {
  const auto dimension = firstNumber(call);
  if (call.tensors.size() < 2 || !dimension) return std::nullopt;
  const auto &table = call.tensor(0), &indices = call.tensor(1);
  const auto row = reduced(table.sizes, {*dimension}), count = elementsOf(indices.sizes);
  if (!row || !count) return std::nullopt;
  const auto elements = multiplySaturating(*row, *count);
  Traffic traffic;
  traffic.add(indices);
  traffic.add(elements, table.dtype);
  traffic.add(elements, table.dtype);
  return Cost{0, traffic.bytes(), false};
}

// (gradient, indices) and the number of rows: each row of the gradient is added to a row of a table that begins with zeros.
std::optional<Cost> lookupBackward(const Call& call) {
  const auto rows = firstNumber(call);
  if (call.tensors.size() < 2 || !rows || *rows < 0 || call.tensor(0).sizes.empty()) return std::nullopt;
  const auto& gradient = call.tensor(0);
  const auto width = gradient.sizes.back();
  if (width < 0) return std::nullopt;
  Traffic traffic;
  traffic.add(gradient);
  traffic.add(call.tensor(1));
  traffic.add(multiplySaturating(*rows, width), gradient.dtype);
  return Cost{product(gradient.sizes), traffic.bytes(), false};
}

constexpr NamedFormula kFormulas[] = {{"native_batch_norm", normalisation},
                                      {"native_batch_norm_backward", normalisation},
                                      {"cudnn_batch_norm", normalisation},
                                      {"cudnn_batch_norm_backward", normalisation},
                                      {"native_layer_norm", normalisation},
                                      {"native_layer_norm_backward", normalisation},
                                      {"native_group_norm", normalisation},
                                      {"native_group_norm_backward", normalisation},
                                      {"_softmax", normalisation},
                                      {"_softmax_backward_data", normalisation},
                                      {"_log_softmax", normalisation},
                                      {"_log_softmax_backward_data", normalisation},
                                      {"sum", reduction<1, false>},
                                      {"amax", reduction<1, true>},
                                      {"amin", reduction<1, true>},
                                      {"linalg_vector_norm", reduction<2, true>},
                                      {"max_pool2d_with_indices", pooling<2, true>},
                                      {"max_pool2d_with_indices_backward", poolingBackward<2, true>},
                                      {"max_pool3d_with_indices", pooling<3, true>},
                                      {"avg_pool2d", pooling<2, false>},
                                      {"avg_pool2d_backward", poolingBackward<2, false>},
                                      {"avg_pool3d", pooling<3, false>},
                                      {"_adaptive_avg_pool2d", adaptivePooling},
                                      {"index_select", lookup},
                                      {"embedding_dense_backward", lookupBackward}};

}  // namespace

std::span<const NamedFormula> reductionFormulas() {
  return kFormulas;
}

}  // namespace atelier::trace::cost
