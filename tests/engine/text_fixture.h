// What tests of text data share: a folder that is removed afterwards, a small vocabulary in it, and rated sentences.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/engine/data/dataset.h"
#include "core/engine/models/model.h"
#include "core/engine/session/plan.h"
#include "core/pretrained/tokenizer.h"

namespace atelier::engine::fixture {

class TextFolder {
 public:
  TextFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "atelier-text-XXXXXX").string();
    m_path = ::mkdtemp(pattern.data());
  }
  ~TextFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }
  TextFolder(const TextFolder&) = delete;
  TextFolder& operator=(const TextFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(m_path / name, std::ios::binary | std::ios::trunc) << content;
    return m_path / name;
  }

  // [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then a 5, b 6, c 7, d 8.
  std::shared_ptr<const pretrained::Tokenizer> tokenizer() const {
    write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\n");
    const auto opened = pretrained::openTokenizer(m_path);
    if (!opened.ok()) throw std::runtime_error(opened.error().messages.front().id);
    return *opened;
  }

 private:
  std::filesystem::path m_path;
};

// An environment variable for a while; as it was, afterwards.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value)
      : m_name(name), m_set(std::getenv(name) != nullptr), m_before(m_set ? std::getenv(name) : "") {
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() {
    if (m_set) ::setenv(m_name, m_before.c_str(), 1);
    else ::unsetenv(m_name);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* m_name;
  bool m_set;
  std::string m_before;
};

inline wire::RunSpec specOf(const nlohmann::json& keys) {
  const auto parsed = wire::RunSpec::parse(*engineSchema(), keys);
  if (!parsed.ok()) throw std::runtime_error(keys.dump() + ": " + parsed.error().messages.front().id);
  return *parsed;
}

inline const DataUnit& dataUnit(const std::string& id) {
  for (const auto& unit : allData())
    if (unit.id == id) return unit;
  throw std::runtime_error(id);
}

inline std::shared_ptr<Module> buildModel(const std::string& id, const InputShape& shape) {
  const auto spec = specOf(nlohmann::json::object());
  const auto* unit = findModelUnit(id);
  if (!unit) throw std::runtime_error(id);
  auto model = unit->build({shape, spec, nullptr});
  model->bind();
  return model;
}

inline InputShape tokens(std::int64_t vocabulary, std::int64_t length, std::int64_t pad = 0) {
  InputShape shape;
  shape.kind = InputKind::Tokens;
  shape.classes = 2;
  shape.vocabulary = vocabulary;
  shape.length = length;
  shape.pad = pad;
  return shape;
}

// The tokenizer of the model that the set-up installs; null, with the reason in `why`, where it isn't there.
inline std::shared_ptr<const pretrained::Tokenizer> installedTokenizer(std::string& why) {
  const auto folder = std::filesystem::path(ATELIER_MODELS_DIR) / "minilm";
  if (!std::filesystem::exists(folder)) {
    why = folder.string() + " is not installed";
    return nullptr;
  }
  const auto opened = pretrained::openTokenizer(folder);
  if (!opened.ok()) why = opened.error().messages.front().id;
  return opened.ok() ? *opened : nullptr;
}

inline bool sentencesInstalled() {
  return std::filesystem::exists(std::filesystem::path(ATELIER_SENTENCES_DIR) / "tweets_GroundTruth.txt");
}

}  // namespace atelier::engine::fixture
