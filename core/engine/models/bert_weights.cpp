// The weights of bert.h: a file's tensors found by name, checked as a whole, then copied by all threads at once.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>

#include "bert.h"
#include "core/engine/module/load_weights.h"

namespace atelier::engine {
namespace {

using pretrained::SafetensorsFile;
using pretrained::StoredTensor;

struct Match {
  std::string name;
  at::Tensor parameter;
  const StoredTensor* stored;
};

std::string_view withoutFamily(std::string_view name) {
  for (const std::string_view family : {"bert.", "distilbert."})
    if (name.starts_with(family)) return name.substr(family.size());
  return name;
}

// As files that were converted from TensorFlow call it; "" where there is no such name.
std::string oldName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {{"LayerNorm.weight", "LayerNorm.gamma"},
                                                                               {"LayerNorm.bias", "LayerNorm.beta"}};
  for (const auto& [now, before] : kRenamed)
    if (name.ends_with(now)) return std::string(name.substr(0, name.size() - now.size())).append(before);
  return "";
}

const StoredTensor* findStored(const SafetensorsFile& file, std::string_view parameter) {
  const std::string name(withoutFamily(parameter)), old = oldName(name);
  for (const std::string family : {"", "bert.", "distilbert."}) {
    if (const auto* found = file.find(family + name)) return found;
    if (const auto* found = old.empty() ? nullptr : file.find(family + old)) return found;
  }
  return nullptr;
}

// Every parameter but the classifier's, with its tensor.
wire::Result<std::vector<Match>> matched(const Module& model, const SafetensorsFile& file) {
  std::vector<Match> matches;
  for (const auto& item : model.named_parameters()) {
    const auto& name = item.key();
    if (withoutFamily(name).starts_with("classifier.")) continue;
    const auto* stored = findStored(file, name);
    if (!stored) return wire::Error{wire::ExitCode::Failed, {"weights.missing_tensor", {{"tensor", name}}}};
    if (auto fits = checkTensor(item.value(), *stored); !fits.ok()) return fits.error();
    matches.push_back({name, item.value(), stored});
  }
  return matches;
}

// Bytes that need no conversion, each with its place in the sequence of them all.
struct Copy {
  std::byte* to;
  const std::byte* from;
  std::int64_t first, size;
};

// One memcpy a tensor would leave all threads but one idle while the largest, half of the file, is copied.
void copyAll(const std::vector<Copy>& copies) {
  constexpr std::int64_t kLeast = 1 << 20;  // bytes that are worth a thread
  const auto total = copies.empty() ? 0 : copies.back().first + copies.back().size;
  at::parallel_for(0, total, kLeast, [&](std::int64_t begin, std::int64_t end) {
    for (const auto& copy : copies) {
      const auto from = std::max(begin, copy.first), to = std::min(end, copy.first + copy.size);
      if (from >= to) continue;
      std::memcpy(copy.to + (from - copy.first), copy.from + (from - copy.first), static_cast<std::size_t>(to - from));
    }
  });
}

}  // namespace

wire::Status loadWeights(Module& model, const SafetensorsFile& file) {
  auto matches = matched(model, file);
  if (!matches.ok()) return matches.error();
  std::vector<Copy> copies;
  std::int64_t total = 0;
  for (auto& [name, parameter, stored] : *matches) {
    TORCH_INTERNAL_ASSERT(parameter.scalar_type() == at::kFloat, name, " is not float32");
    if (stored->dtype != "F32" || !parameter.is_cpu() || !parameter.is_contiguous()) {
      if (auto loaded = loadTensor(parameter, file, *stored); !loaded.ok()) return loaded;
      continue;
    }
    const auto bytes = file.bytes(*stored);
    const auto size = static_cast<std::int64_t>(bytes.size());
    copies.push_back({static_cast<std::byte*>(parameter.mutable_data_ptr()), bytes.data(), total, size});
    total += size;
    parameter.unsafeGetTensorImpl()->bump_version();  // what was made of the old values is stale
  }
  copyAll(copies);
  return wire::success();
}

wire::Status checkWeights(const pretrained::ModelFolder& folder) {
  const auto shapes = std::make_shared<Bert>(folder.config, 2, Init::Shapes);
  const auto matches = matched(*shapes, *folder.weights);
  return matches.ok() ? wire::success() : wire::Status(matches.error());
}

}  // namespace atelier::engine
