#include "checkpoint_index.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/wire/number.h"

namespace atelier::engine {
namespace {

using nlohmann::json;

constexpr std::size_t kMostDimensions = 64;

// What states are made of. Python has no storage of the last two: it finds their bytes.
constexpr c10::ScalarType kTypes[] = {c10::ScalarType::Float,    c10::ScalarType::Double,        c10::ScalarType::Half,
                                      c10::ScalarType::BFloat16, c10::ScalarType::Long,          c10::ScalarType::Int,
                                      c10::ScalarType::Short,    c10::ScalarType::Char,          c10::ScalarType::Byte,
                                      c10::ScalarType::Bool,     c10::ScalarType::Float8_e4m3fn, c10::ScalarType::Float8_e5m2};

std::optional<c10::ScalarType> typeNamed(const std::string& name) {
  for (const auto type : kTypes)
    if (name == c10::toString(type)) return type;
  return std::nullopt;
}

// As text, because JSON has no infinity and no NaN: a plateau's best loss begins as one.
json valueJson(const StoredValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return {{"integer", *integer}};
  if (const auto* number = std::get_if<double>(&value)) return {{"number", wire::numberText(*number)}};
  if (const auto* text = std::get_if<std::string>(&value)) return {{"text", *text}};
  const auto& place = std::get<StoredTensorPlace>(value);
  if (place.record < 0) return {{"absent", true}};
  return {{"record", place.record}, {"type", c10::toString(place.type)}, {"sizes", place.sizes}, {"strides", place.strides}};
}

const json* member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

bool readInteger(const json& object, const char* key, std::int64_t& value) {
  const auto* found = member(object, key);
  if (!found || !found->is_number_integer()) return false;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return false;
  value = found->get<std::int64_t>();
  return true;
}

bool readCount(const json& object, const char* key, std::int64_t& value) {
  return readInteger(object, key, value) && value >= 0;
}

bool readText(const json& object, const char* key, std::string& value) {
  const auto* found = member(object, key);
  if (!found || !found->is_string()) return false;
  value = found->get<std::string>();
  return true;
}

bool readSizes(const json& object, const char* key, std::vector<std::int64_t>& sizes) {
  const auto* found = member(object, key);
  if (!found || !found->is_array() || found->size() > kMostDimensions) return false;
  for (const auto& size : *found) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return false;
    sizes.push_back(size.get<std::int64_t>());
  }
  return true;
}

std::optional<double> readNumber(const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == wire::nonFiniteName(kInfinity)) return kInfinity;
  if (text == wire::nonFiniteName(-kInfinity)) return -kInfinity;
  if (text == wire::nonFiniteName(std::numeric_limits<double>::quiet_NaN())) return std::numeric_limits<double>::quiet_NaN();
  return wire::parseNumber(text);
}

std::optional<StoredValue> readValue(const json& object, std::size_t records, std::uint64_t fileBytes) {
  if (!object.is_object()) return std::nullopt;
  if (object.contains("absent")) return StoredTensorPlace{};
  if (std::int64_t integer = 0; readInteger(object, "integer", integer)) return integer;
  std::string text;
  if (readText(object, "number", text)) {
    const auto number = readNumber(text);
    return number ? std::optional<StoredValue>(*number) : std::nullopt;
  }
  if (readText(object, "text", text)) return text;
  StoredTensorPlace place;
  if (!readCount(object, "record", place.record) || static_cast<std::uint64_t>(place.record) >= records) return std::nullopt;
  const auto type = readText(object, "type", text) ? typeNamed(text) : std::nullopt;
  if (!type || !readSizes(object, "sizes", place.sizes) || !readSizes(object, "strides", place.strides)) return std::nullopt;
  place.type = *type;
  if (!denseElements(place, fileBytes)) return std::nullopt;
  return place;
}

bool readHead(const json& object, CheckpointHead& head) {
  const auto* spec = member(object, "spec");
  if (!spec || !spec->is_object()) return false;
  head.spec = *spec;
  return readText(object, "run", head.run) && readCount(object, "step", head.step) &&
         readCount(object, "warmup", head.position.warmup) && readCount(object, "measured", head.position.measured);
}

}  // namespace

bool canBeKept(c10::ScalarType type) {
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

std::optional<std::int64_t> denseElements(const StoredTensorPlace& place, std::uint64_t mostBytes) {
  if (place.sizes.size() != place.strides.size()) return std::nullopt;
  const auto most = static_cast<std::int64_t>(std::min<std::uint64_t>(mostBytes, std::numeric_limits<std::int64_t>::max()));
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;  // stride, size
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < place.sizes.size(); ++i) {
    if (place.sizes[i] < 0 || __builtin_mul_overflow(elements, place.sizes[i], &elements)) return std::nullopt;
    if (place.sizes[i] > 1) dimensions.emplace_back(place.strides[i], place.sizes[i]);
  }
  if (elements == 0) return 0;
  if (elements > most / static_cast<std::int64_t>(c10::elementSize(place.type))) return std::nullopt;
  // By rising stride each dimension must begin where the smaller ones end.
  std::sort(dimensions.begin(), dimensions.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : dimensions) {
    if (stride != expected) return std::nullopt;
    expected *= size;
  }
  return elements;
}

std::string encodeIndex(const CheckpointIndex& index) {
  auto values = json::object();
  for (const auto& [name, value] : index.values) values[name] = valueJson(value);
  return json{{"version", kCheckpointVersion},
              {"run", index.head.run},
              {"step", index.head.step},
              {"spec", index.head.spec},
              {"warmup", index.head.position.warmup},
              {"measured", index.head.position.measured},
              {"checksums", index.checksums},
              {"values", values}}
      .dump();
}

std::optional<CheckpointIndex> decodeIndex(std::string_view text, std::uint64_t fileBytes, std::int64_t& version) {
  version = 0;
  const auto object = wire::parseJson(text);
  if (!object || !object->is_object() || !readCount(*object, "version", version) || version != kCheckpointVersion)
    return std::nullopt;
  CheckpointIndex index;
  const auto *checksums = member(*object, "checksums"), *values = member(*object, "values");
  if (!readHead(*object, index.head) || !checksums || !checksums->is_array() || !values || !values->is_object())
    return std::nullopt;
  for (const auto& sum : *checksums) {
    if (!sum.is_number_unsigned() || sum.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    index.checksums.push_back(sum.get<std::uint32_t>());
  }
  for (const auto& [name, value] : values->items()) {
    auto read = readValue(value, index.checksums.size(), fileBytes);
    if (!read) return std::nullopt;
    index.values.emplace(name, std::move(*read));
  }
  return index;
}

}  // namespace atelier::engine
