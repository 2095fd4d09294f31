#include "recompute.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "core/engine/monitor/tensor_memory.h"
#include "core/engine/profile/marks.h"

namespace atelier::engine {
namespace {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

enum class Pass { None, First, Again };
thread_local Pass t_pass = Pass::None;

// A segment within one that runs again is part of the repetition, also where it runs for the first time itself.
class PassScope {
 public:
  explicit PassScope(Pass pass) : m_before(t_pass) { t_pass = std::max(t_pass, pass); }
  ~PassScope() { t_pass = m_before; }
  PassScope(const PassScope&) = delete;
  PassScope& operator=(const PassScope&) = delete;

 private:
  Pass m_before;
};

// The states of the generators that a segment may draw from: the CPU's and its device's.
class RandomStates {
 public:
  explicit RandomStates(at::Device device) {
    take(at::detail::getDefaultCPUGenerator());
    if (!device.is_cpu()) take(at::globalContext().defaultGenerator(device));
  }
  void restore() {
    for (auto& [generator, state] : m_states) {
      const std::lock_guard lock(generator.mutex());
      generator.set_state(state);
    }
  }
  void release() { m_states.clear(); }

 private:
  void take(at::Generator generator) {
    const std::lock_guard lock(generator.mutex());
    auto state = generator.get_state();
    m_states.emplace_back(generator, std::move(state));
  }
  std::vector<std::pair<at::Generator, at::Tensor>> m_states;
};

// Draws from earlier states for a scope, and leaves no trace of it.
class RandomScope {
 public:
  RandomScope(RandomStates& states, at::Device device) : m_now(device) { states.restore(); }
  ~RandomScope() { m_now.restore(); }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  RandomStates m_now;
};

struct AutocastState {
  struct Of {
    at::DeviceType device;
    bool enabled;
    at::ScalarType type;
  };
  explicit AutocastState(at::DeviceType device) : cache(at::autocast::is_autocast_cache_enabled()) {
    add(at::kCPU);
    if (device != at::kCPU) add(device);
  }
  void add(at::DeviceType device) {
    devices.push_back({device, at::autocast::is_autocast_enabled(device), at::autocast::get_autocast_dtype(device)});
  }
  void apply() const {
    for (const auto& [device, enabled, type] : devices) {
      at::autocast::set_autocast_enabled(device, enabled);
      at::autocast::set_autocast_dtype(device, type);
    }
    at::autocast::set_autocast_cache_enabled(cache);
  }
  std::vector<Of> devices;
  bool cache;
};

// An earlier state for a scope. Casts are kept for its length alone, so that a weight that the segment uses twice is cast once,
// as in the plain pass; within an autocast region that is open anyway none are kept: those there belong to other graphs.
class AutocastScope {
 public:
  AutocastScope(const AutocastState& state, at::DeviceType device) : m_now(device) {
    state.apply();
    if (at::autocast::increment_nesting() > 1) at::autocast::set_autocast_cache_enabled(false);
  }
  ~AutocastScope() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    m_now.apply();
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  AutocastState m_now;
};

// A cast of a weight that was made without a graph must never be found by a pass that wants one.
class NoCastsKept {
 public:
  NoCastsKept() { at::autocast::set_autocast_cache_enabled(false); }
  ~NoCastsKept() { at::autocast::set_autocast_cache_enabled(m_before); }
  NoCastsKept(const NoCastsKept&) = delete;
  NoCastsKept& operator=(const NoCastsKept&) = delete;

 private:
  bool m_before = at::autocast::is_autocast_cache_enabled();
};

at::Device deviceOf(const variable_list& inputs) {
  const auto first = std::find_if(inputs.begin(), inputs.end(), [](const at::Tensor& input) { return input.defined(); });
  return first == inputs.end() ? at::Device(at::kCPU) : first->device();
}

// Made before the first pass, which draws from the states that it remembers. Its outgoing edges are those of the inputs, and
// then those of the parameters.
class RecomputeBackward final : public torch::autograd::Node {
 public:
  RecomputeBackward(std::shared_ptr<const Segment> segment, const variable_list& inputs, edge_list&& edges)
      : Node(std::move(edges)),
        m_segment(std::move(segment)),
        m_device(deviceOf(inputs)),
        m_random(m_device),
        m_autocast(m_device.type()) {
    m_inputs.reserve(inputs.size());
    for (const auto& input : inputs) m_inputs.emplace_back(input, false);
  }
  std::string name() const override { return "RecomputeBackward"; }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    for (auto& input : m_inputs) input.reset_data();
    m_random.release();
  }

