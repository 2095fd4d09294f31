#include "lab_join.h"

#include <algorithm>

#include "plain_text.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

constexpr std::size_t kLongestPlaceholder = 100;

class Joiner {
 public:
  explicit Joiner(std::string textFile) : m_textFile(std::move(textFile)) {}

  wire::Result<Lab> join(LabShape shape, const LabText& text) {
    auto lab = std::move(shape.lab);
    lab.title = text.title;
    lab.question = text.question;
    for (auto& step : shape.steps) {
      const auto* words = text.find(step.step.id);
      if (words) join(step, *words);
      else mistake(1, "lab.step_without_text", {{"step", step.step.id}});
      lab.steps.push_back(std::move(step.step));
    }
    for (const auto& words : text.steps) {
      if (!lab.find(words.id)) mistake(words.line, "lab.text_without_step", {{"step", plainLine(words.id)}});
      checkPlaceholders(lab, words);
    }
    if (!m_mistakes.empty()) return wire::Error{wire::ExitCode::Usage, std::move(m_mistakes)};
    return lab;
  }

 private:
  void mistake(int line, std::string id, std::vector<std::pair<std::string, std::string>> args) {
    if (m_mistakes.size() >= kMostMistakes) return;
    m_mistakes.push_back(fileMessage(std::move(id), m_textFile, line, std::move(args)));
  }

  void join(StepShape& shape, const StepText& words) {
    auto& step = shape.step;
    step.title = words.title;
    step.body = words.body;
    step.hints = words.hints;
    step.solution = words.solution;
    if (static_cast<int>(words.hints.size()) != shape.hints)
      mistake(words.line, "lab.hints_differ",
              {{"step", step.id}, {"wanted", std::to_string(shape.hints)}, {"given", std::to_string(words.hints.size())}});
    if (shape.solution == words.solution.empty())
      mistake(words.line, shape.solution ? "lab.solution_without_text" : "lab.text_without_solution", {{"step", step.id}});
    for (auto& question : step.quiz) joinQuestion(question, words);
    for (const auto& question : words.quiz)
      if (std::none_of(step.quiz.begin(), step.quiz.end(), [&](const Question& known) { return known.id == question.id; }))
        mistake(question.line, "lab.text_without_question", {{"step", step.id}, {"question", question.id}});
  }

  void joinQuestion(Question& question, const StepText& words) {
    const auto found =
        std::find_if(words.quiz.begin(), words.quiz.end(), [&](const auto& text) { return text.id == question.id; });
    if (found == words.quiz.end())
      return mistake(words.line, "lab.question_without_text", {{"step", words.id}, {"question", question.id}});
    question.text = found->text;
    question.choices = found->choices;
    question.explanation = found->explanation;
    if (question.answer >= static_cast<int>(question.choices.size()))
      mistake(found->line, "lab.answer_out_of_range",
              {{"question", question.id},
               {"given", std::to_string(question.answer)},
               {"choices", std::to_string(question.choices.size())}});
  }

  static bool hasFigure(const Lab& lab, const Step& step, std::string_view kind) {
    if (kind == "{plan.") return step.experiment && step.experiment->verb == "profile";
    if (kind == "{ladder.")
      return std::any_of(lab.steps.begin(), lab.steps.end(),
                         [&](const Step& other) { return other.experiment && other.experiment->ladder == step.id; });
    return step.prediction || (kind == "{measured." && step.experiment);
  }

  // {prediction.STEP} and {measured.STEP} must name steps that have such a figure, {plan.STEP} a profiled one, {ladder.STEP}
  // the foot of a ladder; the learner would see the braces. Line and placeholder are found in one pass: the body may be a
  // megabyte of braces.
  void checkPlaceholders(const Lab& lab, const StepText& words) {
    const std::string_view body = words.body;
    int line = words.body_line;
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (body[at] == '\n') ++line;
      if (body[at] != '{') continue;
      const auto rest = body.substr(at, kLongestPlaceholder);
      const std::string_view kind = rest.starts_with("{prediction.") ? "{prediction."
                                    : rest.starts_with("{measured.") ? "{measured."
                                    : rest.starts_with("{plan.")     ? "{plan."
                                    : rest.starts_with("{ladder.")   ? "{ladder."
                                                                     : "";
      if (kind.empty()) continue;
      const auto close = std::min(rest.find('}'), rest.size() - 1);
      const auto* step = lab.find(std::string(rest.substr(kind.size(), close - std::min(close, kind.size()))));
      if (step && rest[close] == '}' && hasFigure(lab, *step, kind)) continue;
      mistake(line, "lab.unknown_placeholder", {{"given", plainLine(rest.substr(0, close + 1))}});
    }
  }

  std::string m_textFile;
  std::vector<wire::Message> m_mistakes;
};

}  // namespace

wire::Result<Lab> joinLab(LabShape shape, const LabText& text, const std::string& textFile) {
  return Joiner(textFile).join(std::move(shape), text);
}

std::vector<wire::Message> unmatchedSteps(const LabShape& shape, const LabText& text, const std::string& textFile) {
  std::vector<wire::Message> mistakes;
  const auto unnamed = [](const StepShape& step) { return step.step.id.empty(); };
  for (const auto& step : shape.steps)
    if (!unnamed(step) && !text.find(step.step.id))
      mistakes.push_back(fileMessage("lab.step_without_text", textFile, 1, {{"step", step.step.id}}));
  // A step whose id could not be read may be the one that a text belongs to.
  if (std::any_of(shape.steps.begin(), shape.steps.end(), unnamed)) return mistakes;
  for (const auto& words : text.steps)
    if (std::none_of(shape.steps.begin(), shape.steps.end(), [&](const StepShape& step) { return step.step.id == words.id; }))
      mistakes.push_back(fileMessage("lab.text_without_step", textFile, words.line, {{"step", plainLine(words.id)}}));
  return mistakes;
}

}  // namespace atelier::lab
