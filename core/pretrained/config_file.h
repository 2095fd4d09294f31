// The small JSON files of a model's folder, read with distrust. Internal to the room. A ConfigFile belongs to one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/wire/result.h"

namespace atelier::pretrained {

// hf.config {file, key, why}; what is foreign in it is made fit for a message.
wire::Error configError(const std::filesystem::path& file, const std::string& key, const std::string& why);

// Members are asked for one by one, with their type and bounds. One that is absent or null is its fallback, as the transformers
// library takes it; the first that is wrong is kept as error(), and everything asked for after it is its fallback.
class ConfigFile {
 public:
  // One object in at most 16 MiB. Fails with hf.config.
  static wire::Result<ConfigFile> open(const std::filesystem::path& file);

  std::int64_t integer(const char* key, std::int64_t fallback, std::int64_t min, std::int64_t max);
  double number(const char* key, double fallback, double min, double max);
  std::string text(const char* key, const std::string& fallback);
  bool flag(const char* key, bool fallback);
  bool has(const char* key) const;  // and not null

  // `why` in signs that need no language: "768 mod 7 ≠ 0".
  void refuse(const std::string& key, const std::string& why);
  const std::optional<wire::Error>& error() const { return m_error; }

 private:
  ConfigFile(std::filesystem::path file, nlohmann::json object) : m_file(std::move(file)), m_object(std::move(object)) {}
  const nlohmann::json* member(const char* key) const;  // null: take the fallback
  void refuseValue(const char* key, const nlohmann::json& value, const std::string& wanted);

  std::filesystem::path m_file;
  nlohmann::json m_object;
  std::optional<wire::Error> m_error;
};

}  // namespace atelier::pretrained
