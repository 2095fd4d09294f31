#include "watch.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/engine.h>

#include "core/engine/module/recompute.h"
#include "histogram.h"
#include "operator_watch.h"
#include "own_hooks.h"
#include "stats.h"

namespace atelier::engine {
namespace {

// Looking at values is no part of the run: no graph, and nothing that a profiler sees.
struct Unseen {
  at::DisableRecordFunctionGuard noRecord{};
  at::NoGradGuard noGrad{};
};

// Of modules, in the order of their first appearance; a module that is called more than once is one row.
class Table {
 public:
  void add(const Module& module, const TensorSums& sums) {
    const auto [place, fresh] = m_places.try_emplace(&module, m_rows.size());
    if (fresh) m_rows.emplace_back(&module, TensorSums{});
    m_rows[place->second].second.add(sums);
  }
  std::vector<wire::TensorStats> stats() const {
    std::vector<wire::TensorStats> all;
    for (const auto& [module, sums] : m_rows) {
      all.push_back(sums.stats());
      all.back().module = module->path();
      all.back().type = module->kind();
    }
    return all;
  }

 private:
  std::vector<std::pair<const Module*, TensorSums>> m_rows;
  std::unordered_map<const Module*, std::size_t> m_places;
};

// A call of a module that has not returned yet.
struct Call {
  const Module* module;
  bool sound;                // its input was finite
  std::string bad_operator;  // the first in it, and in none of its parts, that made something that isn't; "" none
};

std::string ownerOf(const std::string& parameter) {
  const auto dot = parameter.rfind('.');
  return dot == std::string::npos ? "" : parameter.substr(0, dot);
}

// What was seen during one step.
struct Sight {
  wire::Health health{};
  Table activations{}, gradients{};
  std::vector<Call> calls{};
  bool tainted = false;  // something that isn't finite went through the model: what backward makes of it is not born there
  std::string outside;   // the first bad operator that ran forward in no module: before the model, or in the loss
  bool in_backward = false;
  // That the gradient reached last: what now runs backward is its. Null: the loss.
  const Module* backward_module = nullptr;
  std::map<const Module*, std::string> backward_operators{};  // the first bad one while each was the last reached
  at::Tensor last_gradient{};
  // The output of one module is the input of the next, and often that of the module around it.
  at::Tensor seen{};
  std::int64_t seen_version = 0;
  TensorSums seen_sums{};
  bool seen_is_new = false;  // it was not what had been seen before
  bool histograms = false;
};

}  // namespace

struct Watch::State {
  State(Module& root, bool withOperators);

  void begin(std::int64_t step, bool histograms);
  void countWeights();
  void enter(const Module& module, const at::Tensor& input);
  void leave(const Module& module, const at::Tensor& output);
  void reach(const Module& module, const at::Tensor& gradient);
  void readParameters();
  void operatorWentBad(const char* name, bool backward);
  void bornInBackward();
  void bornInParameter(const std::string& name);
  void born(const std::string& module, const std::string& byOperator, const char* stage);
  const TensorSums& sums(const at::Tensor& tensor);

