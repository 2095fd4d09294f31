// RunTexts: what a recorded run is called and what its fields say, in the reader's language: one wording for the list of runs,
// its plots, its tables and its exports. What a column is named by is a field of the registry, or kRun (name or id) and
// kDiffers (the spec's keys that are not at their defaults). Pure but for the schema that it is told. GUI thread.
#pragma once

#include <QString>
#include <QStringList>

#include <string>
#include <unordered_map>
#include <vector>

#include "core/registry/fields.h"
#include "core/wire/option.h"

namespace atelier::app {

class Words;

class RunTexts {
 public:
  static constexpr auto kRun = "run";
  static constexpr auto kDiffers = "differs";

  explicit RunTexts(const Words& words) : m_words(words) {}

  // Until then nothing is known to differ from its default.
  void setSchema(const wire::Schema& schema);
  // Keys that a query may name beside the registry's fields.
  const std::vector<std::string>& keys() const { return m_keys; }

  QString name(const registry::RunRecord& run) const;   // its name, else its id
  QString label(const registry::RunRecord& run) const;  // the same in short, for plots: "cnn 3f9a1c"
  QString status(const std::string& status) const;      // "✓ done"
  static QString tone(const std::string& status);       // good, warn, bad, accent
  QString created(std::int64_t milliseconds) const;     // local time
  QString shortSpec(const nlohmann::json& spec) const;  // "batch=64 · bf16 · channels_last"
  QString specTitle(const nlohmann::json& spec) const;  // "cnn · batch=64"; of one at its defaults, that it is
  // A cell: "—" where the run doesn't have it.
  QString cell(const registry::RunRecord& run, const std::string& column) const;
  // A column's head, with its unit.
  QString title(const std::string& column) const;
  static bool numeric(const std::string& column);
  // What is worth a column: kRun, kDiffers and all fields but those that kRun shows.
  static std::vector<std::string> columns();
  static QStringList defaultColumns();

 private:
  QString figure(double value, const registry::FieldInfo* info) const;

  const Words& m_words;
  std::unordered_map<std::string, wire::Option> m_options;
  std::unordered_map<std::string, nlohmann::json> m_defaults;
  std::vector<std::string> m_keys;
};

}  // namespace atelier::app
