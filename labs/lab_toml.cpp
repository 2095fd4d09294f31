#include "lab_toml.h"

#include <algorithm>

#include "check.h"
#include "core/wire/number.h"
#include "core/wire/option.h"
#include "lab_keys.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

using Need = TableReader::Need;
using Mistakes = std::vector<wire::Message>;

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

void mustBeOneOf(TableReader& reader, const std::string& key, const std::string& given,
                 const std::vector<std::string>& allowed) {
  if (!given.empty() && !contains(allowed, given))
    reader.mistake("lab.not_a_choice", reader.lineOf(key), {{"key", key}, {"given", given}, {"allowed", joined(allowed)}});
}

wire::RunSummary fullSummary() {
  wire::RunSummary summary;
  summary.samples_per_second = wire::Interval{};
  summary.step_p50 = summary.step_p90 = summary.step_p99 = summary.first_step_milliseconds = 0;
  summary.startup_milliseconds = summary.cpu_percent = summary.loss = summary.accuracy = 0;
  for (const auto* kind : {"no_warmup", "first_epoch", "reused_model", "no_synchronisation"})
    summary.naive.push_back({kind, 0.0, 0.0, {}});
  return summary;
}

wire::RaceSummary fullRace() {
  wire::RaceSummary race;
  race.a = race.b = fullSummary();
  race.ratio = wire::Interval{};
  return race;
}

class ShapeReader {
 public:
  ShapeReader(std::string file, Mistakes& mistakes) : m_file(std::move(file)), m_mistakes(mistakes) {}

