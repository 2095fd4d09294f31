// What the formulas of cost.h share: an operator's call as Kineto recorded it, its lists and flags, sizes and bytes.
// Assumed of a Detail: `inputs` are the tensor arguments in the order of the operator's schema, absent ones left out or without
// sizes and dtype; `scalars` are the other arguments in that order, absent ones left out or "". Formulas look at the order of
// lists ("[1, 1]") and of flags ("True") among themselves, so that absent arguments shift nothing. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cost.h"

namespace atelier::trace::cost {

using Sizes = std::vector<std::int64_t>;

struct Call {
  std::vector<const TensorInfo*> tensors;
  std::vector<std::string_view> scalars;

  const TensorInfo& tensor(std::size_t index) const { return *tensors[index]; }
};

using Formula = std::optional<Cost> (*)(const Call& call);

struct NamedFormula {
  std::string_view name;  // without "aten::"; other namespaces stay
  Formula formula;
};

// One table a family; a name stands in one of them.
std::span<const NamedFormula> matmulFormulas();
std::span<const NamedFormula> convolutionFormulas();
std::span<const NamedFormula> attentionFormulas();
std::span<const NamedFormula> elementwiseFormulas();
std::span<const NamedFormula> reductionFormulas();
std::span<const NamedFormula> optimizerFormulas();

// Elements of a tensor of these sizes, saturating; nullopt when a size is negative.
std::optional<std::int64_t> elementsOf(const Sizes& sizes);
// Product of sizes[from …] without a border; NaN when one is negative.
double product(const Sizes& sizes, std::size_t from = 0);

// The lists among the call's scalars, in order: "[2, 2]" → {2, 2}, "[True, False]" → {1, 0}. nullopt when one is malformed.
std::optional<std::vector<Sizes>> listsOf(const Call& call);
// The flags among them, in order.
std::vector<bool> flagsOf(const Call& call);
// A list as the convolutions and poolings take it: one entry a dimension, or one for all, or `absent` for none.
std::optional<Sizes> spread(const Sizes& list, std::size_t dimensions, std::int64_t absent);

// A window that slides: of a convolution or a pooling.
struct Window {
  Sizes kernel, stride, padding, dilation;
};

// Sizes of the output's dimensions; nullopt when none is possible. `ceil`: pooling's ceil_mode.
std::optional<Sizes> slide(std::span<const std::int64_t> input, const Window& window, bool ceil = false);

// Bytes read and written, saturating; 0 (not known) as soon as one part is not known.
class Traffic {
 public:
  void add(const TensorInfo& tensor);
  void add(std::optional<std::int64_t> elements, std::string_view dtype);
  void addAll(const Call& call);
  std::int64_t bytes() const { return m_known ? m_bytes : 0; }

 private:
  std::int64_t m_bytes = 0;
  bool m_known = true;
};

}  // namespace atelier::trace::cost
