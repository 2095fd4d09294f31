#include "state_archive.h"

#include <sstream>

namespace atelier::engine {
namespace {

// More tensors than any state has: a count above it is damage.
constexpr std::int64_t kMost = 1'000'000;

std::string sizesText(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

}  // namespace

std::string StateMismatch::textOf(const wire::Message& message) {
  auto text = message.id;
  for (const auto& [name, value] : message.args) text.append(" ").append(name).append("=").append(value);
  return text;
}

void StateArchive::tensors(const std::string& name, std::vector<at::Tensor>& list, at::Device device) {
  const Scope scope(*this, name);
  auto count = static_cast<std::int64_t>(list.size());
  integer("count", count);
  if (count < 0 || count > kMost)
    throw StateMismatch({"checkpoint.shape", {{"name", full("count")}, {"wanted", "≥ 0"}, {"got", std::to_string(count)}}});
  list.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < list.size(); ++i) tensor(std::to_string(i), list[i], device);
}

void StateArchive::flag(const std::string& name, bool& value) {
  std::int64_t number = value ? 1 : 0;
  integer(name, number);
  value = number != 0;
}

void StateArchive::put(const std::string& name, const at::Tensor& kept, at::Tensor& tensor, at::Device device) {
  const at::NoGradGuard noGrad;
  if (!kept.defined()) {
    tensor = at::Tensor();
    return;
  }
  if (!tensor.defined()) {
    tensor = kept.to(device, kept.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
    return;
  }
  if (tensor.sizes() != kept.sizes())
    throw StateMismatch({"checkpoint.shape", {{"name", name}, {"wanted", sizesText(tensor)}, {"got", sizesText(kept)}}});
  if (tensor.scalar_type() != kept.scalar_type())
    throw StateMismatch(
        {"checkpoint.dtype",
         {{"name", name}, {"wanted", c10::toString(tensor.scalar_type())}, {"got", c10::toString(kept.scalar_type())}}});
  tensor.copy_(kept);
}

StateArchive::Scope::Scope(StateArchive& archive, std::string_view name)
    : m_archive(archive), m_length(archive.m_prefix.size()) {
  m_archive.m_prefix.append(name).append(".");
}

StateArchive::Scope::~Scope() {
  m_archive.m_prefix.resize(m_length);
}

}  // namespace atelier::engine
