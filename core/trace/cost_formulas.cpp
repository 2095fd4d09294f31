#include "cost_formulas.h"

#include <algorithm>
#include <limits>

#include "core/wire/number.h"
#include "saturating.h"

namespace atelier::trace::cost {
namespace {

// Beyond these no tensor and no window lies, and products of two of them still fit.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;
constexpr std::int64_t kLargestWindow = std::int64_t{1} << 20;

std::optional<std::int64_t> entry(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text == "True") return 1;
  if (text == "False") return 0;
  return wire::parseInteger(text);
}

std::optional<Sizes> listOf(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Sizes list;
  while (text.find_first_not_of(' ') != std::string_view::npos) {
    const auto comma = text.find(',');
    const auto value = entry(text.substr(0, comma));
    if (!value) return std::nullopt;
    list.push_back(*value);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return list;
}

}  // namespace

std::optional<std::int64_t> elementsOf(const Sizes& sizes) {
  std::int64_t elements = 1;
  for (const auto size : sizes) {
    if (size < 0) return std::nullopt;
    elements = multiplySaturating(elements, size);
  }
  // A tensor with an empty dimension is empty, also where the others' product went over the border.
  return std::find(sizes.begin(), sizes.end(), 0) == sizes.end() ? elements : 0;
}

double product(const Sizes& sizes, std::size_t from) {
  double all = 1;
  for (std::size_t i = from; i < sizes.size(); ++i) {
    if (sizes[i] < 0) return std::numeric_limits<double>::quiet_NaN();
    all *= static_cast<double>(sizes[i]);
  }
  return all;
}

std::optional<std::vector<Sizes>> listsOf(const Call& call) {
  std::vector<Sizes> lists;
  for (const auto scalar : call.scalars) {
    if (scalar.front() != '[') continue;
    auto list = listOf(scalar);
    if (!list) return std::nullopt;
    lists.push_back(std::move(*list));
  }
  return lists;
}

std::vector<bool> flagsOf(const Call& call) {
  std::vector<bool> flags;
  for (const auto scalar : call.scalars)
    if (scalar == "True" || scalar == "False") flags.push_back(scalar == "True");
  return flags;
}

std::optional<Sizes> spread(const Sizes& list, std::size_t dimensions, std::int64_t absent) {
  if (list.empty()) return Sizes(dimensions, absent);
  if (list.size() == 1) return Sizes(dimensions, list.front());
  if (list.size() != dimensions) return std::nullopt;
  return list;
}

std::optional<Sizes> slide(std::span<const std::int64_t> input, const Window& window, bool ceil) {
  Sizes output;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto kernel = window.kernel[i], stride = window.stride[i], padding = window.padding[i], dilation = window.dilation[i];
    const bool sane = input[i] >= 0 && input[i] <= kLargestSize && kernel >= 1 && kernel <= kLargestWindow && stride >= 1 &&
                      stride <= kLargestWindow && padding >= 0 && padding <= kLargestWindow && dilation >= 1 &&
                      dilation <= kLargestWindow;
    if (!sane) return std::nullopt;
    const auto room = input[i] + 2 * padding - dilation * (kernel - 1) - 1;
    if (room < 0) return std::nullopt;
    auto steps = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    // PyTorch lets no window begin in the padding on the right.
    if (ceil && (steps - 1) * stride >= input[i] + padding) --steps;
    output.push_back(steps);
  }
  return output;
}

void Traffic::add(const TensorInfo& tensor) {
  add(elementsOf(tensor.sizes), tensor.dtype);
}

void Traffic::add(std::optional<std::int64_t> elements, std::string_view dtype) {
  const int bytes = dtypeBytes(dtype);
  m_known = m_known && elements && bytes > 0;
  if (m_known) m_bytes = addSaturating(m_bytes, multiplySaturating(*elements, bytes));
}

void Traffic::addAll(const Call& call) {
  for (const auto* tensor : call.tensors) add(*tensor);
}

}  // namespace atelier::trace::cost
