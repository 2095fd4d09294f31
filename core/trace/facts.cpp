#include <algorithm>

#include "diagnosis.h"

namespace atelier::trace {

std::string Facts::text(const std::string& key, const std::string& fallback) const {
  const auto found = spec.find(key);
  return found != spec.end() && found->is_string() ? found->get<std::string>() : fallback;
}

std::int64_t Facts::integer(const std::string& key, std::int64_t fallback) const {
  const auto found = spec.find(key);
  return found != spec.end() && found->is_number_integer() ? found->get<std::int64_t>() : fallback;
}

bool Facts::flag(const std::string& key) const {
  const auto found = spec.find(key);
  return found != spec.end() && found->is_boolean() && found->get<bool>();
}

double Facts::stageShare(Stage stage) const {
  double part = 0, wall = 0;
  if (summary && summary->stages.wall > 0) {
    const auto& stages = summary->stages;
    const std::int64_t parts[kStages] = {0, stages.data, stages.forward, stages.backward, stages.optimizer, stages.other};
    part = static_cast<double>(parts[static_cast<std::size_t>(stage)]);
    wall = static_cast<double>(stages.wall);
  } else {
    part = static_cast<double>(report.breakdown.stage_ns[static_cast<std::size_t>(stage)]);
    wall = static_cast<double>(report.breakdown.wall_ns);
  }
  return wall > 0 ? std::clamp(part / wall, 0.0, 1.0) : 0;
}

double Facts::stepNs() const {
  if (summary && summary->step_p50 && *summary->step_p50 > 0) return *summary->step_p50 * 1e6;
  auto steps = report.breakdown.step_ns;
  if (steps.empty())
    return report.breakdown.steps > 0
               ? static_cast<double>(report.breakdown.wall_ns) / static_cast<double>(report.breakdown.steps)
               : 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return static_cast<double>(*middle);
}

}  // namespace atelier::trace