 private:
  variable_list apply(variable_list&& gradients) override {
    TORCH_CHECK_NOT_IMPLEMENTED(!at::GradMode::is_enabled(),
                                "a segment that is recomputed in backward has no second derivative: call backward without "
                                "create_graph, or turn checkpointing off");
    variable_list result(num_outputs());
    if (!gradients.at(0).defined()) return result;
    const auto inputs = leaves();
    std::vector<std::size_t> places;
    edge_list wanted;
    for (std::size_t i = 0; i < num_outputs(); ++i) {
      if (!task_should_compute_output(i)) continue;
      places.push_back(i);
      wanted.push_back(i < inputs.size() ? torch::autograd::impl::gradient_edge(inputs[i]) : next_edge(i));
    }
    if (wanted.empty()) return result;
    tell(SegmentMoment::Again);
    const auto root = runAgain(inputs);
    if (!root.is_valid()) return result;
    tell(SegmentMoment::Backward);
    auto made = torch::autograd::Engine::get_default_engine().execute({root}, gradients, false, false, false, wanted);
    for (std::size_t i = 0; i < places.size(); ++i) result[places[i]] = std::move(made[i]);
    tell(SegmentMoment::Done);
    return result;
  }

  // The inputs cut off from what made them.
  variable_list leaves() const {
    variable_list all;
    all.reserve(m_inputs.size());
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
      const auto saved = m_inputs[i].unpack();
      all.push_back(saved.defined() ? saved.detach() : saved);
      if (next_edge(i).is_valid()) all.back().requires_grad_(true);
    }
    return all;
  }

  // Where the second graph begins, seen from backward. The output itself goes: backward needs it only where an operator has
  // kept it.
  Edge runAgain(const variable_list& inputs) {
    const StageMark mark("recompute");
    const PhaseScope phase(MemoryPhase::Activations);
    const PassScope pass(Pass::Again);
    const at::AutoGradMode grad(true);
    const RandomScope random(m_random, m_device);
    const AutocastScope autocast(m_autocast, m_device.type());
    const auto output = m_segment->run(inputs);
    return output.requires_grad() ? torch::autograd::impl::gradient_edge(output) : Edge();
  }

  void tell(SegmentMoment moment) const {
    if (m_segment->observe) m_segment->observe(moment);
  }

  const std::shared_ptr<const Segment> m_segment;
  const at::Device m_device;
  RandomStates m_random;
  const AutocastState m_autocast;
  std::vector<SavedVariable> m_inputs;
};

Edge edgeOf(const at::Tensor& tensor) {
  return tensor.defined() && tensor.requires_grad() ? torch::autograd::impl::gradient_edge(tensor) : Edge();
}

}  // namespace

at::Tensor recomputed(const std::shared_ptr<const Segment>& segment, const std::vector<at::Tensor>& inputs) {
  if (!at::GradMode::is_enabled()) return segment->run(inputs);
  edge_list edges;
  edges.reserve(inputs.size() + segment->parameters.size());
  for (const auto& input : inputs) edges.push_back(edgeOf(input));
  for (const auto& parameter : segment->parameters) edges.push_back(edgeOf(parameter));
  const bool wanted = std::any_of(edges.begin(), edges.end(), [](const Edge& edge) { return edge.is_valid(); });
  if (!wanted) return segment->run(inputs);
  std::shared_ptr<torch::autograd::Node> node(new RecomputeBackward(segment, inputs, std::move(edges)),
                                              torch::autograd::deleteNode);
  at::Tensor output;
  {
    const at::NoGradGuard noGrad;
    const PassScope pass(Pass::First);
    const NoCastsKept noCasts;
    output = segment->run(inputs).detach();  // detached: it may be an input, or a part of one
  }
  torch::autograd::create_gradient_edge(output, std::move(node));
  return output;
}

bool inSegment() {
  return t_pass != Pass::None;
}

bool recomputing() {
  return t_pass == Pass::Again;
}

}  // namespace atelier::engine
