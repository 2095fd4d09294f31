#include "load_weights.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atelier::engine {
namespace {

using wire::Error;
using wire::ExitCode;

struct StoredType {
  std::string_view name;  // as the format writes it
  at::ScalarType type;
};
constexpr StoredType kTypes[] = {{"F32", at::kFloat},
                                 {"F64", at::kDouble},
                                 {"F16", at::kHalf},
                                 {"BF16", at::kBFloat16},
                                 {"F8_E4M3", at::kFloat8_e4m3fn},
                                 {"F8_E5M2", at::kFloat8_e5m2},
                                 {"I64", at::kLong},
                                 {"I32", at::kInt},
                                 {"I16", at::kShort},
                                 {"I8", at::kChar},
                                 {"U8", at::kByte},
                                 {"BOOL", at::kBool}};

std::optional<at::ScalarType> typeOf(std::string_view dtype) {
  for (const auto& known : kTypes)
    if (known.name == dtype) return known.type;
  return std::nullopt;
}

// Rounding weights to integers, or the other way round, would be a model that nobody trained.
bool sameFamily(at::ScalarType a, at::ScalarType b) {
  return c10::isFloatingType(a) == c10::isFloatingType(b);
}

std::string supportedFor(at::ScalarType wanted) {
  std::string names;
  for (const auto& known : kTypes)
    if (sameFamily(known.type, wanted)) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

// "[64, 3, 7, 7]", as PyTorch says it.
std::string sizesText(at::IntArrayRef sizes) {
  std::string text = "[";
  for (const auto size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

// The stored values as a tensor of their own dtype. It shares the mapping's memory where that is aligned: read only.
at::Tensor valuesOf(std::span<const std::byte> bytes, const std::vector<std::int64_t>& shape, at::ScalarType type) {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % c10::elementSize(type) == 0)
    return at::from_blob(const_cast<std::byte*>(bytes.data()), shape, at::TensorOptions().dtype(type));
  auto copy = at::empty(shape, at::TensorOptions().dtype(type));
  std::memcpy(copy.mutable_data_ptr(), bytes.data(), bytes.size());
  return copy;
}

}  // namespace

std::string_view storedType(at::ScalarType type) {
  for (const auto& known : kTypes)
    if (known.type == type) return known.name;
  return "";
}

wire::Status checkTensor(const at::Tensor& parameter, const pretrained::StoredTensor& stored) {
  const auto type = typeOf(stored.dtype);
  if (!type || !sameFamily(*type, parameter.scalar_type()))
    return Error{ExitCode::Failed,
                 {"weights.dtype",
                  {{"tensor", stored.name}, {"dtype", stored.dtype}, {"supported", supportedFor(parameter.scalar_type())}}}};
  if (parameter.sizes() != at::IntArrayRef(stored.shape))
    return Error{ExitCode::Failed,
                 {"weights.shape",
                  {{"tensor", stored.name}, {"wanted", sizesText(parameter.sizes())}, {"got", sizesText(stored.shape)}}}};
  return wire::success();
}

wire::Status loadTensor(at::Tensor& parameter, const pretrained::SafetensorsFile& file,
                        const pretrained::StoredTensor& stored) {
  if (auto fits = checkTensor(parameter, stored); !fits.ok()) return fits;
  const auto bytes = file.bytes(stored);
  if (bytes.empty()) return wire::success();
  const at::NoGradGuard noGrad;
  const auto type = *typeOf(stored.dtype);
  if (type != parameter.scalar_type() || !parameter.is_cpu() || !parameter.is_contiguous()) {
    parameter.copy_(valuesOf(bytes, stored.shape, type));
    return wire::success();
  }
  std::memcpy(parameter.mutable_data_ptr(), bytes.data(), bytes.size());
  parameter.unsafeGetTensorImpl()->bump_version();  // who keeps something made of the old values must notice
  return wire::success();
}

}  // namespace atelier::engine
