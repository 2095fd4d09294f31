// A small profile as the engine leaves it in a run's folder, for tests to change.
#pragma once

#include <nlohmann/json.hpp>

namespace atelier::lab {

inline nlohmann::json profileJson() {
  return nlohmann::json::parse(R"({
    "operators": [
      {"name": "aten::addmm", "calls": 6, "self_ns": 100, "device_ns": 0},
      {"name": "aten::convolution_backward", "calls": 6, "self_ns": 400, "device_ns": 0},
      {"name": "aten::mkldnn_convolution", "calls": 6, "self_ns": 200, "device_ns": 0},
      {"name": "aten::copy_", "calls": 3, "self_ns": 50, "device_ns": 0}],
    "modules": [{"path": "", "type": "Sequential", "forward_ns": 300, "backward_ns": 500},
                {"path": "1.0", "type": "Conv2d", "forward_ns": 200, "backward_ns": 400}],
    "breakdown": {"steps": 3, "wall_ns": 1000, "data_ns": 100, "forward_ns": 300, "backward_ns": 500, "optimizer_ns": 60,
                  "other_ns": 30, "between_ns": 10},
    "activity": {"operators_ns": 900, "step_ns": [330, 330, 340]},
    "diagnosis": [
      {"rule": "input_bound", "severity": "warning", "args": {"percent": "62"}, "share": 0.62, "expected_gain": 2.6,
       "evidence": [{"id": "evidence.data_wait", "args": {"milliseconds": "12.5", "percent": "62"}}],
       "fix": {"set": {"workers": 2}, "args": {}}, "events": [1, 2], "modules": [], "operators": []},
      {"rule": "unfused_optimizer", "severity": "hint", "args": {"percent": "12"}, "share": 0.12, "expected_gain": 1.07,
       "evidence": [], "fix": {"set": {"fused": true}, "args": {}}, "events": [], "modules": [], "operators": []},
      {"rule": "dominant_operator", "severity": "healthy", "args": {"operator": "aten::convolution_backward", "percent": "40"},
       "share": 0.4, "expected_gain": 1, "evidence": [], "fix": {"set": {}, "args": {}}, "events": []}],
    "plan": [{"rule": "input_bound", "set": {"workers": 2}, "predicted": 2.6, "cumulative": 2.6},
             {"rule": "unfused_optimizer", "set": {"fused": true}, "predicted": 1.2, "cumulative": 3.12}],
    "memory": {"growth_per_step": 4199424, "allocations_per_step": 90.5, "allocated_bytes_per_step": 123456,
               "peak_bytes": {"total": 2097152}, "timeline": {"time_ns": [1, 2, 3]}},
    "health": {"step": 38, "activations": [
      {"module": "0.2", "type": "ReLU", "count": 100, "zeros": 100},
      {"module": "0.3", "type": "MaxPool2d", "count": 100, "zeros": 100},
      {"module": "1.2", "type": "ReLU", "count": 200, "zeros": 90}]}
  })");
}

}  // namespace atelier::lab
