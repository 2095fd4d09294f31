#include "module_ranges.h"

namespace atelier::engine {
namespace {

constexpr std::string_view kPrefix = "module:";

}  // namespace

ModuleRanges::ModuleRanges(Module& root) : m_root(root) {
  auto& hooks = root.hooks();
  // Innermost of all hooks: what others do around a module is no time of the module's.
  hooks.before.emplace_back(Enter{this});
  hooks.after.insert(hooks.after.begin(), Leave{this});
}

ModuleRanges::~ModuleRanges() {
  // An exception leaves calls without their end; the innermost must end first.
  while (!m_open.empty()) m_open.pop_back();
  auto& hooks = m_root.hooks();
  std::erase_if(hooks.before, [this](const HookSet::Before& hook) {
    const auto* mine = hook.target<Enter>();
    return mine && mine->ranges == this;
  });
  std::erase_if(hooks.after, [this](const HookSet::After& hook) {
    const auto* mine = hook.target<Leave>();
    return mine && mine->ranges == this;
  });
}

void ModuleRanges::Enter::operator()(Module& module, at::Tensor& /*input*/) const {
  auto& name = ranges->m_names[&module];
  if (name.empty()) name.append(kPrefix).append(module.path()).append("|").append(module.kind());
  ranges->m_open.emplace_back(name.c_str());
}

void ModuleRanges::Leave::operator()(Module& /*module*/, const at::Tensor& /*input*/, at::Tensor& /*output*/) const {
  if (!ranges->m_open.empty()) ranges->m_open.pop_back();
}

std::optional<ModuleName> moduleName(std::string_view range) {
  if (!range.starts_with(kPrefix)) return std::nullopt;
  range.remove_prefix(kPrefix.size());
  const auto bar = range.rfind('|');
  if (bar == std::string_view::npos) return std::nullopt;
  return ModuleName{range.substr(0, bar), range.substr(bar + 1)};
}

}  // namespace atelier::engine
