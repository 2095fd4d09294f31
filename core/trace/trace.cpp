#include "trace.h"

#include <algorithm>
#include <array>

#include "finish.h"
#include "index.h"

namespace atelier::trace {
namespace {

constexpr std::array<std::string_view, kStages> kStageNames{"none", "data", "forward", "backward", "optimizer", "other"};
constexpr std::array<std::string_view, kCategories> kCategoryNames{"weights",     "gradients", "optimizer",
                                                                   "activations", "other",     "unknown"};

}  // namespace

std::int32_t Trace::name(std::string_view text) {
  const auto [found, added] = m_nameIds.try_emplace(std::string(text), idOf(names.size()));
  if (added) names.emplace_back(text);
  return found->second;
}

std::int32_t Trace::module(std::string_view path, std::string_view type) {
  std::string key(path);
  key.append("\n").append(type);  // two models of one program may both have a "0.conv"
  const auto [found, added] = m_moduleIds.try_emplace(std::move(key), idOf(modules.size()));
  if (added) modules.push_back({std::string(path), std::string(type)});
  return found->second;
}

bool Trace::hasDevice() const {
  return std::any_of(tracks.begin(), tracks.end(), [](const Track& track) { return track.device >= 0; });
}

void Trace::finish() {
  nest(*this);
  shareDetails(*this);
  place(*this);
  placeMemory(*this);
}

std::string_view stageName(Stage stage) {
  return kStageNames[static_cast<std::size_t>(stage)];
}

Stage stageOf(std::string_view name) {
  const auto found = std::find(kStageNames.begin() + 1, kStageNames.end(), name);
  return found == kStageNames.end() ? Stage::None : static_cast<Stage>(found - kStageNames.begin());
}

std::string_view categoryName(Category category) {
  return kCategoryNames[static_cast<std::size_t>(category)];
}

Category categoryOf(Stage stage) {
  switch (stage) {
    case Stage::Forward:
      return Category::Activations;
    case Stage::Backward:
      return Category::Gradients;
    case Stage::Optimizer:
      return Category::Optimizer;
    case Stage::Data:
    case Stage::Other:
      return Category::Other;
    case Stage::None:
      break;
  }
  return Category::Unknown;
}

}  // namespace atelier::trace
