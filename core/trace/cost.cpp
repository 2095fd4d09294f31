#include "cost.h"

#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "cost_formulas.h"
#include "index.h"

namespace atelier::trace {
namespace {

using cost::Formula;
using Formulas = std::unordered_map<std::string_view, Formula>;

const Formulas& formulas() {
  static const Formulas all = [] {
    Formulas made;
    for (const auto family : {cost::matmulFormulas(), cost::convolutionFormulas(), cost::attentionFormulas(),
                              cost::elementwiseFormulas(), cost::reductionFormulas(), cost::optimizerFormulas()})
      for (const auto& [name, formula] : family) made.emplace(name, formula);
    return made;
  }();
  return all;
}

Formula formulaOf(std::string_view name) {
  constexpr std::string_view kNamespace = "aten::";
  if (name.starts_with(kNamespace)) name.remove_prefix(kNamespace.size());
  else if (!name.starts_with("mkldnn::")) return nullptr;
  const auto& all = formulas();
  if (const auto found = all.find(name); found != all.end()) return found->second;
  // In place: the same work as its twin, into its first tensor.
  if (!name.ends_with('_')) return nullptr;
  const auto twin = all.find(name.substr(0, name.size() - 1));
  return twin == all.end() ? nullptr : twin->second;
}

}  // namespace

std::optional<Cost> costOf(std::string_view name, const Detail& detail) {
  const auto formula = formulaOf(name);
  if (!formula) return std::nullopt;
  cost::Call call;
  for (const auto& input : detail.inputs)
    if (!input.sizes.empty() || !input.dtype.empty()) call.tensors.push_back(&input);
  for (const auto& scalar : detail.scalars)
    if (!scalar.empty()) call.scalars.emplace_back(scalar);
  if (call.tensors.empty()) return std::nullopt;
  const auto found = formula(call);
  if (!found || !std::isfinite(found->flops) || found->flops < 0) return std::nullopt;
  return found;
}

EventCosts costsOf(const Trace& trace) {
  EventCosts costs(trace.events.size());
  std::map<std::pair<std::int32_t, std::int32_t>, std::optional<Cost>> known;  // a loop makes the same calls at each step
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.kind != Kind::Operator || event.detail < 0) continue;
    const auto [found, isNew] = known.try_emplace({event.name, event.detail});
    if (isNew) found->second = costOf(trace.nameOf(event), *trace.detailOf(event));
    costs[i] = found->second;
    if (costs[i] && event.parent >= 0 && trace.events[at(event.parent)].name == event.name) costs[at(event.parent)].reset();
  }
  return costs;
}

int dtypeBytes(std::string_view dtype) {
  static constexpr std::pair<std::string_view, int> kBytes[] = {{"float", 4},
                                                                {"double", 8},
                                                                {"c10::Half", 2},
                                                                {"c10::BFloat16", 2},
                                                                {"long int", 8},
                                                                {"long", 8},
                                                                {"int", 4},
                                                                {"short int", 2},
                                                                {"short", 2},
                                                                {"signed char", 1},
                                                                {"unsigned char", 1},
                                                                {"bool", 1},
                                                                {"short unsigned int", 2},
                                                                {"unsigned short", 2},
                                                                {"unsigned int", 4},
                                                                {"long unsigned int", 8},
                                                                {"unsigned long", 8},
                                                                {"c10::Float8_e4m3fn", 1},
                                                                {"c10::Float8_e5m2", 1},
                                                                {"c10::Float8_e4m3fnuz", 1},
                                                                {"c10::Float8_e5m2fnuz", 1},
                                                                {"c10::Float8_e8m0fnu", 1},
                                                                {"c10::complex<c10::Half>", 4},
                                                                {"c10::complex<float>", 8},
                                                                {"c10::complex<double>", 16},
                                                                {"c10::qint8", 1},
                                                                {"c10::quint8", 1},
                                                                {"c10::qint32", 4}};
  for (const auto& [name, bytes] : kBytes)
    if (name == dtype) return bytes;
  return 0;
}

}  // namespace atelier::trace
