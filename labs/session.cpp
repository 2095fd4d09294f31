#include "session.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "check_support.h"
#include "core/wire/format.h"

namespace atelier::lab {
namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isIndex(double value, std::size_t count) {
  return value >= 0 && value < static_cast<double>(count) && value == std::floor(value);
}

// The figure that a step is about: its prediction's, else what its experiment is run for.
std::string quantityOf(const Step& step) {
  if (step.prediction) return step.prediction->quantity;
  if (step.experiment && step.experiment->verb == "max-batch") return "batch";
  return step.experiment && step.experiment->verb == "race" ? "ratio" : "samples_per_second";
}

// A number that means itself: as many digits as a float32 has.
constexpr int kDigitsOfNumber = 8;

std::string shown(double value, const std::string& unit, const wire::Format& format) {
  if (unit == "ratio") return format.ratio(value);
  if (unit == "percent") return format.percent(value);
  if (unit == "bytes" && std::isfinite(value)) return format.bytes(static_cast<std::int64_t>(value));
  if (unit == "number") return format.compact(value, kDigitsOfNumber);
  return format.number(value);
}

}  // namespace

LabSession::LabSession(Lab lab) : m_lab(std::move(lab)) {}

bool LabSession::goTo(int index) {
  if (index < 0 || index >= static_cast<int>(m_lab.steps.size())) return false;
  m_index = index;
  return true;
}

void LabSession::translate(Lab lab) {
  m_lab = std::move(lab);
}

StepProgress* LabSession::at(const std::string& step) {
  return m_lab.find(step) ? &m_progress[step] : nullptr;
}

const StepProgress& LabSession::progress(const std::string& step) const {
  static const StepProgress kNone;
  const auto found = m_progress.find(step);
  return found == m_progress.end() ? kNone : found->second;
}

bool LabSession::isMeasured(const Prediction& prediction) const {
  const auto& outcome = progress(prediction.about).outcome;
  if (!outcome) return false;
  if (prediction.isChoice()) return !namesAt(outcome->result, prediction.quantity).empty();
  return figureAt(outcome->result, prediction.quantity).has_value();
}

bool LabSession::mayPredict(const std::string& step) const {
  const auto* found = m_lab.find(step);
  return found && found->prediction && !isMeasured(*found->prediction);
}

void LabSession::predict(const std::string& step, std::optional<double> value) {
  if (!mayPredict(step) || (value && !std::isfinite(*value))) return;
  const auto& prediction = *m_lab.find(step)->prediction;
  if (value && prediction.isChoice() && !isIndex(*value, prediction.choices.size())) return;
  at(step)->prediction = value;
}

std::string LabSession::chosen(const std::string& step) const {
  const auto* found = m_lab.find(step);
  const auto& index = progress(step).prediction;
  if (!found || !found->prediction || !found->prediction->isChoice() || !index) return {};
  const auto& choices = found->prediction->choices;
  return isIndex(*index, choices.size()) ? choices[static_cast<std::size_t>(*index)] : std::string();
}

std::vector<std::string> LabSession::measuredNames(const std::string& step) const {
  const auto* with = m_lab.find(step);
  if (!with || !with->prediction || !with->prediction->isChoice()) return {};
  const auto& outcome = progress(with->prediction->about).outcome;
  return outcome && !hasFailed(outcome->result) ? namesAt(outcome->result, with->prediction->quantity)
                                                : std::vector<std::string>();
}

void LabSession::setKnob(const std::string& step, const std::string& key, nlohmann::json value, bool variantB) {
  const auto* found = m_lab.find(step);
  if (!found || !found->experiment) return;
  if (!contains(variantB ? found->experiment->knobs_b : found->experiment->knobs, key)) return;
  auto& knobs = variantB ? at(step)->knobs_b : at(step)->knobs;
  if (value.is_null()) knobs.erase(key);
  else knobs[key] = std::move(value);
}

std::optional<std::string> LabSession::nextHint(const std::string& step) {
  const auto* found = m_lab.find(step);
  if (!found) return std::nullopt;
  auto& shownHints = at(step)->hints_shown;
  if (shownHints >= static_cast<int>(found->hints.size())) return std::nullopt;
  return found->hints[static_cast<std::size_t>(shownHints++)];
}

void LabSession::showSolution(const std::string& step) {
  const auto* found = m_lab.find(step);
  if (!found) return;
  at(step)->solution_shown = true;
  if (!found->experiment) return;
  for (const auto& [key, value] : found->solution_knobs.items())
    setKnob(step, key, value, contains(found->experiment->knobs_b, key));
}

