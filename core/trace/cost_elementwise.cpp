// Elementwise operators: one FLOP an output element; what only copies or fills computes nothing and moves its bytes. Left out
// are those that call another of these to do the work (relu calls clamp_min, contiguous and clone call copy_, zero_ calls
// fill_), and the overloads with a number in place of a tensor, where these call the operator again with the number as a
// tensor.
#include "cost_formulas.h"

namespace atelier::trace::cost {
namespace {

// Sizes of the first `count` tensors broadcast against one another; nullopt when they don't go together.
std::optional<Sizes> broadcast(const Call& call, std::size_t count) {
  Sizes all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& sizes = call.tensor(i).sizes;
    if (sizes.size() > all.size()) all.insert(all.begin(), sizes.size() - all.size(), 1);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      auto& one = all[all.size() - sizes.size() + d];
      if (sizes[d] != 1 && one != 1 && sizes[d] != one) return std::nullopt;
      if (one == 1) one = sizes[d];
    }
  }
  return all;
}

// A number turned into a tensor doesn't widen the result: the tensors with dimensions decide where there are any.
std::string_view resultType(const Call& call, std::size_t count) {
  const TensorInfo* widest = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& tensor = call.tensor(i);
    const bool first = !widest || (widest->sizes.empty() && !tensor.sizes.empty());
    const bool wider =
        widest && widest->sizes.empty() == tensor.sizes.empty() && dtypeBytes(tensor.dtype) > dtypeBytes(widest->dtype);
    if (first || wider) widest = &tensor;
  }
  return widest ? std::string_view(widest->dtype) : std::string_view();
}

// Of `kCount` tensors; what follows them is the tensor of an out= overload.
template <std::size_t kCount, bool kGivesBool = false>
std::optional<Cost> elementwise(const Call& call) {
  if (call.tensors.size() < kCount) return std::nullopt;
  const auto result = broadcast(call, kCount);
  if (!result) return std::nullopt;
  Traffic traffic;
  for (std::size_t i = 0; i < kCount; ++i) traffic.add(call.tensor(i));
  traffic.add(elementsOf(*result), kGivesBool ? "bool" : resultType(call, kCount));
  return Cost{product(*result), traffic.bytes(), false};
}

// Against a number or against another tensor.
template <bool kGivesBool>
std::optional<Cost> againstOne(const Call& call) {
  return call.tensors.size() < 2 ? elementwise<1, kGivesBool>(call) : elementwise<2, kGivesBool>(call);
}

// (target, source): the source is read, the target written.
std::optional<Cost> copy(const Call& call) {
  if (call.tensors.size() < 2 || elementsOf(call.tensor(0).sizes) == std::nullopt) return std::nullopt;
  Traffic traffic;
  traffic.add(call.tensor(0));
  traffic.add(call.tensor(1));
  return Cost{0, traffic.bytes(), false};
}

std::optional<Cost> fill(const Call& call) {
  if (!elementsOf(call.tensor(0).sizes)) return std::nullopt;
  Traffic traffic;
  traffic.add(call.tensor(0));
  return Cost{0, traffic.bytes(), false};
}

// Tensors of several dtypes are joined by copy_.
std::optional<Cost> join(const Call& call) {
  Traffic traffic;
  for (const auto* tensor : call.tensors) {
    if (tensor->dtype != call.tensor(0).dtype || !elementsOf(tensor->sizes)) return std::nullopt;
    traffic.add(*tensor);  // read
    traffic.add(*tensor);  // and written
  }
  return Cost{0, traffic.bytes(), false};
}

// The result and a mask of one byte an element.
std::optional<Cost> dropout(const Call& call) {
  auto cost = elementwise<1>(call);
  Traffic mask;
  mask.add(elementsOf(call.tensor(0).sizes), "bool");
  if (cost && cost->bytes > 0) cost->bytes += mask.bytes();
  return cost;
}

constexpr NamedFormula kFormulas[] = {{"add", elementwise<2>},
                                      {"sub", elementwise<2>},
                                      {"mul", elementwise<2>},
                                      {"div", elementwise<2>},
                                      {"maximum", elementwise<2>},
                                      {"minimum", elementwise<2>},
                                      {"pow", againstOne<false>},
                                      {"addcmul", elementwise<3>},
                                      {"addcdiv", elementwise<3>},
                                      {"lerp", elementwise<2>},
                                      {"where", elementwise<3>},
                                      {"masked_fill_", elementwise<2>},
                                      {"clamp", elementwise<1>},
                                      {"clamp_min", elementwise<1>},
                                      {"clamp_max", elementwise<1>},
                                      {"abs", elementwise<1>},
                                      {"neg", elementwise<1>},
                                      {"exp", elementwise<1>},
                                      {"log", elementwise<1>},
                                      {"sqrt", elementwise<1>},
                                      {"rsqrt", elementwise<1>},
                                      {"reciprocal", elementwise<1>},
                                      {"sin", elementwise<1>},
                                      {"cos", elementwise<1>},
                                      {"erf", elementwise<1>},
                                      {"sigmoid", elementwise<1>},
                                      {"tanh", elementwise<1>},
                                      {"gelu", elementwise<1>},
                                      {"silu", elementwise<1>},
                                      {"elu", elementwise<1>},
                                      {"leaky_relu", elementwise<1>},
                                      {"hardtanh", elementwise<1>},
                                      {"hardswish", elementwise<1>},
                                      {"softplus", elementwise<1>},
                                      {"threshold_backward", elementwise<2>},
                                      {"sigmoid_backward", elementwise<2>},
                                      {"tanh_backward", elementwise<2>},
                                      {"gelu_backward", elementwise<2>},
                                      {"silu_backward", elementwise<2>},
                                      {"elu_backward", elementwise<2>},
                                      {"leaky_relu_backward", elementwise<2>},
                                      {"hardtanh_backward", elementwise<2>},
                                      {"hardswish_backward", elementwise<2>},
                                      {"softplus_backward", elementwise<2>},
                                      {"native_dropout", dropout},
                                      {"native_dropout_backward", elementwise<2>},
                                      {"eq", againstOne<true>},
                                      {"ne", againstOne<true>},
                                      {"lt", againstOne<true>},
                                      {"le", againstOne<true>},
                                      {"gt", againstOne<true>},
                                      {"ge", againstOne<true>},
                                      {"copy_", copy},
                                      {"fill_", fill},
                                      {"cat", join}};

}  // namespace

std::span<const NamedFormula> elementwiseFormulas() {
  return kFormulas;
}

}  // namespace atelier::trace::cost
