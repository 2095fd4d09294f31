// The texts of all programs, by id and language (en, fr), compiled in from resources/catalog/*.json. Ids are dotted:
// "option.batch.label", "spec.unknown_key". A text names its values as {name}. Immutable after construction; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace atelier::wire {

class Catalog {
 public:
  // The built-in texts of a language; an unknown one gives English.
  static Catalog builtIn(std::string_view language);
  // "fr" when LC_ALL, LC_MESSAGES or LANG (in that order) begins with fr, else "en".
  static std::string systemLanguage();

  const std::string& language() const { return m_language; }
  bool has(const std::string& id) const { return m_texts.contains(id); }
  // The text with its values put in; the id itself when there is no such text.
  std::string text(const std::string& id) const;
  std::string text(const Message& message) const;
  std::vector<std::string> ids() const;

 private:
  std::string m_language;
  std::map<std::string, std::string> m_texts;
};

}  // namespace atelier::wire
