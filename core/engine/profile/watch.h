// Watch: what flows through a model at one step: statistics of each module's output and of the gradient that reaches it,
// of each parameter's gradient, and where the first NaN or Inf was born: module, and with `operators` the ATen operator.
// Thread: the session's.
#pragma once

#include <functional>
#include <memory>

#include "core/engine/module/module.h"
#include "core/wire/health.h"

namespace atelier::engine {

// Over all values; NaN and Inf are counted and left out of the moments. Reads a GPU's tensor back: it synchronises.
wire::TensorStats statsOf(const at::Tensor& tensor);

class Watch {
 public:
  // Hooks itself into the (bound) model; hooks are taken off again when it goes.
  Watch(Module& model, bool operators);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Between these calls a step is looked at; at other times the hooks only pass. `histograms`: magnitudes are counted too.
  void begin(std::int64_t step, bool histograms = true);
  wire::Health end();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace atelier::engine
