// Fused optimizers, which update all parameters in one call. Counted an element, with the terms that depend on the step alone
// left out: Adam and AdamW 15 (decay 2, first moment 3, second moment 4, square root, division and ε 3, update 3), one more
// with amsgrad; SGD 4 (decay 2, update 2), with momentum 7. The optimizers made of many tensors' calls (_foreach_*) are counted
// by those calls where they make them, on a CPU, and not at all on a GPU.
#include "core/wire/number.h"
#include "cost_formulas.h"

namespace atelier::trace::cost {
namespace {

// Parameters of a call whose first `lists` lists have a tensor for each and are followed by `perParameter` more tensors for
// each and at most three others (a learning rate, the scale of gradients, whether they overflowed).
std::optional<std::size_t> parametersOf(const Call& call, std::size_t lists, std::size_t perParameter) {
  const auto count = call.tensors.size() / (lists + perParameter);
  if (count == 0 || call.tensors.size() - count * (lists + perParameter) > 3) return std::nullopt;
  for (std::size_t i = count; i < count * lists; ++i)
    if (call.tensor(i).sizes != call.tensor(i % count).sizes) return std::nullopt;
  return count;
}

// The lists stand one behind the other: parameters, gradients, state. All are read; all but the gradients are written.
std::optional<Cost> update(const Call& call, std::size_t lists, std::size_t parameters, double perElement) {
  double elements = 0;
  Traffic traffic;
  for (std::size_t i = 0; i < parameters * lists; ++i) {
    if (i < parameters) elements += product(call.tensor(i).sizes);
    traffic.add(call.tensor(i));
    const bool gradient = i >= parameters && i < 2 * parameters;
    if (!gradient) traffic.add(call.tensor(i));
  }
  return Cost{elements * perElement, traffic.bytes(), false};
}

std::optional<Cost> adam(const Call& call) {
  const auto flags = flagsOf(call);
  const bool amsgrad = !flags.empty() && flags.front();
  const std::size_t lists = amsgrad ? 5 : 4;
  const auto parameters = parametersOf(call, lists, 1);
  return parameters ? update(call, lists, *parameters, amsgrad ? 16 : 15) : std::nullopt;
}

std::optional<Cost> sgd(const Call& call) {
  if (call.scalars.size() < 2) return std::nullopt;
  const auto momentum = wire::parseNumber(call.scalars[1]);
  if (!momentum) return std::nullopt;
  const std::size_t lists = *momentum != 0 ? 3 : 2;
  const auto parameters = parametersOf(call, lists, 0);
  return parameters ? update(call, lists, *parameters, *momentum != 0 ? 7 : 4) : std::nullopt;
}

// The kernels of our own keep PyTorch's order of lists.
constexpr NamedFormula kFormulas[] = {{"_fused_adamw_", adam},
                                      {"_fused_adam_", adam},
                                      {"_fused_sgd_", sgd},
                                      {"atelier::_fused_adamw_", adam},
                                      {"atelier::_fused_adam_", adam}};

}  // namespace

std::span<const NamedFormula> optimizerFormulas() {
  return kFormulas;
}

}  // namespace atelier::trace::cost
