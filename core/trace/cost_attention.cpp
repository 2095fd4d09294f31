// Attention: 4·N·H·T·S·D for the two matmuls, 2.5 times that backward (five matmuls, of which one makes the scores again). A
// causal mask is counted as if it were none. On a CPU the work is done at _scaled_dot_product_flash_attention_for_cpu, on a GPU
// one below the operator of that name: _flash_attention_forward and its like.
#include "cost_formulas.h"

namespace atelier::trace::cost {
namespace {

// cu_seqlens: sequences of several lengths packed one behind the other, of which the shapes don't tell the work.
bool isPacked(const Call& call) {
  for (const auto* tensor : call.tensors)
    if (tensor->sizes.size() == 1 && tensor->dtype == "int") return true;
  return false;
}

// Query, key and value begin at `kFirst`: (N, H, T, D), or (N, T, H, D) where heads don't stand second.
template <std::size_t kFirst, bool kHeadsSecond>
std::optional<double> forwardFlops(const Call& call) {
  if (call.tensors.size() < kFirst + 3 || isPacked(call)) return std::nullopt;
  const auto &query = call.tensor(kFirst).sizes, &key = call.tensor(kFirst + 1).sizes, &value = call.tensor(kFirst + 2).sizes;
  if (query.size() != 4 || key.size() != 4 || value.size() != 4 || key[3] != query[3]) return std::nullopt;
  const auto length = kHeadsSecond ? key[2] : key[1];
  return 2 * product({query[0], query[1], query[2], length}) * (product({query[3]}) + product({value[3]}));
}

template <bool kHeadsSecond>
std::optional<Cost> forward(const Call& call) {
  const auto flops = forwardFlops<0, kHeadsSecond>(call);
  if (!flops) return std::nullopt;
  Sizes result = call.tensor(0).sizes;
  result[3] = call.tensor(2).sizes[3];
  Traffic traffic;
  traffic.addAll(call);
  traffic.add(elementsOf(result), call.tensor(0).dtype);
  return Cost{*flops, traffic.bytes(), true};
}

template <bool kHeadsSecond>
std::optional<Cost> backward(const Call& call) {
  const auto flops = forwardFlops<1, kHeadsSecond>(call);
  if (!flops) return std::nullopt;
  Traffic traffic;
  traffic.addAll(call);
  for (std::size_t i = 1; i <= 3; ++i) traffic.add(call.tensor(i));  // their gradients
  return Cost{2.5 * *flops, traffic.bytes(), true};
}

constexpr NamedFormula kFormulas[] = {{"_scaled_dot_product_flash_attention_for_cpu", forward<true>},
                                      {"_scaled_dot_product_flash_attention_for_cpu_backward", backward<true>},
                                      {"_flash_attention_forward", forward<false>},
                                      {"_flash_attention_backward", backward<false>},
                                      {"_efficient_attention_forward", forward<false>},
                                      {"_efficient_attention_backward", backward<false>},
                                      {"_cudnn_attention_forward", forward<true>},
                                      {"_cudnn_attention_backward", backward<true>}};

}  // namespace

std::span<const NamedFormula> attentionFormulas() {
  return kFormulas;
}

}  // namespace atelier::trace::cost
