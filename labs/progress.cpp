// How a LabSession is kept between two sittings, and how answers reach it without a display.
#include <algorithm>
#include <cmath>

#include "core/registry/registry.h"
#include "core/wire/number.h"
#include "core/wire/option.h"
#include "session.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::uintmax_t kLargestProgress = 64ULL << 20;

fs::path fileOf(const fs::path& home, const Lab& lab) {
  return home / "course" / (lab.id + ".json");
}

json member(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found == object.end() ? json() : *found;
}

int smallInteger(const json& value) {
  constexpr std::int64_t kLargest = 1000;
  return value.is_number_integer() ? static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), 0, kLargest)) : 0;
}

json toJson(const StepProgress& progress) {
  json object{{"knobs", progress.knobs},
              {"knobs_b", progress.knobs_b},
              {"hints_shown", progress.hints_shown},
              {"solution_shown", progress.solution_shown},
              {"quiz", progress.quiz}};
  wire::putNumber(object, "prediction", progress.prediction);
  if (!progress.outcome) return object;
  const auto& outcome = *progress.outcome;
  object["outcome"] = {{"verb", outcome.verb}, {"result", outcome.result}, {"run_ids", outcome.run_ids}};
  if (outcome.applied) object["outcome"]["applied"] = toJson(*outcome.applied);
  return object;
}

std::optional<Outcome> outcomeFromJson(const json& object) {
  const auto verb = member(object, "verb"), result = member(object, "result"), runs = member(object, "run_ids");
  if (!verb.is_string() || !result.is_object()) return std::nullopt;
  Outcome outcome{verb.get<std::string>(), result, {}, fixFromJson(member(object, "applied"))};
  if (runs.is_array())
    for (const auto& run : runs)
      if (run.is_string()) outcome.run_ids.push_back(run.get<std::string>());
  return outcome;
}

json offered(const json& saved, const std::vector<std::string>& knobs) {
  auto kept = json::object();
  for (const auto& knob : knobs)
    if (const auto value = member(saved, knob.c_str()); value.is_primitive() && !value.is_null()) kept[knob] = value;
  return kept;
}

// Takes what fits the step as it is now: labs change between versions, and progress must survive that.
StepProgress stepFromJson(const json& object, const Step& step) {
  StepProgress progress;
  progress.prediction = wire::getNumber(object, "prediction");
  if (step.experiment) {
    progress.knobs = offered(member(object, "knobs"), step.experiment->knobs);
    progress.knobs_b = offered(member(object, "knobs_b"), step.experiment->knobs_b);
  }
  progress.hints_shown = std::min(smallInteger(member(object, "hints_shown")), static_cast<int>(step.hints.size()));
  progress.solution_shown = member(object, "solution_shown") == true;
  progress.outcome = outcomeFromJson(member(object, "outcome"));
  const auto quiz = member(object, "quiz");
  for (const auto& question : step.quiz) {
    const auto chosen = member(quiz, question.id.c_str());
    if (chosen.is_number_integer() && smallInteger(chosen) == chosen &&
        smallInteger(chosen) < static_cast<int>(question.choices.size()))
      progress.quiz[question.id] = smallInteger(chosen);
  }
  return progress;
}

wire::Error setAside(const fs::path& file) {
  auto aside = file;
  aside += ".damaged";
  std::error_code error;
  fs::rename(file, aside, error);
  return {wire::ExitCode::Failed,
          {error ? "lab.progress_unreadable" : "lab.progress_damaged", {{"file", file.string()}, {"aside", aside.string()}}}};
}

wire::Message answerMistake(const char* id, const std::string& step, const std::string& question = {},
                            const std::string& nearest = {}) {
  return {id, {{"step", step}, {"question", question}, {"nearest", nearest}}};
}

}  // namespace

