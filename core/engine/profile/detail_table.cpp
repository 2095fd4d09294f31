#include "detail_table.h"

#include <locale>
#include <utility>
#include <variant>

#include <c10/core/ScalarTypeToTypeMeta.h>

namespace atelier::engine {

using torch::profiler::impl::TensorMetadata;

DetailTable::DetailTable(trace::Trace& trace) : m_trace(trace) {
  m_text.imbue(std::locale::classic());
}

void DetailTable::addTensor(const TensorMetadata& tensor) {
  const auto name = c10::scalarTypeToTypeMeta(tensor.dtype_).name();
  m_detail.inputs.push_back({tensor.sizes_, std::string(name)});
  for (const auto size : tensor.sizes_) m_key.append(std::to_string(size)).push_back(',');
  m_key.append(name).push_back(';');
}

void DetailTable::addScalar(const c10::IValue& value) {
  if (value.isNone()) return;
  if (value.isBool()) {
    m_detail.scalars.emplace_back(value.toBool() ? "True" : "False");
  } else if (value.isInt()) {
    m_detail.scalars.push_back(std::to_string(value.toInt()));
  } else {
    m_text.str("");
    m_text << value;
    m_detail.scalars.push_back(m_text.str());
  }
  m_key.append(m_detail.scalars.back()).push_back('|');
}

std::int32_t DetailTable::idOf(const Operator& op) {
  m_detail = {};
  m_key.clear();
  for (const auto& input : op.inputs_)
    if (const auto* tensor = std::get_if<TensorMetadata>(&input)) {
      addTensor(*tensor);
    } else if (const auto* list = std::get_if<std::vector<TensorMetadata>>(&input)) {
      for (const auto& one : *list) addTensor(one);
    }
  // Of each argument only one of the two lists has a value: numbers stand among the inputs, lists of numbers apart.
  for (std::size_t i = 0; i < op.inputs_.size(); ++i) {
    if (const auto* number = std::get_if<c10::IValue>(&op.inputs_[i])) addScalar(*number);
    if (i >= op.concrete_inputs_.size()) continue;
    if (const auto* numbers = std::get_if<c10::IValue>(&op.concrete_inputs_[i])) addScalar(*numbers);
  }
  if (m_key.empty()) return -1;
  const auto [found, added] = m_ids.try_emplace(m_key, static_cast<std::int32_t>(m_trace.details.size()));
  if (added) m_trace.details.push_back(std::move(m_detail));
  return found->second;
}

}  // namespace atelier::engine
