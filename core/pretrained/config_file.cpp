#include "config_file.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/wire/number.h"
#include "plain_text.h"

namespace atelier::pretrained {
namespace {

constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20;  // bytes

std::string bounds(const std::string& min, const std::string& max) {
  return std::string(" ∉ [").append(min).append(", ").append(max).append("]");
}

}  // namespace

wire::Error configError(const std::filesystem::path& file, const std::string& key, const std::string& why) {
  return {wire::ExitCode::Usage, {"hf.config", {{"file", file.string()}, {"key", printable(key)}, {"why", printable(why)}}}};
}

wire::Result<ConfigFile> ConfigFile::open(const std::filesystem::path& file) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(file, error);  // a pipe put there must not hang the reader
  const auto size = regular ? std::filesystem::file_size(file, error) : 0;
  if (error) return configError(file, "JSON", error.message());
  if (!regular || size > kLargest) return configError(file, "JSON", std::to_string(size).append(" B"));
  std::string text(size, '\0');
  std::ifstream input(file, std::ios::binary);
  if (!input.read(text.data(), static_cast<std::streamsize>(size)))
    return configError(file, "JSON", std::generic_category().message(EIO));
  std::string duplicate;
  auto object = wire::parseJson(text, &duplicate);
  if (!duplicate.empty()) return configError(file, duplicate, "2 ×");
  if (!object || !object->is_object()) return configError(file, "JSON", "{ … }");
  return ConfigFile(file, std::move(*object));
}

const nlohmann::json* ConfigFile::member(const char* key) const {
  if (m_error) return nullptr;
  const auto found = m_object.find(key);
  return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

void ConfigFile::refuse(const std::string& key, const std::string& why) {
  if (!m_error) m_error = configError(m_file, key, why);
}

void ConfigFile::refuseValue(const char* key, const nlohmann::json& value, const std::string& wanted) {
  refuse(key, value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).append(wanted));
}

std::int64_t ConfigFile::integer(const char* key, std::int64_t fallback, std::int64_t min, std::int64_t max) {
  const auto* value = member(key);
  if (!value) return fallback;
  // Above int64 the library would wrap the number around.
  const bool readable = value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX);
  const auto read = readable ? value->get<std::int64_t>() : fallback;
  if (readable && read >= min && read <= max) return read;
  refuseValue(key, *value, bounds(std::to_string(min), std::to_string(max)));
  return fallback;
}

double ConfigFile::number(const char* key, double fallback, double min, double max) {
  const auto* value = member(key);
  if (!value) return fallback;
  const auto read = value->is_number() ? value->get<double>() : fallback;
  if (value->is_number() && read >= min && read <= max) return read;
  refuseValue(key, *value, bounds(wire::numberText(min), wire::numberText(max)));
  return fallback;
}

std::string ConfigFile::text(const char* key, const std::string& fallback) {
  const auto* value = member(key);
  if (!value) return fallback;
  if (value->is_string()) return value->get<std::string>();
  refuseValue(key, *value, " ≠ \"…\"");
  return fallback;
}

bool ConfigFile::flag(const char* key, bool fallback) {
  const auto* value = member(key);
  if (!value) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  refuseValue(key, *value, " ∉ {true, false}");
  return fallback;
}

bool ConfigFile::has(const char* key) const {
  const auto found = m_object.find(key);
  return found != m_object.end() && !found->is_null();
}

}  // namespace atelier::pretrained
