#include "save_weights.h"

#include <set>
#include <string>
#include <vector>

#include "core/pretrained/safetensors_writer.h"
#include "load_weights.h"

namespace atelier::engine {
namespace {

struct Named {
  std::string name;
  at::Tensor values;  // contiguous, on the CPU
};

std::vector<Named> tensorsOf(const Module& model) {
  std::vector<Named> all;
  std::set<const void*> seen;
  const auto take = [&](const std::string& name, const at::Tensor& tensor) {
    if (seen.insert(tensor.unsafeGetTensorImpl()).second) all.push_back({name, tensor.detach().cpu().contiguous()});
  };
  for (const auto& parameter : model.named_parameters()) take(parameter.key(), parameter.value());
  for (const auto& buffer : model.named_buffers()) take(buffer.key(), buffer.value());
  return all;
}

}  // namespace

wire::Status saveWeights(const std::filesystem::path& file, const Module& model) {
  const at::NoGradGuard noGrad;
  const auto tensors = tensorsOf(model);
  std::vector<pretrained::TensorToStore> stored;
  for (const auto& [name, values] : tensors) {
    const auto type = storedType(values.scalar_type());
    TORCH_CHECK_NOT_IMPLEMENTED(!type.empty(), name, " is of ", c10::toString(values.scalar_type()));
    stored.push_back({name,
                      std::string(type),
                      values.sizes().vec(),
                      {static_cast<const std::byte*>(values.const_data_ptr()), values.nbytes()}});
  }
  return pretrained::writeSafetensors(file, stored, {{"format", "pt"}});
}

}  // namespace atelier::engine