  Module& model;
  const bool operators;
  bool looking = false;
  Sight sight{};
  OwnHooks hooks;
  std::optional<OperatorWatch> operator_watch{};
};

Watch::State::State(Module& root, bool withOperators) : model(root), operators(withOperators), hooks(root) {
  hooks.before([this](Module& module, at::Tensor& input) { enter(module, input); });
  hooks.after([this](Module& module, const at::Tensor&, at::Tensor& output) { leave(module, output); });
  hooks.gradient([this](Module& module, const at::Tensor& gradient) { reach(module, gradient); });
}

void Watch::State::begin(std::int64_t step, bool histograms) {
  operator_watch.reset();
  sight = {};
  sight.health.step = step;
  sight.histograms = histograms;
  if (histograms) countWeights();
  looking = true;
  if (operators) operator_watch.emplace([this](const char* name, bool backward) { operatorWentBad(name, backward); });
}

void Watch::State::countWeights() {
  const Unseen unseen;
  std::set<const at::TensorImpl*> known;  // a parameter may have two names
  for (const auto& parameter : model.named_parameters())
    if (known.insert(parameter.value().unsafeGetTensorImpl()).second)
      sight.health.histograms.weights.add(histogramOf(parameter.value()));
}

const TensorSums& Watch::State::sums(const at::Tensor& tensor) {
  const auto version = tensor.is_inference() ? 0 : tensor._version();
  sight.seen_is_new = !sight.seen.is_same(tensor) || sight.seen_version != version;
  if (sight.seen_is_new) {
    sight.seen_sums = sumsOf(tensor);
    sight.seen = tensor;
    sight.seen_version = version;
  }
  return sight.seen_sums;
}

// The input is looked at now: a module may write over it. What is recomputed in backward was seen when it was made.
void Watch::State::enter(const Module& module, const at::Tensor& input) {
  if (!looking || recomputing()) return;
  const Unseen unseen;
  const bool sound = sums(input).allFinite();
  sight.tainted = sight.tainted || !sound;
  if (sight.calls.empty() && sound) sight.outside.clear();  // whatever it made did not reach the model
  sight.calls.push_back({&module, sound, {}});
}

// Parts return before the module around them: the first of all is the innermost.
void Watch::State::leave(const Module& module, const at::Tensor& output) {
  if (!looking || recomputing() || sight.calls.empty() || sight.calls.back().module != &module) return;
  const Unseen unseen;
  const auto call = std::move(sight.calls.back());
  sight.calls.pop_back();
  const auto& now = sums(output);
  sight.activations.add(module, now);
  if (sight.histograms && sight.seen_is_new) sight.health.histograms.activations.add(histogramOf(output));
  if (now.allFinite()) return;
  sight.tainted = true;
  if (call.sound) born(module.path(), call.bad_operator, "forward");
}

void Watch::State::reach(const Module& module, const at::Tensor& gradient) {
  if (!looking || !gradient.defined()) return;
  const Unseen unseen;
  if (!sight.in_backward) {
    sight.in_backward = true;
    // Before anybody clips or unscales them.
    torch::autograd::Engine::get_default_engine().queue_callback([this] { readParameters(); });
  }
  const auto now = sumsOf(gradient);
  sight.gradients.add(module, now);
  if (!now.allFinite()) bornInBackward();
  // One tensor is the output of a part and of what stands around it; the part is told first.
  if (sight.last_gradient.is_same(gradient)) return;
  sight.backward_module = &module;
  sight.last_gradient = gradient;
}

void Watch::State::readParameters() {
  if (!looking) return;
  const Unseen unseen;
  sight.in_backward = false;
  auto& health = sight.health;
  health.parameters.clear();
  health.histograms.gradients = {};
  std::set<const at::TensorImpl*> known;  // a parameter may have two names
  TensorSums all;
  std::string lastBad;
  for (const auto& parameter : model.named_parameters()) {
    const auto& gradient = parameter.value().grad();
    if (!gradient.defined() || !known.insert(parameter.value().unsafeGetTensorImpl()).second) continue;
    const auto now = sumsOf(gradient);
    all.add(now);
    health.parameters.push_back(now.stats());
    health.parameters.back().module = parameter.key();
    if (sight.histograms) health.histograms.gradients.add(histogramOf(gradient));
    if (!now.allFinite()) lastBad = parameter.key();
  }
  health.gradient_norm = all.nans > 0 ? std::nan("") : all.allFinite() ? std::sqrt(all.squares) : HUGE_VAL;
  if (!lastBad.empty()) bornInParameter(lastBad);
}

void Watch::State::operatorWentBad(const char* name, bool backward) {
  if (!looking || !sight.health.first_bad_stage.empty()) return;
  auto& place = backward              ? sight.backward_operators[sight.backward_module]
                : sight.calls.empty() ? sight.outside
                                      : sight.calls.back().bad_operator;
  if (place.empty()) place = name;
}

// A gradient that isn't finite has come out of what ran since the last module was reached.
void Watch::State::bornInBackward() {
  if (sight.tainted) return;
  const auto* module = sight.backward_module;
  if (!module && !sight.outside.empty()) born("", sight.outside, "forward");  // in the loss, or in the batch
  else born(module ? module->path() : "", sight.backward_operators[module], "backward");
}

// No module's output got a bad gradient, but a parameter did: the last in the model's order is the first in backward's.
void Watch::State::bornInParameter(const std::string& name) {
  if (sight.tainted) return;
  const auto owner = ownerOf(name);
  std::string byOperator;
  for (const auto& [module, bad] : sight.backward_operators)
    if (module && module->path() == owner) byOperator = bad;
  born(owner, byOperator, "backward");
}

void Watch::State::born(const std::string& module, const std::string& byOperator, const char* stage) {
  auto& health = sight.health;
  if (!health.first_bad_stage.empty()) return;
  health.first_bad_module = module;
  health.first_bad_operator = byOperator;
  health.first_bad_stage = stage;
  health.first_bad_step = health.step;
}

Watch::Watch(Module& model, bool operators) : m_state(std::make_unique<State>(model, operators)) {}

Watch::~Watch() = default;

void Watch::begin(std::int64_t step, bool histograms) {
  m_state->begin(step, histograms);
}

wire::Health Watch::end() {
  auto& state = *m_state;
  state.looking = false;
  state.operator_watch.reset();
  auto health = std::move(state.sight.health);
  health.activations = state.sight.activations.stats();
  health.gradients = state.sight.gradients.stats();
  state.sight = {};
  return health;
}

}  // namespace atelier::engine
