#include "lab_toml.h"

#include <algorithm>

#include "check_toml.h"
#include "core/wire/number.h"
#include "core/wire/option.h"
#include "figures.h"
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
    const CheckKind* kind = nullptr;  // of a check; some judge races or profiles only
    bool names = false;               // the quantity is a list of names
    std::string plan_of{};            // the step that applies the plan of the one referred to
    std::string ladder_of{};          // the step that stands on the ladder of which the one referred to is the foot
  };

  StepShape step(const TomlValue& table) {
    StepShape shape;
    shape.line = table.line;
    TableReader reader(table, m_file, m_mistakes);
    shape.step.id = reader.identifier("id");
    shape.hints = static_cast<int>(reader.integer("hints", 0, kMostHints, 0));
    if (const auto* part = reader.table("prediction")) shape.step.prediction = prediction(*part, shape.step.id);
    if (const auto* part = reader.table("experiment")) shape.step.experiment = experiment(*part, shape.step.id);
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
    mustBeOneOf(reader, "unit", prediction.unit, labKey("prediction", "unit").choices);
    if (prediction.isChoice()) choices(reader, prediction);
    else range(reader, prediction);
    reader.finish(keysOf("prediction"));
    m_references.push_back({prediction.about, prediction.quantity, reader.lineOf(reader.has("about") ? "about" : "quantity"),
                            nullptr, prediction.isChoice()});
    return prediction;
  }

  static void range(TableReader& reader, Prediction& prediction) {
    prediction.min = reader.number("min");
    prediction.max = reader.number("max");
    if (reader.has("min") && reader.has("max") && !(prediction.min < prediction.max))
      reader.mistake("lab.empty_range", reader.lineOf("min"), {});
    if (reader.has("choices")) reader.mistake("lab.only_of_a_choice", reader.lineOf("choices"), {{"key", "choices"}});
  }

  static void choices(TableReader& reader, Prediction& prediction) {
    if (reader.has("choices")) prediction.choices = reader.words("choices", kFewestChoices);
    else reader.mistake("lab.missing_key", reader.lineOf("unit"), {{"key", "choices"}});
    for (const char* key : {"min", "max"})
      if (reader.has(key)) reader.mistake("lab.not_of_a_choice", reader.lineOf(key), {{"key", key}});
    const auto& all = prediction.choices;
    for (auto one = all.begin(); one != all.end(); ++one)
      if (std::find(all.begin(), one, *one) != one) reader.mistake("lab.twice", reader.lineOf("choices"), {{"given", *one}});
  }

  Experiment experiment(const TomlValue& table, const std::string& step) {
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
    if (experiment.verb == "run" || experiment.verb == "profile" || experiment.verb == "max-batch")
      for (const char* key : {"b", "knobs_b", "plan", "b_from_plan"})
        if (reader.has(key)) reader.mistake("lab.only_in_a_race", reader.lineOf(key), {{"key", key}});
    plan(reader, experiment, step);
    ladder(reader, experiment, step);
    reader.finish(keysOf("experiment"));
    return experiment;
  }

  void plan(TableReader& reader, Experiment& experiment, const std::string& step) {
    if (reader.has("plan")) experiment.plan = reader.identifier("plan");
    experiment.b_from_plan = static_cast<int>(reader.integer("b_from_plan", 0, kMostFixes, 0));
    if (reader.has("b_from_plan") && !reader.has("plan"))
      reader.mistake("lab.missing_key", reader.lineOf("b_from_plan"), {{"key", "plan"}});
    if (reader.has("plan") && reader.has("b")) reader.mistake("lab.plan_and_b", reader.lineOf("b"), {});
    if (!experiment.plan.empty())
      m_references.push_back({experiment.plan, {}, reader.lineOf("plan"), nullptr, false, step});
  }

  void ladder(TableReader& reader, Experiment& experiment, const std::string& step) {
    experiment.epoch_samples = static_cast<int>(reader.integer("epoch_samples", 0, kMostEpochSamples, 0));
    if (!reader.has("ladder")) return;
    experiment.ladder = reader.identifier("ladder");
    if (reader.has("plan")) reader.mistake("lab.ladder_and_plan", reader.lineOf("plan"), {});
    if (!experiment.ladder.empty())
      m_references.push_back({experiment.ladder, {}, reader.lineOf("ladder"), nullptr, false, {}, step});
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
    spec.on = reader.has("on") ? reader.identifier("on") : step.id;
    const auto* kind = readKind(reader, spec);
    if (!kind) return spec;
    if (kind->of_prediction) completeFromPrediction(reader, step, *kind, spec);
    m_references.push_back({spec.on, spec.parameters.value("quantity", ""), reader.lineOf("kind"), kind});
    for (const auto& parameter : kind->parameters)
      if (parameter.type == Parameter::Type::Step && reader.has(parameter.name))
        m_references.push_back({spec.parameters.value(parameter.name, ""), {}, reader.lineOf(parameter.name), kind});
    return spec;
  }

  // The learner's number is judged against the figure that it was about, unless the check names another; a choice against the
  // list of names that it was about.
  static void completeFromPrediction(TableReader& reader, const Step& step, const CheckKind& kind, CheckSpec& spec) {
    if (!step.prediction) return reader.mistake("lab.no_prediction", reader.lineOf("kind"), {{"step", step.id}});
    if (step.prediction->isChoice() != kind.of_choice)
      reader.mistake(kind.of_choice ? "lab.no_choice" : "lab.no_number", reader.lineOf("kind"), {{"step", step.id}});
    if (!reader.has("on")) spec.on = step.prediction->about;
    if (!kind.of_choice && !spec.parameters.contains("quantity")) spec.parameters["quantity"] = step.prediction->quantity;
  }

  void resolve(const LabShape& shape) {
    std::vector<std::string> ids;
    for (const auto& candidate : shape.steps) ids.push_back(candidate.step.id);
    for (const auto& reference : m_references) {
      if (reference.step.empty()) continue;
      const auto found = std::find(ids.begin(), ids.end(), reference.step);
      const auto index = static_cast<std::size_t>(found - ids.begin());
      const auto* mistake = found == ids.end() ? "lab.unknown_step" : mistakeOf(reference, shape.steps[index]);
      // Plans come before the steps that apply them.
      if (!mistake && !reference.plan_of.empty() && std::find(ids.begin(), found, reference.plan_of) != found)
        mistake = "lab.plan_later";
      if (!mistake && !reference.ladder_of.empty() && std::find(ids.begin(), found, reference.ladder_of) != found)
        mistake = "lab.ladder_later";
      if (!mistake || m_mistakes.size() >= kMostMistakes) continue;
      m_mistakes.push_back(fileMessage(mistake, m_file, reference.line,
                                       {{"step", reference.step},
                                        {"nearest", wire::nearestName(reference.step, ids)},
                                        {"quantity", reference.quantity},
                                        {"kind", reference.kind ? reference.kind->id : std::string()}}));
    }
  }

  // What is wrong with a reference to a step that is there; null: nothing.
  static const char* mistakeOf(const Reference& reference, const StepShape& to) {
    const auto& experiment = to.step.experiment;
    if (!experiment) return "lab.no_experiment";
    const auto& verb = experiment->verb;
    // What a verb that is none would leave is not known.
    if (!contains(labKey("experiment", "verb").choices, verb)) return nullptr;
    if (!reference.plan_of.empty() && verb != "profile") return "lab.plan_of_no_profile";
    if (!reference.ladder_of.empty() && (experiment->climbs() || (verb != "run" && verb != "profile")))
      return "lab.ladder_without_foot";
    if (reference.kind && reference.kind->of_race && verb != "race") return "lab.check_needs_race";
    if (reference.kind && reference.kind->of_profile && verb != "profile") return "lab.check_needs_profile";
    if (reference.kind && reference.kind->of_batch && verb != "max-batch") return "lab.check_needs_max_batch";
    if (reference.quantity.empty()) return nullptr;
    if (reference.names) return isKnownList(verb, reference.quantity) ? nullptr : "lab.unknown_list";
    return isKnownQuantity(verb, reference.quantity) ? nullptr : "lab.unknown_quantity";
  }

  std::string m_file;
  Mistakes& m_mistakes;
  std::vector<Reference> m_references;
};

}  // namespace

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
