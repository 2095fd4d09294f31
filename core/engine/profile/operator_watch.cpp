#include "operator_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>

#include "stats.h"

namespace atelier::engine {
namespace {

// Callbacks of record functions carry no data. This is LibTorch's place for what belongs to a thread's work; backward's threads
// inherit it, and nothing else here uses this kind.
constexpr auto kPlace = c10::DebugInfoKind::PRODUCER_INFO;

struct Listener final : c10::DebugInfoBase {
  explicit Listener(OperatorWatch::Found f) : found(std::move(f)) {}
  const OperatorWatch::Found found;
};

// What was seen before the operator ran: afterwards its inputs may be gone, or overwritten.
struct Inputs final : at::ObserverContext {
  explicit Inputs(bool finite) : allFinite(finite) {}
  const bool allFinite;
};

bool allFinite(const c10::IValue& value) {
  if (value.isTensor()) return engine::allFinite(value.toTensor());
  if (value.isDouble()) return std::isfinite(value.toDouble());
  if (value.isTensorList()) {
    const auto tensors = value.toTensorVector();
    return std::all_of(tensors.begin(), tensors.end(), [](const auto& tensor) { return engine::allFinite(tensor); });
  }
  if (value.isOptionalTensorList()) {
    const auto tensors = value.toOptionalTensorVector();
    return std::all_of(tensors.begin(), tensors.end(),
                       [](const auto& tensor) { return !tensor || engine::allFinite(*tensor); });
  }
  return true;
}

template <class Values>
bool allOfThemFinite(const Values& values) {
  // The operators that look are no operators of the run: neither this nor a profiler shall see them.
  const at::DisableRecordFunctionGuard unseen;
  return std::all_of(values.begin(), values.end(), [](const c10::IValue& value) { return allFinite(value); });
}

// Operators that give memory as it was.
bool leavesMemoryUnwritten(std::string_view name) {
  constexpr std::array<std::string_view, 5> kPrefixes{"aten::empty", "aten::new_empty", "aten::resize", "aten::_resize",
                                                      "aten::set_"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::unique_ptr<at::ObserverContext> begins(const at::RecordFunction& function) {
  return std::make_unique<Inputs>(allOfThemFinite(function.inputs()));
}

void ends(const at::RecordFunction& function, at::ObserverContext* context) {
  const auto* inputs = static_cast<const Inputs*>(context);
  const auto* listener = static_cast<const Listener*>(c10::ThreadLocalDebugInfo::get(kPlace));
  if (!inputs || !inputs->allFinite || !listener || leavesMemoryUnwritten(function.name())) return;
  if (!allOfThemFinite(function.outputs())) listener->found(function.name(), torch::autograd::get_current_node() != nullptr);
}

}  // namespace

OperatorWatch::OperatorWatch(Found found)
    : m_listener(kPlace, std::make_shared<Listener>(std::move(found))),
      m_callback(at::addThreadLocalCallback(
          at::RecordFunctionCallback(begins, ends).needsInputs(true).needsOutputs(true).scopes({at::RecordScope::FUNCTION}))) {}

OperatorWatch::~OperatorWatch() {
  at::removeCallback(m_callback);
}

}  // namespace atelier::engine
