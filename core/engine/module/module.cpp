#include "module.h"

namespace atelier::engine {

void Module::bind() {
  bindBelow("", std::make_shared<HookSet>());
}

void Module::bindBelow(const std::string& path, const std::shared_ptr<HookSet>& hooks) {
  m_path = path;
  m_hooks = hooks;
  for (const auto& [name, part] : m_parts) part->bindBelow(path.empty() ? name : path + "." + name, hooks);
}

at::Tensor Module::callWithHooks(at::Tensor input, const at::Tensor& mask) {
  const auto hooks = m_hooks;
  for (const auto& before : hooks->before) before(*this, input);
  auto output = forwardMasked(input, mask);
  for (const auto& after : hooks->after) after(*this, input, output);
  if (!hooks->gradient.empty() && output.requires_grad())
    output.register_hook([this, hooks](const at::Tensor& gradient) {
      for (const auto& hook : hooks->gradient) hook(*this, gradient);
    });
  return output;
}

std::vector<at::Tensor> trainableParameters(const Module& root) {
  std::vector<at::Tensor> result;
  for (const auto& parameter : root.parameters())
    if (parameter.requires_grad()) result.push_back(parameter);
  return result;
}

}  // namespace atelier::engine
