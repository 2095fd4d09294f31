#include "machine.h"

#include <cmath>

#include "core/wire/json_read.h"

namespace atelier::trace {
namespace {

// 0, not measured, for what is no rate.
double rateAt(const nlohmann::json& object, const char* key) {
  const auto member = wire::memberAt(object, key);
  const double value = member.is_number() ? member.get<double>() : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

double written(double rate) {
  return std::isfinite(rate) && rate > 0 ? rate : 0;
}

}  // namespace

double Peaks::peakFor(const std::string& dtype) const {
  // Matrix units that multiply bfloat16 multiply float16 at the same rate.
  const bool half = dtype == "c10::BFloat16" || dtype == "c10::Half";
  return half && bf16_flops > 0 ? bf16_flops : fp32_flops;
}

nlohmann::json toJson(const Peaks& peaks) {
  return {{"name", peaks.name},
          {"cores", peaks.cores},
          {"fp32_flops", written(peaks.fp32_flops)},
          {"bf16_flops", written(peaks.bf16_flops)},
          {"bytes_per_second", written(peaks.bytes_per_second)}};
}

Peaks peaksFromJson(const nlohmann::json& json) {
  Peaks peaks;
  peaks.name = wire::textAt(json, "name");
  const double cores = rateAt(json, "cores");
  peaks.cores = cores < 1e6 ? static_cast<int>(cores) : 0;
  peaks.fp32_flops = rateAt(json, "fp32_flops");
  peaks.bf16_flops = rateAt(json, "bf16_flops");
  peaks.bytes_per_second = rateAt(json, "bytes_per_second");
  return peaks;
}

}  // namespace atelier::trace
