#include "safetensors_header.h"

#include <algorithm>
#include <fstream>

#include "core/wire/number.h"

namespace atelier::worker {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;  // bytes, as the reference implementation allows

std::uint64_t bitsOf(const std::string& dtype) {
  static constexpr std::pair<const char*, std::uint64_t> kBits[] = {
      {"F64", 64}, {"F32", 32}, {"F16", 16}, {"BF16", 16}, {"I64", 64}, {"I32", 32},    {"I16", 16},   {"I8", 8},
      {"U64", 64}, {"U32", 32}, {"U16", 16}, {"U8", 8},    {"BOOL", 8}, {"F8_E4M3", 8}, {"F8_E5M2", 8}};
  for (const auto& [name, bits] : kBits)
    if (dtype == name) return bits;
  return 0;
}

// "" when the entry is sound.
std::string read(const std::string& name, const nlohmann::json& json, TensorEntry& entry) {
  if (!json.is_object() || !json.contains("dtype") || !json["dtype"].is_string()) return name + ": dtype";
  if (!json.contains("shape") || !json["shape"].is_array() || !json.contains("data_offsets") ||
      !json["data_offsets"].is_array())
    return name + ": shape, data_offsets";
  entry.name = name;
  entry.dtype = json["dtype"].get<std::string>();
  std::uint64_t bytes = bitsOf(entry.dtype) / 8;
  if (bytes == 0) return name + ": dtype " + entry.dtype;
  for (const auto& size : json["shape"]) {
    if (!size.is_number_unsigned()) return name + ": shape";
    entry.shape.push_back(size.get<std::uint64_t>());
    if (__builtin_mul_overflow(bytes, entry.shape.back(), &bytes)) return name + ": shape";
  }
  const auto& offsets = json["data_offsets"];
  if (offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    return name + ": data_offsets";
  entry.begin = offsets[0].get<std::uint64_t>();
  entry.end = offsets[1].get<std::uint64_t>();
  if (entry.end < entry.begin || entry.end - entry.begin != bytes) return name + ": data_offsets ≠ dtype × shape";
  return "";
}

}  // namespace

wire::Result<SafetensorsHeader> readSafetensorsHeader(const std::filesystem::path& file) {
  const auto damaged = [&](std::string why) {
    return wire::Error{wire::ExitCode::Usage, {"inspect.damaged", {{"file", file.string()}, {"why", std::move(why)}}}};
  };
  std::ifstream input(file, std::ios::binary);
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  unsigned char prefix[8];
  if (error || !input.read(reinterpret_cast<char*>(prefix), 8)) return damaged("header length");
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | prefix[i];
  if (length > kLargestHeader || length > size - 8) return damaged("header length");
  std::string text(length, '\0');
  if (!input.read(text.data(), static_cast<std::streamsize>(length))) return damaged("header length");
  std::string duplicate;
  const auto json = wire::parseJson(text, &duplicate);
  if (!json || !json->is_object() || !text.starts_with('{')) return damaged(duplicate.empty() ? "JSON" : "JSON: " + duplicate);
  SafetensorsHeader header;
  for (const auto& [name, value] : json->items()) {
    if (name == "__metadata__") {
      header.metadata = value;
      continue;
    }
    TensorEntry entry;
    if (const auto why = read(name, value, entry); !why.empty()) return damaged(why);
    header.tensors.push_back(std::move(entry));
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const auto& a, const auto& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t at = 0;
  for (const auto& tensor : header.tensors) {
    if (tensor.begin != at) return damaged(tensor.name + ": data_offsets overlap or leave a gap");
    at = tensor.end;
  }
  if (at != size - 8 - length) return damaged("data length");
  return header;
}

}  // namespace atelier::worker