wire::Status LabSession::save(const fs::path& home) const {
  auto steps = json::object();
  for (const auto& [id, progress] : m_progress) steps[id] = toJson(progress);
  const json whole{{"v", kVersion}, {"lab", m_lab.id}, {"index", m_index}, {"steps", std::move(steps)}};
  const auto file = fileOf(home, m_lab);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return wire::Error{wire::ExitCode::Failed, {"lab.progress_not_saved", {{"file", file.string()}}}};
  return registry::writeWhole(file, whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

wire::Status LabSession::load(const fs::path& home) {
  const auto file = fileOf(home, m_lab);
  std::error_code error;
  if (!fs::exists(file, error)) return wire::success();
  const auto content = registry::readWhole(file, kLargestProgress);
  if (!content.ok()) return setAside(file);
  const auto whole = wire::parseJson(*content);
  if (!whole || !member(*whole, "steps").is_object() || member(*whole, "lab") != m_lab.id || member(*whole, "v") != kVersion)
    return setAside(file);
  m_progress.clear();
  for (const auto& step : m_lab.steps)
    if (const auto saved = member((*whole)["steps"], step.id.c_str()); saved.is_object())
      m_progress[step.id] = stepFromJson(saved, step);
  m_index = 0;
  goTo(smallInteger(member(*whole, "index")));
  return wire::success();
}

wire::Status LabSession::takeAnswers(const json& answers) {
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  std::vector<std::string> ids;
  for (const auto& step : m_lab.steps) ids.push_back(step.id);
  if (!answers.is_object()) mistakes.messages.push_back({"lab.answers_not_object", {}});
  for (const auto& [id, value] : answers.items()) {
    if (!answers.is_object()) break;
    const auto* step = m_lab.find(id);
    if (!step) mistakes.messages.push_back(answerMistake("lab.answer_unknown_step", id, {}, wire::nearestName(id, ids)));
    else if (value.is_number()) takePrediction(*step, value.get<double>(), mistakes.messages);
    else if (value.is_string()) takeChoice(*step, value.get<std::string>(), mistakes.messages);
    else if (value.is_object()) takeChoices(*step, value, mistakes.messages);
    else mistakes.messages.push_back(answerMistake("lab.answer_type", id));
  }
  if (!mistakes.messages.empty()) return mistakes;
  return wire::success();
}

void LabSession::takePrediction(const Step& step, double value, std::vector<wire::Message>& mistakes) {
  if (!step.prediction) return mistakes.push_back(answerMistake("lab.answer_no_prediction", step.id));
  if (step.prediction->isChoice()) return takeChoice(step, wire::numberText(value), mistakes);
  if (value >= step.prediction->min && value <= step.prediction->max) return predict(step.id, value);
  mistakes.push_back({"lab.answer_range",
                      {{"step", step.id},
                       {"given", wire::numberText(value)},
                       {"min", wire::numberText(step.prediction->min)},
                       {"max", wire::numberText(step.prediction->max)}}});
}

void LabSession::takeChoice(const Step& step, const std::string& choice, std::vector<wire::Message>& mistakes) {
  if (!step.prediction) return mistakes.push_back(answerMistake("lab.answer_no_prediction", step.id));
  if (!step.prediction->isChoice()) return mistakes.push_back(answerMistake("lab.answer_type", step.id));
  const auto& choices = step.prediction->choices;
  const auto found = std::find(choices.begin(), choices.end(), choice);
  if (found != choices.end()) return predict(step.id, static_cast<double>(found - choices.begin()));
  std::string allowed;
  for (const auto& word : choices) allowed += (allowed.empty() ? "" : ", ") + word;
  mistakes.push_back({"lab.answer_not_offered", {{"step", step.id}, {"given", choice}, {"allowed", allowed}}});
}

void LabSession::takeChoices(const Step& step, const json& choices, std::vector<wire::Message>& mistakes) {
  for (const auto& [question, choice] : choices.items()) {
    const bool isChoice = choice.is_number_integer() && smallInteger(choice) == choice;
    if (isChoice) answer(step.id, question, smallInteger(choice));
    const auto& given = progress(step.id).quiz;
    if (!isChoice || !given.contains(question) || given.at(question) != choice)
      mistakes.push_back(answerMistake("lab.answer_no_choice", step.id, question));
  }
}

}  // namespace atelier::lab
