#include "rule_tools.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace atelier::trace::rules {
namespace {

constexpr std::size_t kMostExamples = 3, kMostNames = 5;
// A step of which nearly all is one thing would be promised a gain without bound; nothing ever becomes so much faster.
constexpr double kMostShare = 0.98;
// What costs a fifth of the step is worth more than the machine's noise and a learner's evening.
constexpr double kGrave = 1.2;
// Larger batches learn otherwise (linear scaling of the rate holds to about here for small nets) and seldom run faster.
constexpr std::int64_t kLargestBatch = 1024;
constexpr std::int64_t kBatchFactor = 4;
// Of the budget: peaks vary from step to step.
constexpr double kFullest = 0.8;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::int64_t valueAt(const std::vector<std::int64_t>& values, std::size_t index) {
  return index < values.size() ? values[index] : 0;
}

void addName(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && names.size() < kMostNames && std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

// Peak bytes when a batch is `factor` times as large: activations and batches grow with it, the rest stays.
double peakAt(const Facts& facts, double factor) {
  double total = 0, growing = 0;
  if (facts.summary && facts.summary->peak_memory_bytes.total > 0) {
    const auto& peak = facts.summary->peak_memory_bytes;
    total = static_cast<double>(peak.total);
    growing = static_cast<double>(peak.activations + peak.gradients + peak.other);
  } else {
    const auto& peak = facts.report.memory.peak;
    const auto of = [&](Category category) { return static_cast<double>(peak.bytes[static_cast<std::size_t>(category)]); };
    total = static_cast<double>(peak.total());
    growing = total - of(Category::Weights) - of(Category::Optimizer);
  }
  return total + growing * (factor - 1);
}

// A normalisation's scale has as many values as its shift; a matrix has more than its bias.
bool isNormalisation(const std::vector<wire::TensorStats>& parameters, const wire::TensorStats& weight) {
  auto name = weight.module;
  const auto at = name.rfind("weight");
  name.replace(at, std::string_view("weight").size(), "bias");
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const auto& other) { return other.module == name && other.count == weight.count; });
}

}  // namespace

Place placeOf(const Facts& facts) {
  if (facts.report.breakdown.device_busy_ns > 0) return Place::Device;
  if (!facts.trace.device.empty() || facts.trace.hasDevice() || facts.text("device").starts_with("cuda")) return Place::Unknown;
  const auto& events = facts.trace.events;
  const bool launches = std::any_of(events.begin(), events.end(), [](const Event& e) { return e.kind == Kind::Runtime; });
  return launches ? Place::Unknown : Place::Host;
}

bool isConvolution(std::string_view name) {
  return contains(name, "convolution") || contains(name, "conv1d") || contains(name, "conv2d") || contains(name, "conv3d") ||
         contains(name, "conv_transpose");
}

bool isMatmul(std::string_view name) {
  static const std::set<std::string_view> kMatmuls{"aten::mm",
                                                   "aten::addmm",
                                                   "aten::bmm",
                                                   "aten::baddbmm",
                                                   "aten::addbmm",
                                                   "aten::mv",
                                                   "aten::matmul",
                                                   "aten::linear",
                                                   "aten::addmv",
                                                   "aten::_addmm_activation",
                                                   "aten::mkldnn_linear",
                                                   "mkldnn::_linear_pointwise"};
  return kMatmuls.contains(name) || isConvolution(name) || contains(name, "_scaled_dot_product");
}

const std::string& nameOf(const Facts& facts, const OperatorRow& row) {
  return facts.trace.names[static_cast<std::size_t>(row.name)];
}

double workNs(const Facts& facts, const OperatorRow& row) {
  return static_cast<double>(facts.report.breakdown.device_busy_ns > 0 ? row.device_self_ns : row.self_ns);
}

double workNs(const Facts& facts, std::size_t event) {
  const auto& times = facts.report.times;
  return static_cast<double>(valueAt(facts.report.breakdown.device_busy_ns > 0 ? times.device_self : times.self, event));
}

double stepsOf(const Facts& facts) {
  return static_cast<double>(std::max<std::int64_t>(1, facts.report.breakdown.steps));
}

