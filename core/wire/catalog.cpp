#include "catalog.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace atelier::wire {

// Generated from resources/catalog by the build: pairs of language and JSON text.
extern const std::vector<std::pair<std::string_view, std::string_view>>& catalogFiles();

Catalog Catalog::builtIn(std::string_view language) {
  Catalog catalog;
  catalog.m_language = language == "fr" ? "fr" : "en";
  for (const auto& [file, content] : catalogFiles()) {
    if (file != catalog.m_language) continue;
    const auto texts = nlohmann::json::parse(content);
    for (const auto& [id, text] : texts.items()) catalog.m_texts[id] = text.get<std::string>();
  }
  return catalog;
}

std::string Catalog::systemLanguage() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value && *value) return std::string_view(value).starts_with("fr") ? "fr" : "en";
  }
  return "en";
}

std::string Catalog::text(const std::string& id) const {
  const auto found = m_texts.find(id);
  return found == m_texts.end() ? id : found->second;
}

std::string Catalog::text(const Message& message) const {
  std::string result;
  const auto pattern = text(message.id);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto close = pattern[i] == '{' ? pattern.find('}', i) : std::string::npos;
    const std::string* value = nullptr;
    if (close != std::string::npos)
      for (const auto& [key, held] : message.args)
        if (pattern.compare(i + 1, close - i - 1, key) == 0) value = &held;
    if (!value) {
      result += pattern[i];
      continue;
    }
    result += *value;
    i = close;
  }
  return result;
}

std::vector<std::string> Catalog::ids() const {
  std::vector<std::string> all;
  for (const auto& [id, text] : m_texts) all.push_back(id);
  return all;
}

}  // namespace atelier::wire
