// ModuleRanges: while one lives, each call of a module is a range that a profiler shows, with the module's path and type.
// Hooks on the model's tree, so that modules cost nothing at other times; taken off again, and only they, when it goes.
// Thread: that of the model's calls; not made or destroyed during one.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/engine/module/module.h"
#include "marks.h"

namespace atelier::engine {

class ModuleRanges {
 public:
  explicit ModuleRanges(Module& root);  // REQUIRES: bound
  ~ModuleRanges();
  ModuleRanges(const ModuleRanges&) = delete;
  ModuleRanges& operator=(const ModuleRanges&) = delete;

 private:
  struct Enter {
    ModuleRanges* ranges;
    void operator()(Module& module, at::Tensor& input) const;
  };
  struct Leave {
    ModuleRanges* ranges;
    void operator()(Module& module, const at::Tensor& input, at::Tensor& output) const;
  };

  Module& m_root;
  std::unordered_map<const Module*, std::string> m_names;
  std::deque<StageMark> m_open;  // a call stack; the innermost is last
};

// What the name of a module's range says; nullopt: of another range.
struct ModuleName {
  std::string_view path, type;
};
std::optional<ModuleName> moduleName(std::string_view range);

}  // namespace atelier::engine
