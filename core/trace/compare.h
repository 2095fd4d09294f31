// The difference of two traces, aligned by module and operator: where one gained or lost over the other. Any thread.
#pragma once

#include <string>
#include <vector>

#include "tree.h"

namespace atelier::trace {

struct Change {
  std::string module, name;                            // module: its path; "" outside
  bool backward = false;
  double a_ns = 0, b_ns = 0;                           // self time a step
  double a_calls = 0, b_calls = 0;                     // a step
  double difference() const { return b_ns - a_ns; }    // > 0: b is slower here
};

struct Comparison {
  double a_step_ns = 0, b_step_ns = 0;  // wall a step
  std::vector<Change> changes;          // by the size of their difference
};

Comparison compareTraces(const Trace& a, const Trace& b);

}  // namespace atelier::trace
