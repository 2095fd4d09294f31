#include "run_compare.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "words.h"

namespace atelier::app {

namespace {

using wire::RunSummary;

constexpr auto kAbsent = "—";
constexpr double kMebi = 1024.0 * 1024.0;

// A row of figures as `atelier-engine compare` prints it; `value` is what a ratio is taken of.
struct Figure {
  const char *label, *unit;
  std::optional<double> (*value)(const RunSummary& run);
  std::string (*cell)(const Words& words, const RunSummary& run);
};

std::string number(const Words& words, std::optional<double> value) {
  return value ? words.format().number(*value) : kAbsent;
}

template <auto Member>
std::optional<double> measured(const RunSummary& run) {
  return run.*Member;
}

template <auto Member>
std::string shown(const Words& words, const RunSummary& run) {
  return number(words, run.*Member);
}

template <auto Member>
std::optional<double> bytes(const RunSummary& run) {
  const auto value = run.peak_memory_bytes.*Member;
  return value > 0 ? std::optional(static_cast<double>(value)) : std::nullopt;
}

template <auto Member>
std::string mebibytes(const Words& words, const RunSummary& run) {
  return words.format().number(static_cast<double>(run.peak_memory_bytes.*Member) / kMebi);
}

template <auto Member>
std::optional<double> stage(const RunSummary& run) {
  if (run.stages.wall <= 0) return std::nullopt;
  return 100 * static_cast<double>(run.stages.*Member) / static_cast<double>(run.stages.wall);
}

template <auto Member>
std::string percent(const Words& words, const RunSummary& run) {
  const auto share = stage<Member>(run);
  return share ? words.format().fixed(*share, 1) : kAbsent;
}

std::optional<double> none(const RunSummary&) {
  return std::nullopt;
}

std::optional<double> rate(const RunSummary& run) {
  return run.samples_per_second ? std::optional(run.samples_per_second->median) : std::nullopt;
}

std::string rateText(const Words& words, const RunSummary& run) {
  if (!run.samples_per_second) return kAbsent;
  return words.format().number(run.samples_per_second->median, 4) + " " + words.format().interval(*run.samples_per_second, 4);
}

std::optional<double> rss(const RunSummary& run) {
  return run.rss_bytes > 0 ? std::optional(static_cast<double>(run.rss_bytes)) : std::nullopt;
}

const std::vector<Figure>& allFigures() {
  using Memory = wire::MemoryBytes;
  using Stages = wire::StageTimes;
  static const std::vector<Figure> all{
      {"status", "", none, [](const Words& w, const RunSummary& r) { return w.catalog().text("status." + r.status); }},
      {"samples_per_second", "unit.samples_per_second", rate, rateText},
      {"step_p50", "ms", measured<&RunSummary::step_p50>, shown<&RunSummary::step_p50>},
      {"step_p99", "ms", measured<&RunSummary::step_p99>, shown<&RunSummary::step_p99>},
      {"first_step", "ms", measured<&RunSummary::first_step_milliseconds>, shown<&RunSummary::first_step_milliseconds>},
      {"steps", "", none, [](const Words& w, const RunSummary& r) { return w.format().integer(r.steps); }},
      {"peak", "MiB", bytes<&Memory::total>, mebibytes<&Memory::total>},
      {"weights", "MiB", bytes<&Memory::weights>, mebibytes<&Memory::weights>},
      {"gradients", "MiB", bytes<&Memory::gradients>, mebibytes<&Memory::gradients>},
      {"optimizer", "MiB", bytes<&Memory::optimizer>, mebibytes<&Memory::optimizer>},
      {"activations", "MiB", bytes<&Memory::activations>, mebibytes<&Memory::activations>},
      {"rss", "MiB", rss,
       [](const Words& w, const RunSummary& r) { return w.format().number(static_cast<double>(r.rss_bytes) / kMebi); }},
      {"cpu", "%", measured<&RunSummary::cpu_percent>, shown<&RunSummary::cpu_percent>},
      {"stage_data", "%", none, percent<&Stages::data>},
      {"stage_forward", "%", none, percent<&Stages::forward>},
      {"stage_backward", "%", none, percent<&Stages::backward>},
      {"stage_optimizer", "%", none, percent<&Stages::optimizer>},
      {"stage_other", "%", none, percent<&Stages::other>},
      {"loss", "", measured<&RunSummary::loss>,
       [](const Words& w, const RunSummary& r) {
         return r.loss && std::isnan(*r.loss) ? std::string("NaN") : number(w, r.loss);
       }},
      {"accuracy", "", measured<&RunSummary::accuracy>,
       [](const Words& w, const RunSummary& r) { return r.accuracy ? w.format().percent(*r.accuracy) : kAbsent; }},
      {"seed", "", none, [](const Words&, const RunSummary& r) { return std::to_string(r.seed); }}};
  return all;
}

QString titleOf(const Words& words, const Figure& figure) {
  const std::string unit = figure.unit;
  const auto named = unit.starts_with("unit.") ? words.catalog().text(unit) : unit;
  return QString::fromStdString(words.catalog().text(std::string("figure.") + figure.label) +
                                (named.empty() ? "" : " (" + named + ")"));
}

QString textOf(const nlohmann::json& value) {
  if (value.is_null()) return QString::fromUtf8(kAbsent);
  return QString::fromStdString(value.is_string() ? value.get<std::string>()
                                                  : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Who belongs to what is no property of the machine.
bool aboutTheMachine(const std::string& key) {
  static const std::set<std::string> kOthers{"race", "sweep", "sweep_point"};
  return !kOthers.contains(key);
}

}  // namespace

QStringList RunCompare::head(const std::vector<RunPtr>& runs) const {
  QStringList head{m_words.text("figure.run")};
  for (const auto& run : runs) head << m_texts.name(*run);
  return head;
}

std::vector<TextTable::Row> RunCompare::figures(const std::vector<RunPtr>& runs) const {
  Rows rows;
  for (const auto& figure : allFigures()) {
    TextTable::Row row{{titleOf(m_words, figure)}, TextTable::RowKind::Figures};
    for (const auto& run : runs) row.cells << QString::fromStdString(figure.cell(m_words, run->summary));
    rows.push_back(std::move(row));
  }
  return rows;
}

bool RunCompare::interleaved(const std::vector<RunPtr>& runs) {
  return !runs.empty() && !runs.front()->race.empty() &&
         std::all_of(runs.begin(), runs.end(), [&](const RunPtr& run) { return run->race == runs.front()->race; });
}

// Keys that not all objects agree on. An object that is null is not known, and disagrees with none.
void RunCompare::addObjects(Rows& rows, const char* title, const std::vector<nlohmann::json>& objects) const {
  std::set<std::string> keys;
  for (const auto& object : objects)
    if (object.is_object())
      for (const auto& [key, value] : object.items()) keys.insert(key);
  Rows found;
  for (const auto& key : keys) {
    if (!aboutTheMachine(key)) continue;
    TextTable::Row row{{QString::fromStdString(key)}, TextTable::RowKind::Text};
    std::set<std::string> distinct;
    for (const auto& object : objects) {
      const auto value = object.is_object() && object.contains(key) ? object[key] : nlohmann::json();
      if (object.is_object()) distinct.insert(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
      row.cells << textOf(value);
    }
    if (distinct.size() > 1) found.push_back(std::move(row));
  }
  if (found.empty()) return;
  rows.push_back({{m_words.text(title)}, TextTable::RowKind::Heading});
  rows.insert(rows.end(), found.begin(), found.end());
}

void RunCompare::addResults(Rows& rows, const std::vector<RunPtr>& runs) const {
  Rows found;
  for (const auto& figure : allFigures()) {
    TextTable::Row row{{titleOf(m_words, figure)}, TextTable::RowKind::Figures};
    const auto& reference = runs.front()->summary;
    const auto first = figure.cell(m_words, reference);
    const auto base = figure.value(reference);
    bool differs = false;
    for (const auto& run : runs) {
      const auto cell = figure.cell(m_words, run->summary);
      differs = differs || cell != first;
      auto text = QString::fromStdString(cell);
      const auto value = figure.value(run->summary);
      if (run != runs.front() && base && value && *base > 0 && std::isfinite(*value))
        text += QStringLiteral("  ") + QString::fromStdString(m_words.format().ratio(*value / *base));
      row.cells << text;
    }
    // The seed stands among the keys of the spec already.
    if (differs && std::string_view(figure.label) != "seed") found.push_back(std::move(row));
  }
  if (found.empty()) return;
  const auto* title = interleaved(runs) ? "experiments.diff.results" : "experiments.diff.results_apart";
  rows.push_back({{m_words.text(title)}, TextTable::RowKind::Heading});
  rows.insert(rows.end(), found.begin(), found.end());
}

RunDifferences RunCompare::differences(const std::vector<RunPtr>& runs, const std::vector<nlohmann::json>& environments) const {
  RunDifferences result;
  if (runs.size() < 2) {
    result.note = m_words.text("experiments.diff.choose");
    return result;
  }
  std::vector<nlohmann::json> specs;
  for (const auto& run : runs) specs.push_back(run->spec);
  addObjects(result.rows, "experiments.diff.spec", specs);
  addObjects(result.rows, "experiments.diff.environment", environments);
  addResults(result.rows, runs);
  const bool together = interleaved(runs);
  if (result.rows.empty()) result.note = m_words.text("experiments.diff.none");
  else result.note = m_words.text(together ? "experiments.diff.together" : "experiments.diff.apart");
  return result;
}

}  // namespace atelier::app
