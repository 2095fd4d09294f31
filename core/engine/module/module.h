// Module: the base of every model here. torch::nn::Module has no hooks and no module path; this one has a single call path
// that knows the module's dotted name ("features.0.conv", as PyTorch's named_modules() says) and runs hooks around forward.
// Profiling, capture, debugging, sharding and checkpointing hang on it.
// Invariants: children are added in the constructor by add(); bind() is called once on the root, before the first call.
// Thread: calls on one root come from one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

namespace atelier::engine {

class Module;

// What hooks see. Hooks may replace the tensors that they are given.
struct HookSet {
  using Before = std::function<void(Module& module, at::Tensor& input)>;
  using After = std::function<void(Module& module, const at::Tensor& input, at::Tensor& output)>;
  // Gradient of the loss with respect to the module's output, when backward reaches it.
  using Gradient = std::function<void(Module& module, const at::Tensor& gradient)>;
  std::vector<Before> before;
  std::vector<After> after;
  std::vector<Gradient> gradient;
  bool empty() const { return before.empty() && after.empty() && gradient.empty(); }
};

class Module : public torch::nn::Module {
 public:
  // The call path: hooks before, forward, hooks after. Costs one branch when there is no hook. `mask` is for sequences: (N, T)
  // bool, true at tokens; undefined: no padding.
  at::Tensor operator()(at::Tensor input, const at::Tensor& mask = {}) {
    return hooked() ? callWithHooks(std::move(input), mask) : forwardMasked(std::move(input), mask);
  }

  // Names every module below and gives them one set of hooks. On the root only.
  void bind();
  // Hooks of the whole tree; on the root only, after bind().
  HookSet& hooks() { return *m_hooks; }
  // Dotted name; "" for the root.
  const std::string& path() const { return m_path; }
  // The type as PyTorch names it: "Conv2d".
  virtual std::string kind() const = 0;
  // Whether it is one of a model's like parts in a row, the layers of an encoder or the blocks of a ResNet, which takes one
  // tensor (and the mask) and keeps nothing between calls: what checkpointing recomputes. Its row is a Series.
  virtual bool isBlock() const { return false; }
  const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& parts() const { return m_parts; }
  // Somebody wants to see every call: a module that does its parts' work in another way leaves that be.
  bool hooked() const { return m_hooks && !m_hooks->empty(); }

 protected:
  virtual at::Tensor forward(at::Tensor input) = 0;
  // What parts of sequence models override; for the others a mask means nothing.
  virtual at::Tensor forwardMasked(at::Tensor input, const at::Tensor& /*mask*/) { return forward(std::move(input)); }

  template <class M>
  std::shared_ptr<M> add(const std::string& name, std::shared_ptr<M> part) {
    register_module(name, part);
    m_parts.emplace_back(name, part);
    return part;
  }

 private:
  at::Tensor callWithHooks(at::Tensor input, const at::Tensor& mask);
  void bindBelow(const std::string& path, const std::shared_ptr<HookSet>& hooks);

  std::string m_path;
  std::shared_ptr<HookSet> m_hooks;
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> m_parts;
};

// Parameters that take part in training, in PyTorch's order.
std::vector<at::Tensor> trainableParameters(const Module& root);

}  // namespace atelier::engine
