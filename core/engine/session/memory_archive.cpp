#include "memory_archive.h"

#include <algorithm>

namespace atelier::engine {

void MemoryArchive::save(const StateVisit& visit) {
  m_loading = false;
  m_seen.clear();
  visit(*this);
  std::erase_if(m_values, [&](const auto& entry) { return !m_seen.contains(entry.first); });
}

void MemoryArchive::load(const StateVisit& visit) {
  m_loading = true;
  visit(*this);
}

bool MemoryArchive::left(const std::string& name) const {
  return std::any_of(m_left.begin(), m_left.end(), [&](const std::string& prefix) { return name.starts_with(prefix); });
}

template <class T>
const T& MemoryArchive::kept(const std::string& name) const {
  const auto found = m_values.find(name);
  if (found == m_values.end()) throw StateMismatch({"checkpoint.lacks", {{"name", name}}});
  const auto* value = std::get_if<T>(&found->second);
  if (!value) throw StateMismatch({"checkpoint.kind", {{"name", name}}});
  return *value;
}

template <class T>
void MemoryArchive::visit(const std::string& name, T& value) {
  const auto whole = full(name);
  if (!m_loading) {
    m_values[whole] = value;
    m_seen.insert(whole);
  } else if (!left(whole)) {
    value = kept<T>(whole);
  }
}

void MemoryArchive::tensor(const std::string& name, at::Tensor& tensor, at::Device device) {
  const auto whole = full(name);
  if (m_loading) {
    if (!left(whole)) put(whole, kept<at::Tensor>(whole), tensor, device);
    return;
  }
  const at::NoGradGuard noGrad;
  m_seen.insert(whole);
  auto& value = m_values[whole];
  auto* before = std::get_if<at::Tensor>(&value);
  if (!tensor.defined()) {
    value = at::Tensor();
  } else if (before && before->defined() && before->sizes() == tensor.sizes() && before->strides() == tensor.strides() &&
             before->scalar_type() == tensor.scalar_type() && before->device() == tensor.device()) {
    before->copy_(tensor);
  } else {
    value = tensor.detach().clone();
  }
}

void MemoryArchive::integer(const std::string& name, std::int64_t& value) {
  visit(name, value);
}

void MemoryArchive::number(const std::string& name, double& value) {
  visit(name, value);
}

void MemoryArchive::text(const std::string& name, std::string& value) {
  visit(name, value);
}

}  // namespace atelier::engine
