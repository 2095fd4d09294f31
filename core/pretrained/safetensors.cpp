#include "safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "core/wire/number.h"
#include "plain_text.h"

namespace atelier::pretrained {
namespace {

constexpr std::uint64_t kPrefix = 8;                   // bytes of the header's length
constexpr std::uint64_t kLargestHeader = 100'000'000;  // bytes, as the reference implementation allows
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

// All dtypes of the format; 0: there is no such one.
std::uint64_t bitsOf(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::uint64_t> kBits[] = {
      {"F64", 64},        {"F32", 32},        {"F16", 16},    {"BF16", 16},  {"F8_E4M3", 8}, {"F8_E5M2", 8},
      {"F8_E4M3FNUZ", 8}, {"I64", 64},        {"I32", 32},    {"I16", 16},   {"I8", 8},      {"U64", 64},
      {"U32", 32},        {"F8_E5M2FNUZ", 8}, {"U16", 16},    {"U8", 8},     {"BOOL", 8},    {"C64", 64},
      {"F8_E8M0", 8},     {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}};
  for (const auto& [name, bits] : kBits)
    if (dtype == name) return bits;
  return 0;
}

wire::Error damaged(const std::string& file, const std::string& why, std::string_view tensor = {}) {
  const auto name = printable(tensor);
  return {wire::ExitCode::Usage,
          {"weights.damaged",
           {{"file", file}, {"why", tensor.empty() ? printable(why) : name + ": " + printable(why)}, {"tensor", name}}}};
}

wire::Error missing(const std::filesystem::path& file, int error) {
  return {wire::ExitCode::Usage,
          {"weights.missing", {{"file", file.string()}, {"why", std::generic_category().message(error)}}}};
}

std::string bytesText(std::uint64_t bytes) {
  return std::to_string(bytes).append(" B");
}

// Also of an object that is none.
const nlohmann::json* member(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// The bytes that the shape takes, its sizes left in the tensor; nothing when a size is none or the product is out of range.
std::optional<std::uint64_t> readShape(const nlohmann::json& shape, std::uint64_t bits, StoredTensor& tensor) {
  std::uint64_t elements = 1, span = bits;
  for (const auto& json : shape) {
    if (!json.is_number_unsigned()) return std::nullopt;
    const auto size = json.get<std::uint64_t>();
    // As if no size were zero: whoever computes strides from the sizes must not overflow either.
    if (size > kMost || __builtin_mul_overflow(span, std::max<std::uint64_t>(size, 1), &span) || span > kMost)
      return std::nullopt;
    elements *= size;
    tensor.shape.push_back(static_cast<std::int64_t>(size));
  }
  if (elements * bits % 8 != 0) return std::nullopt;  // formats of 4 and 6 bits
  return elements * bits / 8;
}

// "" when the entry is sound.
std::string readEntry(const nlohmann::json& json, StoredTensor& tensor) {
  const auto *dtype = member(json, "dtype"), *shape = member(json, "shape"), *offsets = member(json, "data_offsets");
  if (!dtype || !dtype->is_string()) return "dtype";
  tensor.dtype = dtype->get<std::string>();
  const auto bits = bitsOf(tensor.dtype);
  if (bits == 0) return std::string("dtype ").append(tensor.dtype);
  if (!shape || !shape->is_array()) return "shape";
  const auto bytes = readShape(*shape, bits, tensor);
  if (!bytes) return std::string("shape ").append(shape->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (!offsets || !offsets->is_array() || offsets->size() != 2 || !(*offsets)[0].is_number_unsigned() ||
      !(*offsets)[1].is_number_unsigned())
    return "data_offsets";
  tensor.begin = (*offsets)[0].get<std::uint64_t>();
  tensor.end = (*offsets)[1].get<std::uint64_t>();
  if (tensor.end < tensor.begin) return "data_offsets";
  if (tensor.end - tensor.begin != *bytes)
    return std::string("data_offsets: ").append(bytesText(tensor.end - tensor.begin)).append(" ≠ ").append(bytesText(*bytes));
  return "";
}

// "" when it is sound.
std::string readMetadata(const nlohmann::json& json, std::map<std::string, std::string>* metadata) {
  if (!json.is_object()) return "__metadata__";
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return std::string("__metadata__: ").append(key);
    if (metadata) (*metadata)[key] = value.get<std::string>();
  }
  return "";
}

// The tensors, by their bytes, must cover the data exactly.
std::optional<wire::Error> checkCover(const std::vector<StoredTensor>& tensors, std::uint64_t dataBytes,
                                      const std::string& file) {
  std::uint64_t at = 0;
  for (const auto& tensor : tensors) {
    if (tensor.begin != at)
      return damaged(file, std::string("data_offsets: ").append(bytesText(tensor.begin)).append(" ≠ ").append(bytesText(at)),
                     tensor.name);
    at = tensor.end;
  }
  if (at != dataBytes)
    return damaged(file, std::string("data: ").append(bytesText(dataBytes)).append(" ≠ ").append(bytesText(at)));
  return std::nullopt;
}

struct Mapping {
  const std::byte* data = nullptr;
  std::uint64_t size = 0;
  int error = 0, descriptor = -1;
};

Mapping mapFile(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe put there must not hang the reader
  if (fd < 0) return {nullptr, 0, errno, -1};
  Mapping mapping;
  struct stat state {};
  if (::fstat(fd, &state) != 0) {
    mapping.error = errno;
  } else if (!S_ISREG(state.st_mode)) {
    mapping.error = S_ISDIR(state.st_mode) ? EISDIR : EINVAL;
  } else if (state.st_size > 0) {
    void* data = ::mmap(nullptr, static_cast<std::size_t>(state.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) mapping.error = errno;
    else mapping = {static_cast<const std::byte*>(data), static_cast<std::uint64_t>(state.st_size), 0, fd};
  }
  if (mapping.descriptor < 0) ::close(fd);
  return mapping;
}

}  // namespace

wire::Result<std::vector<StoredTensor>> readSafetensorsHeader(std::string_view header, std::uint64_t dataBytes,
                                                              const std::string& file,
                                                              std::map<std::string, std::string>* metadata) {
  if (header.size() > kLargestHeader) return damaged(file, std::string("header: ").append(bytesText(header.size())));
  std::string duplicate;
  // The format wants no white space before the object; a JSON parser would take it, and a byte order mark.
  const auto json = header.starts_with('{') ? wire::parseJson(header, &duplicate) : std::nullopt;
  if (!json || !json->is_object())
    return damaged(file, duplicate.empty() ? std::string("JSON") : std::string("JSON: ").append(duplicate));
  std::vector<StoredTensor> tensors;
  for (const auto& [name, value] : json->items()) {
    if (name == "__metadata__") {
      if (const auto why = readMetadata(value, metadata); !why.empty()) return damaged(file, why);
      continue;
    }
    StoredTensor tensor;
    tensor.name = name;
    if (const auto why = readEntry(value, tensor); !why.empty()) return damaged(file, why, name);
    tensors.push_back(std::move(tensor));
  }
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  if (auto error = checkCover(tensors, dataBytes, file)) return std::move(*error);
  return tensors;
}

wire::Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::open(const std::filesystem::path& file) {
  const auto mapping = mapFile(file);
  if (mapping.error != 0) return missing(file, mapping.error);
  const std::shared_ptr<SafetensorsFile> opened(new SafetensorsFile);
  opened->m_data = mapping.data;
  opened->m_size = mapping.size;
  opened->m_descriptor = mapping.descriptor;
  if (mapping.size < kPrefix) return damaged(file.string(), std::string("header: ").append(bytesText(mapping.size)));
  std::uint64_t length = 0;  // little-endian
  for (std::size_t i = kPrefix; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(mapping.data[i]);
  if (length > kLargestHeader || length > mapping.size - kPrefix)
    return damaged(file.string(), std::string("header: ").append(bytesText(length)));
  opened->m_start = kPrefix + length;
  const std::string_view header(reinterpret_cast<const char*>(mapping.data + kPrefix), length);
  auto tensors = readSafetensorsHeader(header, mapping.size - opened->m_start, file.string(), &opened->m_metadata);
  if (!tensors.ok()) return tensors.error();
  opened->m_tensors = std::move(tensors).value();
  for (std::size_t i = 0; i < opened->m_tensors.size(); ++i) opened->m_index[opened->m_tensors[i].name] = i;
  return std::shared_ptr<const SafetensorsFile>(opened);
}

SafetensorsFile::~SafetensorsFile() {
  if (m_data) ::munmap(const_cast<std::byte*>(m_data), m_size);
  if (m_descriptor >= 0) ::close(m_descriptor);
}

std::shared_ptr<std::byte> SafetensorsFile::ownPages() const {
  if (m_descriptor < 0) return nullptr;
  void* data = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, m_descriptor, 0);
  if (data == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(data) + m_start, [data, size = m_size](std::byte*) { ::munmap(data, size); }};
}

const StoredTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = m_index.find(name);
  return found == m_index.end() ? nullptr : &m_tensors[found->second];
}

std::span<const std::byte> SafetensorsFile::bytes(const StoredTensor& tensor) const {
  return {m_data + m_start + tensor.begin, tensor.end - tensor.begin};
}

}  // namespace atelier::pretrained
