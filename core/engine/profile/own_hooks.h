// OwnHooks: hooks that somebody has put on a model's tree, taken off again, and only they, when this goes; whoever else puts
// hooks on meanwhile keeps them. Costs nothing beyond the hooks.
// REQUIRES: the model is bound and outlives this. Thread: that of the model's calls; not made or destroyed during one.
#pragma once

#include <utility>
#include <vector>

#include "core/engine/module/module.h"

namespace atelier::engine {

class OwnHooks {
 public:
  explicit OwnHooks(Module& root) : m_root(root) {}
  ~OwnHooks() {
    auto& hooks = m_root.hooks();
    remove(hooks.before);
    remove(hooks.after);
    remove(hooks.gradient);
  }
  OwnHooks(const OwnHooks&) = delete;
  OwnHooks& operator=(const OwnHooks&) = delete;

  void before(HookSet::Before hook) { put(m_root.hooks().before, std::move(hook)); }
  void after(HookSet::After hook) { put(m_root.hooks().after, std::move(hook)); }
  void gradient(HookSet::Gradient hook) { put(m_root.hooks().gradient, std::move(hook)); }

 private:
  // A hook that knows whose it is.
  template <class Hook>
  struct Owned {
    const OwnHooks* owner;
    Hook hook;
    template <class... Arguments>
    void operator()(Arguments&&... arguments) const {
      hook(std::forward<Arguments>(arguments)...);
    }
  };

  template <class Hook>
  void put(std::vector<Hook>& all, Hook hook) {
    all.emplace_back(Owned<Hook>{this, std::move(hook)});
  }
  template <class Hook>
  void remove(std::vector<Hook>& all) {
    std::erase_if(all, [this](const Hook& one) {
      const auto* mine = one.template target<Owned<Hook>>();
      return mine && mine->owner == this;
    });
  }

  Module& m_root;
};

}  // namespace atelier::engine
