// Weights from anywhere: any bytes as a safetensors file, and "N|header" for a header in front of N bytes. What is taken is
// covered by its tensors exactly, each of its shape's size; what isn't is refused with its reason.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/pretrained/safetensors.h"
#include "core/wire/number.h"
#include "fuzz.h"

namespace atelier::fuzz {
namespace {

constexpr std::uint64_t kMostData = 1 << 12;  // bytes of a file that is made for a header

std::string fileOf(std::string_view header, std::uint64_t dataBytes) {
  std::string all;
  for (int i = 0; i < 8; ++i) all += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return all.append(header).append(dataBytes, 'x');
}

void requireCovered(const std::vector<pretrained::StoredTensor>& tensors, std::uint64_t dataBytes) {
  std::uint64_t at = 0;
  std::set<std::string> names;
  for (const auto& tensor : tensors) {
    require(tensor.begin == at && tensor.end >= at, "the tensors lie one behind the other");
    at = tensor.end;
    require(names.insert(tensor.name).second, "a name stands once");
    const auto bytes = tensor.end - tensor.begin;
    std::uint64_t elements = 1, strides = 1;
    for (const auto size : tensor.shape) {
      require(size >= 0, "a size is not negative");
      elements *= static_cast<std::uint64_t>(size);
      require(
          !__builtin_mul_overflow(strides, static_cast<std::uint64_t>(size == 0 ? 1 : size), &strides) && strides <= INT64_MAX,
          "no stride overflows");
    }
    require(elements == 0 ? bytes == 0 : bytes / 8 <= elements && 2 * bytes >= elements, "the bytes are of the shape's size");
  }
  require(at == dataBytes, "the tensors cover the data");
}

void checkFile(std::string_view content) {
  static const Playground ground;
  const auto file = ground.beside("model.safetensors");
  writeFile(file, content);
  const auto opened = pretrained::SafetensorsFile::open(file);
  if (!opened) return requireTold(opened.error());
  std::uint64_t data = 0;
  unsigned touched = 0;
  for (const auto& tensor : (*opened)->tensors()) {
    require((*opened)->find(tensor.name) == &tensor, "a tensor is found by its name");
    for (const auto byte : (*opened)->bytes(tensor)) touched += std::to_integer<unsigned>(byte) > 0 ? 1U : 0U;
    data += tensor.end - tensor.begin;
  }
  require(touched <= content.size() && data + 8 <= content.size(), "the bytes are those of the file");
  require((*opened)->fileBytes() == content.size(), "the file is as long as it is");
  requireCovered((*opened)->tensors(), data);
}

void checkHeader(std::uint64_t dataBytes, std::string_view header) {
  std::map<std::string, std::string> metadata;
  const auto read = pretrained::readSafetensorsHeader(header, dataBytes, "model.safetensors", &metadata);
  if (!read) return requireTold(read.error());
  requireCovered(*read, dataBytes);
  if (dataBytes > kMostData) return;
  const auto whole = fileOf(header, dataBytes);
  checkFile(whole);
  checkFile(std::string_view(whole).substr(0, whole.size() - 1));
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string scalar = R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})";
  const std::string several =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I64","shape":[0,3],"data_offsets":[1,1]},)"
      R"("a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},"é\u00e9":{"dtype":"F8_E4M3","shape":[2,3],"data_offsets":[1,7]},)"
      R"("h":{"dtype":"F4","shape":[4],"data_offsets":[7,9]}}  )";
  return {fileOf(scalar, 4),
          "4|" + scalar,
          fileOf(several, 9),
          "9|" + several,
          fileOf("{}", 0),
          "0|{}",
          R"(16|{"a":{"dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,16]}})"};
}

std::vector<std::string> words() {
  return {R"("dtype":"BF16",)",
          R"("shape":[2,0,3],)",
          R"("shape":[4294967296,4294967296],)",
          R"("data_offsets":[0,0])",
          R"("data_offsets":[8,4])",
          R"(,"c":{"dtype":"U8","shape":[1],"data_offsets":[9,10]})",
          R"("__metadata__":{"a":"b"},)",
          R"("F6_E2M3")",
          "18446744073709551615",
          "9223372036854775807",
          "-1",
          "1e3",
          "null",
          "\\u0000",
          "\\ud800",
          "\xef\xbb\xbf",
          "|"};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier::fuzz;
  const auto text = textOf(data, size);
  const auto bar = text.find('|');
  const auto count = bar == std::string_view::npos ? std::nullopt : atelier::wire::parseInteger(text.substr(0, bar));
  if (count && *count >= 0) checkHeader(static_cast<std::uint64_t>(*count), text.substr(bar + 1));
  else checkFile(text);
  return 0;
}
