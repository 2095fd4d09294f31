// DetailTable: what operators were called with, as Kineto recorded it, each different call kept once: a training step repeats
// itself. Dtypes and scalars read as in PyTorch's own trace files. One thread.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <unordered_map>

#include <torch/csrc/profiler/collection.h>

#include "core/trace/trace.h"

namespace atelier::engine {

class DetailTable {
 public:
  explicit DetailTable(trace::Trace& trace);

  using Operator = torch::profiler::impl::ExtraFields<torch::profiler::impl::EventType::TorchOp>;
  // In trace.details; −1: nothing was recorded.
  std::int32_t idOf(const Operator& op);

 private:
  void addTensor(const torch::profiler::impl::TensorMetadata& tensor);
  void addScalar(const c10::IValue& value);

  trace::Trace& m_trace;
  std::unordered_map<std::string, std::int32_t> m_ids;  // by all that a detail says, written behind one another
  trace::Detail m_detail;
  std::string m_key;
  std::ostringstream m_text;
};

}  // namespace atelier::engine