  LabShape read(const TomlValue& root) {
    LabShape shape;
    TableReader reader(root, m_file, m_mistakes);
    shape.lab.id = reader.identifier("id");
    shape.lab.number = reader.labNumber("number");
    shape.lab.half_day = reader.identifier("half_day");
    shape.lab.minutes = static_cast<int>(reader.integer("minutes", 1, kLongestMinutes, kUsualMinutes));
    if (!reader.has("step")) reader.mistake("lab.missing_key", 1, {{"key", "step"}});
    for (const auto* table : reader.tables("step")) shape.steps.push_back(step(*table));
    reader.finish(keysOf("lab"));
    for (std::size_t i = 0; i < shape.steps.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (!shape.steps[i].step.id.empty() && shape.steps[i].step.id == shape.steps[k].step.id)
          reader.mistake("lab.twice", shape.steps[i].line, {{"given", shape.steps[i].step.id}});
    resolve(shape);
    return shape;
  }

 private:
  // A reference from one step to another's experiment, judged once all steps are known.
  struct Reference {
    std::string step, quantity;
    int line = 0;
    std::string race_check{};  // the kind of check that judges races only
  };

  StepShape step(const TomlValue& table) {
    StepShape shape;
    shape.line = table.line;
    TableReader reader(table, m_file, m_mistakes);
    shape.step.id = reader.identifier("id");
    shape.hints = static_cast<int>(reader.integer("hints", 0, kMostHints, 0));
    if (const auto* part = reader.table("prediction")) shape.step.prediction = prediction(*part, shape.step.id);
    if (const auto* part = reader.table("experiment")) shape.step.experiment = experiment(*part);
    if (const auto* part = reader.table("solution")) {
      shape.solution = true;
      shape.step.solution_knobs = solutionKnobs(*part, shape.step.experiment);
    }
    for (const auto* part : reader.tables("check")) shape.step.checks.push_back(check(*part, shape.step));
    for (const auto* part : reader.tables("quiz")) shape.step.quiz.push_back(question(*part));
    reader.finish(keysOf("step"));
    mustDiffer(reader, shape.step.checks);
    mustDiffer(reader, shape.step.quiz);
    return shape;
  }

  template <class T>
  static void mustDiffer(TableReader& reader, const std::vector<T>& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (!all[i].id.empty() && all[i].id == all[k].id)
          reader.mistake("lab.twice", reader.lineOf("id"), {{"given", all[i].id}});
  }

  Prediction prediction(const TomlValue& table, const std::string& step) {
    Prediction prediction;
    TableReader reader(table, m_file, m_mistakes);
    prediction.about = reader.has("about") ? reader.identifier("about") : step;
    prediction.quantity = reader.text("quantity");
    prediction.unit = reader.text("unit");
    prediction.min = reader.number("min");
    prediction.max = reader.number("max");
    mustBeOneOf(reader, "unit", prediction.unit, labKey("prediction", "unit").choices);
    if (reader.has("min") && reader.has("max") && !(prediction.min < prediction.max))
      reader.mistake("lab.empty_range", reader.lineOf("min"), {});
    reader.finish(keysOf("prediction"));
    m_references.push_back({prediction.about, prediction.quantity, reader.lineOf(reader.has("about") ? "about" : "quantity")});
    return prediction;
  }

  Experiment experiment(const TomlValue& table) {
    Experiment experiment;
    TableReader reader(table, m_file, m_mistakes);
    experiment.verb = reader.text("verb");
    mustBeOneOf(reader, "verb", experiment.verb, labKey("experiment", "verb").choices);
    reader.table("spec", Need::Required);
    experiment.spec = reader.scalars("spec");
    experiment.b = reader.scalars("b");
    experiment.knobs = reader.words("knobs");
    experiment.knobs_b = reader.words("knobs_b");
    experiment.seconds = static_cast<int>(reader.integer("seconds", 1, kLongestSeconds, kUsualSeconds));
    if (experiment.verb == "run")
      for (const char* key : {"b", "knobs_b"})
        if (reader.has(key)) reader.mistake("lab.only_in_a_race", reader.lineOf(key), {{"key", key}});
    reader.finish(keysOf("experiment"));
    return experiment;
  }

  nlohmann::json solutionKnobs(const TomlValue& table, const std::optional<Experiment>& experiment) {
    TableReader reader(table, m_file, m_mistakes);
    auto knobs = reader.scalars("knobs");
    reader.finish(keysOf("solution"));
    for (const auto& [key, value] : knobs.items())
      if (!experiment || !(contains(experiment->knobs, key) || contains(experiment->knobs_b, key)))
        reader.mistake("lab.solution_not_a_knob", reader.lineOf("knobs"), {{"key", key}});
    return knobs;
  }

  Question question(const TomlValue& table) {
    Question question;
    TableReader reader(table, m_file, m_mistakes);
    question.id = reader.identifier("id");
    question.answer = static_cast<int>(reader.integer("answer", 0, kMostChoices - 1, 0, Need::Required));
    reader.finish(keysOf("quiz"));
    return question;
  }

  CheckSpec check(const TomlValue& table, const Step& step) {
    CheckSpec spec;
    TableReader reader(table, m_file, m_mistakes);
    spec.id = reader.identifier("id");
    spec.kind = reader.text("kind");
    spec.on = reader.has("on") ? reader.identifier("on") : step.id;
    if (spec.kind.empty()) return spec;
    const auto* kind = findCheckKind(spec.kind);
    if (!kind) {
      unknownKind(reader, spec.kind);
      return spec;
    }
    auto known = keysOf("check");
    for (const auto& parameter : kind->parameters) {
      readParameter(reader, parameter, spec);
      known.push_back(parameter.name);
    }
    reader.finish(known);
    if (kind->id == "prediction_within") completeFromPrediction(reader, step, spec);
    m_references.push_back(
        {spec.on, spec.parameters.value("quantity", ""), reader.lineOf("kind"), kind->of_race ? kind->id : std::string()});
    return spec;
  }

  static void unknownKind(TableReader& reader, const std::string& given) {
    std::vector<std::string> known;
    for (const auto& kind : allCheckKinds()) known.push_back(kind.id);
    const auto nearest = wire::nearestName(given, known);
    reader.mistake(nearest.empty() ? "lab.unknown_check" : "lab.unknown_check_near", reader.lineOf("kind"),
                   {{"given", given}, {"nearest", nearest}, {"allowed", joined(known)}});
  }

  static void readParameter(TableReader& reader, const Parameter& parameter, CheckSpec& spec) {
    using Type = Parameter::Type;
    const auto& name = parameter.name;
    if (!parameter.required && !reader.has(name)) {
      if (parameter.type == Type::Quantity && !parameter.fallback.empty()) spec.parameters[name] = parameter.fallback;
      return;
    }
    if (parameter.type == Type::Text || parameter.type == Type::Quantity) {
      const auto given = reader.text(name);
      if (!parameter.choices.empty()) mustBeOneOf(reader, name, given, parameter.choices);
      spec.parameters[name] = given;
      return;
    }
    const double given = reader.number(name);
    if (parameter.type == Type::Percent && given < 0)
      reader.mistake("lab.negative", reader.lineOf(name), {{"key", name}, {"given", wire::numberText(given)}});
    spec.parameters[name] = given;
  }

  // The learner's number is judged against the figure that it was about, unless the check names another.
  static void completeFromPrediction(TableReader& reader, const Step& step, CheckSpec& spec) {
    if (!step.prediction) return reader.mistake("lab.no_prediction", reader.lineOf("kind"), {{"step", step.id}});
    if (!reader.has("on")) spec.on = step.prediction->about;
    if (!spec.parameters.contains("quantity")) spec.parameters["quantity"] = step.prediction->quantity;
  }

  void resolve(const LabShape& shape) {
    std::vector<std::string> ids;
    for (const auto& candidate : shape.steps) ids.push_back(candidate.step.id);
    for (const auto& reference : m_references) {
      if (reference.step.empty()) continue;
      const auto found = std::find(ids.begin(), ids.end(), reference.step);
      const auto say = [&](const char* id) {
        if (m_mistakes.size() >= kMostMistakes) return;
        m_mistakes.push_back(fileMessage(id, m_file, reference.line,
                                         {{"step", reference.step},
                                          {"nearest", wire::nearestName(reference.step, ids)},
                                          {"quantity", reference.quantity},
                                          {"kind", reference.race_check}}));
      };
      if (found == ids.end()) {
        say("lab.unknown_step");
        continue;
      }
      const auto& experiment = shape.steps[static_cast<std::size_t>(found - ids.begin())].step.experiment;
      if (!experiment) say("lab.no_experiment");
      else if (!reference.race_check.empty() && experiment->verb == "run") say("lab.check_needs_race");
      else if (!reference.quantity.empty() && !isKnownQuantity(experiment->verb, reference.quantity))
        say("lab.unknown_quantity");
    }
  }

  std::string m_file;
  Mistakes& m_mistakes;
  std::vector<Reference> m_references;
};

}  // namespace

bool isKnownQuantity(std::string_view verb, std::string_view path) {
  static const auto kRun = wire::toJson(fullSummary());
  static const auto kRace = wire::toJson(fullRace());
  return figureAt(verb == "run" ? kRun : kRace, path).has_value();
}

std::optional<LabShape> draftLabShape(std::string_view content, const std::string& file, Mistakes& mistakes) {
  const auto root = parseToml(content, file);
  if (!root.ok()) {
    mistakes.insert(mistakes.end(), root.error().messages.begin(), root.error().messages.end());
    return std::nullopt;
  }
  auto shape = ShapeReader(file, mistakes).read(*root);
  const auto line = [](const wire::Message& message) { return wire::parseInteger(message.args[1].second).value_or(0); };
  std::stable_sort(mistakes.begin(), mistakes.end(), [&](const auto& a, const auto& b) { return line(a) < line(b); });
  return shape;
}

wire::Result<LabShape> parseLabShape(std::string_view content, const std::string& file) {
  Mistakes mistakes;
  auto shape = draftLabShape(content, file, mistakes);
  if (!shape || !mistakes.empty()) return wire::Error{wire::ExitCode::Usage, std::move(mistakes)};
  return std::move(*shape);
}

}  // namespace atelier::lab