double wallNs(const Facts& facts) {
  return static_cast<double>(facts.report.breakdown.wall_ns);
}

double shareOfWall(const Facts& facts, double ns) {
  const double wall = wallNs(facts);
  return wall > 0 ? std::clamp(ns / wall, 0.0, 1.0) : 0;
}

double idleShare(const Facts& facts, std::string_view cause) {
  double listed = 0, caused = 0;
  for (const auto& idle : facts.report.idle) {
    const auto length = static_cast<double>(idle.to - idle.from);
    listed += length;
    if (idle.cause == cause) caused += length;
  }
  if (listed <= 0) return 0;
  // The list holds the longest stretches only: the others are taken to have the same causes.
  const double all = std::max(listed, static_cast<double>(facts.report.idle_ns));
  return shareOfWall(facts, all * caused / listed);
}

std::string moduleName(const Facts& facts, std::int32_t module) {
  if (module < 0 || static_cast<std::size_t>(module) >= facts.trace.modules.size()) return {};
  const auto& path = facts.trace.modules[static_cast<std::size_t>(module)].path;
  return path.empty() ? "model" : path;
}

void addModule(Finding& finding, const std::string& name) {
  addName(finding.modules, name);
}

void addModules(Finding& finding, const Facts& facts, const OperatorRow& row) {
  for (const auto module : row.modules) addName(finding.modules, moduleName(facts, module));
}

void addOperator(Finding& finding, const std::string& name) {
  addName(finding.operators, name);
}

std::vector<std::int32_t> longestEvents(const Facts& facts, const std::function<bool(const Event&)>& fits) {
  const auto& events = facts.trace.events;
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!fits(events[i])) continue;
    const auto shorter = [&](std::int32_t other) {
      return events[static_cast<std::size_t>(other)].duration < events[i].duration;
    };
    found.insert(std::find_if(found.begin(), found.end(), shorter), static_cast<std::int32_t>(i));
    if (found.size() > kMostExamples) found.pop_back();
  }
  return found;
}

void expectGain(Finding& finding, double share, double speedup) {
  finding.share = std::clamp(share, 0.0, 1.0);
  const double used = std::min(finding.share, kMostShare);
  finding.expected_gain = finding.gain_high = amdahl(used, speedup);
  finding.gain_low = 1 / (1 - (1 - 1 / finding.expected_gain) / 2);
}

Severity severityOf(const Finding& finding) {
  return finding.expected_gain >= kGrave ? Severity::Warning : Severity::Hint;
}

std::optional<std::int64_t> largerBatch(const Facts& facts) {
  const auto batch = facts.integer("batch");
  if (batch <= 0 || batch > kLargestBatch / 2) return std::nullopt;
  for (auto factor = kBatchFactor; factor >= 2; factor /= 2) {
    const auto larger = std::min(batch * factor, kLargestBatch);
    const double peak = peakAt(facts, static_cast<double>(larger) / static_cast<double>(batch));
    if (facts.budget_bytes <= 0 || peak <= kFullest * static_cast<double>(facts.budget_bytes)) return larger;
  }
  return std::nullopt;
}

std::vector<Layer> layersOf(const wire::Health& health) {
  std::vector<Layer> layers;
  for (const auto& stats : health.parameters) {
    if (stats.count <= 0 || !contains(stats.module, "weight") || contains(stats.module, "embedding")) continue;
    if (isNormalisation(health.parameters, stats)) continue;
    const auto values = std::max<std::int64_t>(1, stats.count - stats.zeros);
    layers.push_back({stats.module, stats.norm, stats.norm / std::sqrt(static_cast<double>(values))});
  }
  return layers;
}

std::string figure(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  const int magnitude = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  char buffer[400];
  const auto decimals = std::clamp(digits - magnitude, 0, 12);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr;
  std::string text(buffer, end);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string percent(double share) {
  return figure(100 * share, std::fabs(share) >= 0.01 ? 2 : 1);
}

std::string milliseconds(double ns) {
  return figure(ns * 1e-6);
}

std::string microseconds(double ns) {
  return figure(ns * 1e-3);
}

std::string mebibytes(double bytes) {
  return figure(bytes / (1 << 20));
}

}  // namespace atelier::trace::rules
