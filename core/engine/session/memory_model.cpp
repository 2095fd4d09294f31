#include "memory_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

namespace atelier::engine {
namespace {

using wire::MemoryBytes;

std::int64_t bytesOf(const at::Tensor& tensor) {
  return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

// As the optimizer sees it: a bfloat16 weight with a master is stepped in float32.
std::int64_t steppedBytes(const at::Tensor& parameter, bool masters) {
  return masters && parameter.scalar_type() == at::kBFloat16 ? 4 * parameter.numel() : bytesOf(parameter);
}

std::int64_t optimizerBytes(const std::vector<at::Tensor>& parameters, const wire::RunSpec& spec) {
  const bool masters = spec.flag("master_weights"), sgd = spec.text("optimizer") == "sgd";
  const bool averaged = spec.number("ema") > 0 && spec.flag("evaluate");
  const std::int64_t moments = !sgd ? 2 : spec.number("momentum") != 0 ? 1 : 0;
  std::int64_t bytes = 0;
  for (const auto& parameter : parameters) {
    bytes += moments * steppedBytes(parameter, masters);
    if (!sgd) bytes += 4;  // the step's number
    if (masters && parameter.scalar_type() == at::kBFloat16) bytes += 4 * parameter.numel();
    if (averaged) bytes += 4 * parameter.numel();
  }
  return bytes;
}

BytesLine through(std::int64_t smallBatch, std::int64_t small, std::int64_t largeBatch, std::int64_t large) {
  const double slope = static_cast<double>(large - small) / static_cast<double>(largeBatch - smallBatch);
  return {static_cast<double>(small) - slope * static_cast<double>(smallBatch), slope};
}

StageLine lineOf(std::int64_t smallBatch, const MemoryBytes& small, std::int64_t largeBatch, const MemoryBytes& large) {
  const auto line = [&](std::int64_t MemoryBytes::*part) { return through(smallBatch, small.*part, largeBatch, large.*part); };
  return {line(&MemoryBytes::weights), line(&MemoryBytes::gradients), line(&MemoryBytes::optimizer),
          line(&MemoryBytes::activations), line(&MemoryBytes::other)};
}

std::int64_t valueAt(const BytesLine& line, std::int64_t batch) {
  return std::max<std::int64_t>(0, std::llround(line.constant + line.per_sample * static_cast<double>(batch)));
}

}  // namespace

const char* stageName(StepStage stage) {
  constexpr std::array<const char*, kStepStages> kNames{"data", "forward", "backward", "optimizer"};
  return kNames[static_cast<std::size_t>(stage)];
}

CountedMemory countMemory(const Module& model, const wire::RunSpec& spec) {
  CountedMemory counted;
  auto all = model.parameters();
  for (const auto& buffer : model.buffers()) all.push_back(buffer);
  std::set<const void*> seen;
  for (const auto& tensor : all) {
    if (!tensor.defined() || !seen.insert(tensor.unsafeGetTensorImpl()).second) continue;
    counted.values += tensor.numel();
    counted.weights += bytesOf(tensor);
  }
  if (spec.text("mode") != "train") return counted;
  const auto trained = trainableParameters(model);
  for (const auto& parameter : trained) {
    counted.trained += parameter.numel();
    counted.gradients += bytesOf(parameter);
  }
  counted.optimizer = optimizerBytes(trained, spec);
  return counted;
}

BytesLine StageLine::total() const {
  BytesLine sum;
  for (const auto* part : {&weights, &gradients, &optimizer, &activations, &other}) {
    sum.constant += part->constant;
    sum.per_sample += part->per_sample;
  }
  return sum;
}

MemoryBytes StageLine::at(std::int64_t batch) const {
  MemoryBytes bytes;
  bytes.weights = valueAt(weights, batch);
  bytes.gradients = valueAt(gradients, batch);
  bytes.optimizer = valueAt(optimizer, batch);
  bytes.activations = valueAt(activations, batch);
  bytes.other = valueAt(other, batch);
  bytes.total = bytes.weights + bytes.gradients + bytes.optimizer + bytes.activations + bytes.other;
  return bytes;
}

// The largest batch below `end`, and one of at most three quarters of it where there is one: a line through neighbours would
// carry their smallest difference far.
std::optional<MemoryModel::Pair> MemoryModel::pairBelow(Measured::const_iterator end) const {
  if (std::distance(m_measured.begin(), end) < 2) return std::nullopt;
  const auto large = std::prev(end);
  auto small = std::prev(large);
  while (small != m_measured.begin() && 4 * small->first > 3 * large->first) --small;
  if (4 * small->first > 3 * large->first) small = std::prev(large);
  return Pair{small, large};
}

std::optional<MemoryForecast> MemoryModel::predict(std::int64_t batch) const {
  const auto pair = pairBelow(m_measured.lower_bound(batch));
  if (!pair) return std::nullopt;
  MemoryForecast best;
  best.from[0] = pair->small->first;
  best.from[1] = pair->large->first;
  for (std::size_t i = 0; i < kStepStages; ++i) {
    const auto line = lineOf(best.from[0], pair->small->second[i], best.from[1], pair->large->second[i]);
    const auto bytes = line.at(batch);
    if (bytes.total <= best.bytes.total) continue;
    best.bytes = bytes;
    best.stage = static_cast<StepStage>(i);
    best.line = line;
  }
  return best;
}

std::optional<std::int64_t> MemoryModel::largest(std::int64_t budget) const {
  const auto pair = pairBelow(m_measured.end());
  if (!pair) return std::nullopt;
  std::optional<double> least;
  for (std::size_t i = 0; i < kStepStages; ++i) {
    const auto total =
        through(pair->small->first, pair->small->second[i].total, pair->large->first, pair->large->second[i].total);
    if (total.per_sample <= 0) continue;
    const auto batch = (static_cast<double>(budget) - total.constant) / total.per_sample;
    least = std::min(least.value_or(batch), batch);
  }
  if (!least) return std::nullopt;
  constexpr double kMost = 1e15;
  return static_cast<std::int64_t>(std::clamp(*least, 0.0, kMost));
}

}  // namespace atelier::engine
