// The weights of bert.h: a file's tensors found by name, checked as a whole, then mapped, the small ones copied.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bert.h"
#include "core/engine/module/load_weights.h"
#include "core/engine/monitor/tensor_memory.h"

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

// Smaller tensors are copied: they lie better on a cache line of their own than somewhere in the file.
constexpr std::size_t kLeastMapped = 64 << 10;

bool aligned(const std::byte* data) {
  return reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
}

// The file's own pages become the parameter: nothing is read before it is used, and training writes to copies of pages.
void adopt(at::Tensor& parameter, const std::shared_ptr<std::byte>& pages, const StoredTensor& stored) {
  const auto sizes = parameter.sizes().vec();
  const auto bytes = static_cast<std::size_t>(stored.end - stored.begin);
  c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, TensorMemory::adopt(pages.get() + stored.begin, bytes, pages));
  parameter.set_data(at::empty({0}, parameter.options()).set_(std::move(storage), 0, sizes));
  parameter.unsafeGetTensorImpl()->bump_version();
}

}  // namespace

wire::Status loadWeights(Module& model, const SafetensorsFile& file) {
  auto matches = matched(model, file);
  if (!matches.ok()) return matches.error();
  const auto pages = file.ownPages();
  const at::NoGradGuard noGrad;
  for (auto& [name, parameter, stored] : *matches) {
    TORCH_INTERNAL_ASSERT(parameter.scalar_type() == at::kFloat && parameter.is_cpu(), name, " is not float32 on the CPU");
    const auto bytes = file.bytes(*stored);
    if (pages && stored->dtype == "F32" && bytes.size() >= kLeastMapped && aligned(bytes.data())) {
      adopt(parameter, pages, *stored);
      continue;
    }
    if (!parameter.is_contiguous()) parameter.set_data(at::empty(parameter.sizes(), parameter.options()));  // Init::Skip
    if (auto loaded = loadTensor(parameter, file, *stored); !loaded.ok()) return loaded;
  }
  return wire::success();
}

wire::Status checkWeights(const pretrained::ModelFolder& folder) {
  const auto shapes = std::make_shared<Bert>(folder.config, 2, Init::Shapes);
  const auto matches = matched(*shapes, *folder.weights);
  return matches.ok() ? wire::success() : wire::Status(matches.error());
}

}  // namespace atelier::engine
