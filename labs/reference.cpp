#include "reference.h"

#include "check.h"
#include "core/wire/catalog.h"
#include "lab_keys.h"

namespace atelier::lab {
namespace {

// How a table is written in its file, in the order of the reference.
constexpr std::pair<std::string_view, std::string_view> kTables[] = {{"lab", "lab.toml"},
                                                                     {"step", "[[step]]"},
                                                                     {"prediction", "[step.prediction]"},
                                                                     {"experiment", "[step.experiment]"},
                                                                     {"solution", "[step.solution]"},
                                                                     {"check", "[[step.check]]"},
                                                                     {"quiz", "[[step.quiz]]"},
                                                                     {"course", "course.toml"},
                                                                     {"half_day", "[[half_day]]"},
                                                                     {"planned_lab", "[[half_day.lab]]"}};

std::string_view typeName(KeyType type) {
  switch (type) {
    case KeyType::Identifier:
      return "identifier";
    case KeyType::Number:
      return "number";
    case KeyType::Text:
      return "text";
    case KeyType::Integer:
      return "integer";
    case KeyType::Figure:
      return "figure";
    case KeyType::Words:
      return "words";
    case KeyType::Scalars:
      return "scalars";
    case KeyType::Table:
      return "table";
    case KeyType::Tables:
      return "tables";
    case KeyType::Titles:
      break;
  }
  return "titles";
}

std::string_view typeName(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::Number:
      return "figure";
    case Parameter::Type::Percent:
      return "percent";
    case Parameter::Type::Text:
      return "text";
    case Parameter::Type::Boolean:
      return "boolean";
    case Parameter::Type::Words:
      return "word_or_words";
    case Parameter::Type::Step:
      return "identifier";
    case Parameter::Type::Quantity:
      break;
  }
  return "quantity";
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string codes(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + code(word);
  return all;
}

class Writer {
 public:
  explicit Writer(std::string_view language) : m_catalog(wire::Catalog::builtIn(language)) {}

  std::string write() {
    m_all = "# " + text("reference.title") + "\n\n" + text("reference.intro") + "\n";
    for (const auto& [table, heading] : kTables) keys(std::string(table), heading);
    m_all += "\n## " + text("reference.figures.title") + "\n\n" + text("reference.figures.run") + " " +
             codes(exampleFigures("run")) + ".\n\n" + text("reference.figures.race") + " " + codes(exampleFigures("race")) +
             ".\n\n" + text("reference.figures.profile") + " " + codes(exampleFigures("profile")) + ".\n\n" +
             text("reference.figures.batch") + " " + codes(exampleFigures("max-batch")) + ".\n\n" +
             text("reference.figures.names") + " " + codes(exampleLists()) + ".\n";
    m_all += "\n## " + text("reference.checks.title") + "\n\n" + text("reference.checks.intro") + "\n";
    for (const auto& kind : allCheckKinds()) check(kind);
    return std::move(m_all);
  }

 private:
  std::string text(const std::string& id) const { return m_catalog.text(id); }

  std::string withChoices(const std::string& type, const std::vector<std::string>& choices) const {
    return m_catalog.text(wire::Message{"reference.choices", {{"type", type}, {"choices", codes(choices)}}});
  }

  void head(const char* name) {
    m_all += "\n| " + text(name) + " | " + text("reference.column.type") + " | " + text("reference.column.default") + " | " +
             text("reference.column.meaning") + " |\n|---|---|---|---|\n";
  }

  void row(const std::string& name, const std::string& type, bool required, const std::string& fallback,
           const std::string& meaning) {
    const auto standard = required ? text("reference.required") : fallback.empty() ? "—" : code(fallback);
    m_all += "| " + code(name) + " | " + type + " | " + standard + " | " + text(meaning) + " |\n";
  }

  void keys(const std::string& table, std::string_view heading) {
    m_all += "\n## " + code(heading) + "\n\n" + text("reference.table." + table) + "\n";
    head("reference.column.key");
    for (const auto& key : labKeys()) {
      if (key.table != table) continue;
      auto type = text("reference.type." + std::string(typeName(key.type)));
      if (!key.choices.empty()) type = withChoices(type, key.choices);
      if (key.min && key.max) type += ", " + std::to_string(*key.min) + " … " + std::to_string(*key.max);
      row(key.key, type, key.required, key.fallback, "reference.key." + table + "." + key.key);
    }
  }

  void check(const CheckKind& kind) {
    m_all +=
        "\n### " + code(kind.id) + "\n\n**" + text("check." + kind.id + ".name") + ".** " + text("check." + kind.id + ".help");
    if (kind.of_race) m_all += " " + text("reference.checks.race");
    if (kind.of_profile) m_all += " " + text("reference.checks.profile");
    if (kind.of_batch) m_all += " " + text("reference.checks.batch");
    m_all += "\n";
    if (kind.parameters.empty()) return;
    head("reference.column.parameter");
    for (const auto& parameter : kind.parameters) {
      auto type = text("reference.type." + std::string(typeName(parameter.type)));
      if (!parameter.choices.empty()) type = withChoices(type, parameter.choices);
      row(parameter.name, type, parameter.required, parameter.fallback, "check." + kind.id + ".parameter." + parameter.name);
    }
  }

  wire::Catalog m_catalog;
  std::string m_all;
};

}  // namespace

const std::vector<std::string>& exampleFigures(std::string_view verb) {
  static const std::vector<std::string> kRun = {"samples_per_second",
                                                "milliseconds_per_step.p50",
                                                "milliseconds_per_step.p99",
                                                "first_step_milliseconds",
                                                "startup_milliseconds",
                                                "peak_memory_bytes.total",
                                                "peak_memory_bytes.activations",
                                                "rss_bytes",
                                                "cpu_percent",
                                                "loss",
                                                "accuracy",
                                                "stages.forward",
                                                "naive.no_warmup.ratio",
                                                "skipped_steps",
                                                "curve.last",
                                                "gradients.largest",
                                                "gradients.first_over_last",
                                                "formats.gradients.float16.zero",
                                                "scale.overflows",
                                                "rollbacks",
                                                "bfloat16(1 + 2^-9)"};
  static const std::vector<std::string> kRace = {"ratio", "a.samples_per_second", "b.peak_memory_bytes.total", "b.accuracy",
                                                 "b.gradients.update_ratio"};
  static const std::vector<std::string> kProfile = {"shares.data",
                                                    "shares.forward",
                                                    "shares.backward",
                                                    "shares.optimizer",
                                                    "shares.copies",
                                                    "shares.top",
                                                    "memory.growth_per_step",
                                                    "memory.allocations_per_step",
                                                    "relu_zeros",
                                                    "peaks.bf16_over_fp32"};
  static const std::vector<std::string> kBatch = {"batch", "out_of_memory_at", "peak_bytes"};
  return verb == "run" ? kRun : verb == "profile" ? kProfile : verb == "max-batch" ? kBatch : kRace;
}

const std::vector<std::string>& exampleLists() {
  static const std::vector<std::string> kLists = {"operators", "modules", "diagnosis", "dead_relus", "origin.module",
                                                  "origin.operator"};
  return kLists;
}

std::string reference(std::string_view language) {
  return Writer(language).write();
}

}  // namespace atelier::lab
