// Peaks: what the machine that a trace comes from can do at best, measured there. 0: not measured. Values only.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace atelier::trace {

struct Peaks {
  std::string name;             // CPU or GPU model
  int cores = 0;                // that the run could use
  double fp32_flops = 0;        // FLOP/s of a large float32 matmul
  double bf16_flops = 0;        // of a bfloat16 matmul
  double bytes_per_second = 0;  // of memory: a copy's reads and writes together
  double peakFor(const std::string& dtype) const;  // FLOP/s for an operator of that dtype; float32's when unknown
};

nlohmann::json toJson(const Peaks& peaks);
Peaks peaksFromJson(const nlohmann::json& json);

}  // namespace atelier::trace
