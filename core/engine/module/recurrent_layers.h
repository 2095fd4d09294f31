// Recurrent layers, with PyTorch's names, defaults and initialisation: the same seed draws the same weights in the same order.
#pragma once

#include <vector>

#include "module.h"

namespace atelier::engine {

// One layer of torch.nn.LSTM, batch first (Hochreiter and Schmidhuber 1997): (N, T, in) → (N, T, hidden), the hidden state
// after each step, from zeros. The rows of the weights are the gates input, forget, cell, output.
class Lstm final : public Module {
 public:
  Lstm(std::int64_t in, std::int64_t hidden);
  std::string kind() const override { return "LSTM"; }

 private:
  at::Tensor forward(at::Tensor input) override;
  std::int64_t m_hidden;
  std::vector<at::Tensor> m_weights;  // of the input, of the state, and the two biases
};

}  // namespace atelier::engine