void LabSession::answer(const std::string& step, const std::string& question, int choice) {
  const auto* found = m_lab.find(step);
  if (!found) return;
  for (const auto& candidate : found->quiz)
    if (candidate.id == question && choice >= 0 && choice < static_cast<int>(candidate.choices.size()))
      at(step)->quiz[question] = choice;
}

void LabSession::reset() {
  m_progress.clear();
  m_index = 0;
}

std::string LabSession::figure(std::string_view kind, const std::string& step, const std::string& language) const {
  const wire::Format format(language);
  const auto* found = m_lab.find(step);
  const std::string none = "—";
  if (!found) return none;
  const auto quantity = quantityOf(*found);
  const auto unit = found->prediction ? found->prediction->unit : quantity;
  if (unit == "name") {
    const auto names = kind == "prediction" ? std::vector<std::string>{chosen(step)} : measuredNames(step);
    return names.empty() || names.front().empty() ? none : names.front();
  }
  if (kind == "prediction") {
    const auto& predicted = progress(step).prediction;
    return predicted ? shown(*predicted, unit, format) : none;
  }
  const auto& outcome = progress(found->prediction ? found->prediction->about : step).outcome;
  const auto measured = outcome ? figureAt(outcome->result, quantity) : std::nullopt;
  if (!measured) return none;
  auto text = shown(measured->median, unit, format);
  if (measured->count > 1 && (unit == "ratio" || unit == "samples_per_second")) text += " " + format.interval(*measured);
  return text;
}

std::string LabSession::body(const Step& step, const std::string& language) const {
  std::string result;
  const std::string_view text = step.body;
  // A placeholder is short: a text full of braces must not be searched to its end for each of them.
  constexpr std::size_t kLongest = 100;
  std::set<std::string> tables;  // each is put in once
  for (std::size_t i = 0; i < text.size();) {
    const auto rest = text[i] == '{' ? text.substr(i, kLongest) : std::string_view();
    const auto length = rest.find('}'), dot = rest.find('.');
    if (length != std::string_view::npos && dot < length) {
      const std::string kind(rest.substr(1, dot - 1)), name(rest.substr(dot + 1, length - dot - 1));
      const bool table = (kind == "plan" || kind == "ladder") && m_lab.find(name) && tables.insert(kind + name).second;
      if (table || ((kind == "prediction" || kind == "measured") && m_lab.find(name))) {
        result += !table             ? figure(kind, name, language)
                  : kind == "ladder" ? ladderTable(name, language)
                                     : planTable(name, language);
        i += length + 1;
        continue;
      }
    }
    result += text[i++];
  }
  return result;
}

std::vector<CheckResult> LabSession::checks(const std::string& step) const {
  std::vector<CheckResult> results;
  const auto* found = m_lab.find(step);
  if (!found) return results;
  const auto& own = progress(step);
  for (const auto& spec : found->checks) {
    const auto* kind = findCheckKind(spec.kind);
    if (!kind) continue;
    const auto& outcome = progress(spec.on).outcome;
    const auto& other = progress(textParameter(spec, "than")).outcome;
    auto result = kind->run({spec, outcome ? &*outcome : nullptr, own.prediction, chosen(step), measuredNames(step),
                             fixes(spec.on), other ? &*other : nullptr, ladder(spec.on)});
    result.step = step;
    result.solution_shown = own.solution_shown || progress(spec.on).solution_shown;
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<CheckResult> LabSession::allChecks() const {
  std::vector<CheckResult> all;
  for (const auto& step : m_lab.steps)
    for (auto& result : checks(step.id)) all.push_back(std::move(result));
  return all;
}

std::vector<LabSession::Comparison> LabSession::predictions() const {
  std::vector<Comparison> all;
  for (const auto& step : m_lab.steps) {
    if (!step.prediction) continue;
    const auto& outcome = progress(step.prediction->about).outcome;
    const bool choice = step.prediction->isChoice();
    all.push_back({step.id, step.prediction->quantity, step.prediction->unit, progress(step.id).prediction,
                   outcome && !choice ? figureAt(outcome->result, step.prediction->quantity) : std::nullopt, chosen(step.id)});
    if (const auto names = measuredNames(step.id); !names.empty()) all.back().found = names.front();
  }
  return all;
}

bool LabSession::done(const std::string& step) const {
  const auto* found = m_lab.find(step);
  if (!found) return false;
  const auto& made = progress(step);
  if (made.quiz.size() < found->quiz.size()) return false;
  if (found->experiment && !applicable(step)) return true;
  if (!found->experiment) return !found->prediction || made.prediction || progress(found->prediction->about).outcome;
  return made.outcome && !hasFailed(made.outcome->result);
}

bool LabSession::finished() const {
  return std::all_of(m_lab.steps.begin(), m_lab.steps.end(), [&](const Step& step) { return done(step.id); });
}

}  // namespace atelier::lab
