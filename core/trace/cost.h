// What an operator must compute and move, from its name, the shapes of its tensors and its scalars: the arithmetic that
// FLOP/s, bytes/s and the roofline hang on. A multiply-add counts as two. Any thread.
// Formulas: matmuls 2·m·n·k a batch; convolutions 2·N·Cout·(Cin ÷ groups)·K·outputs; their backward the same for each of the
// gradients made; attention 4·N·H·T·S·D and 2.5 times that backward; elementwise one an output element, copies none;
// normalisations and softmax 5 an element, backward too; pooling K an output element. Bytes are those of the inputs and the
// output read and written once: a lower bound; 0 when a dtype is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace.h"

namespace atelier::trace {

struct Cost {
  double flops = 0;
  std::int64_t bytes = 0;
  bool matmul = false;  // a matmul, convolution or attention: work for matrix units
};

// nullopt: an operator that no formula stands for, or whose shapes were not recorded, or one whose children are counted
// instead (aten::linear over aten::addmm): each unit of work is counted once.
std::optional<Cost> costOf(std::string_view name, const Detail& detail);

// One an event of the trace: costOf, but nothing for an operator that calls itself anew, as autocast does with the tensors that
// it has cast: the inner call is the one that works. REQUIRES: trace.finish().
using EventCosts = std::vector<std::optional<Cost>>;
EventCosts costsOf(const Trace& trace);

// Of one element; 0 for a name that is no dtype.
int dtypeBytes(std::string_view dtype);

}  // namespace atelier::trace
