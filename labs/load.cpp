#include "load.h"

#include <algorithm>

#include "core/wire/run_spec.h"
#include "lab_file.h"
#include "lab_text.h"
#include "lab_toml.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

// Joins structure and texts; what the one has and the other has not is a mistake, told at the line where it can be mended.
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
      if (!lab.find(words.id)) mistake(words.line, "lab.text_without_step", {{"step", words.id}});
      checkPlaceholders(lab, words);
    }
    if (!m_mistakes.empty()) return wire::Error{wire::ExitCode::Usage, std::move(m_mistakes)};
    return lab;
  }

 private:
  void mistake(int line, std::string id, std::vector<std::pair<std::string, std::string>> args) {
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

  // {prediction.STEP} and {measured.STEP} must name steps that have such a figure; the learner would see the braces.
  void checkPlaceholders(const Lab& lab, const StepText& words) {
    for (const std::string kind : {"{prediction.", "{measured."})
      for (auto at = words.body.find(kind); at != std::string::npos; at = words.body.find(kind, at + 1)) {
        const auto close = std::min(words.body.find('}', at), words.body.size());
        const auto name = words.body.substr(at + kind.size(), close - at - kind.size());
        const auto* step = lab.find(name);
        if (step && (step->prediction || (kind == "{measured." && step->experiment))) continue;
        const auto line = words.body_line +
                          static_cast<int>(std::count(words.body.begin(), words.body.begin() + static_cast<long>(at), '\n'));
        mistake(line, "lab.unknown_placeholder", {{"given", words.body.substr(at, close - at + 1)}});
      }
  }

  std::string m_textFile;
  std::vector<wire::Message> m_mistakes;
};

void append(std::vector<wire::Message>& all, const wire::Error& error) {
  all.insert(all.end(), error.messages.begin(), error.messages.end());
}

template <class T>
wire::Result<T> parsedFile(const fs::path& folder, const std::string& name,
                           wire::Result<T> (*parse)(std::string_view, const std::string&)) {
  const auto content = readLabFile(folder, name);
  if (!content.ok()) return content.error();
  return parse(*content, (folder / name).string());
}

wire::Status checkValues(const nlohmann::json& spec, const wire::Schema& schema, const wire::Message& where) {
  const auto parsed = wire::RunSpec::parse(schema, spec);
  if (parsed.ok()) return wire::success();
  wire::Error error{wire::ExitCode::Usage, where};
  append(error.messages, parsed.error());
  return error;
}

}  // namespace

wire::Result<Lab> loadLab(const fs::path& folder, std::string_view language) {
  const std::string suffix = std::string(language) + ".md";
  auto shape = parsedFile(folder, "lab.toml", parseLabShape);
  auto text = parsedFile(folder, suffix, parseLabText);
  auto notes = readLabFile(folder, "instructor." + suffix);
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  if (!shape.ok()) append(mistakes.messages, shape.error());
  if (!text.ok()) append(mistakes.messages, text.error());
  if (!notes.ok()) append(mistakes.messages, notes.error());
  else if (!isUtf8(*notes))
    mistakes.messages.push_back(fileMessage("lab.not_utf8", (folder / ("instructor." + suffix)).string(), 1));
  if (!mistakes.messages.empty()) return mistakes;
  auto lab = Joiner((folder / suffix).string()).join(std::move(shape).value(), *text);
  if (!lab.ok()) return lab;
  lab->instructor = std::move(notes).value();
  lab->folder = folder;
  return lab;
}

wire::Status verifySpecs(const Lab& lab, const wire::Schema& schema) {
  wire::Error mistakes{wire::ExitCode::Usage, std::vector<wire::Message>{}};
  const auto file = (lab.folder / "lab.toml").string();
  for (const auto& step : lab.steps) {
    if (!step.experiment) continue;
    const auto where = fileMessage("lab.bad_spec", file, 0, {{"step", step.id}});
    auto b = step.experiment->spec;
    b.update(step.experiment->b);
    auto solved = b;
    solved.update(step.solution_knobs);
    for (const auto& spec : {step.experiment->spec, b, solved}) {
      const auto status = checkValues(spec, schema, where);
      if (status.ok()) continue;
      append(mistakes.messages, status.error());
      break;
    }
    for (const auto* list : {&step.experiment->knobs, &step.experiment->knobs_b})
      for (const auto& knob : *list)
        if (!schema.find(knob))
          mistakes.messages.push_back(fileMessage("lab.unknown_knob", file, 0,
                                                  {{"step", step.id}, {"key", knob}, {"nearest", schema.nearestKey(knob)}}));
  }
  if (!mistakes.messages.empty()) return mistakes;
  return wire::success();
}

}  // namespace atelier::lab
