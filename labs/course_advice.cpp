// What works and yet needs a second thought.
#include <algorithm>
#include <set>

#include "course_draft.h"
#include "lab_file.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

constexpr int kLongLab = 90;  // minutes; beyond it a class loses its way
constexpr int kSecondsAMinute = 60;
constexpr int kFilesLookedAt = 1000;  // of recorded/

class Adviser {
 public:
  explicit Adviser(const LabDraft& draft) : m_draft(draft) {}

  std::vector<Problem> advise() {
    languages();
    if (m_draft.shape) {
      times(m_draft.shape->lab.minutes);
      for (const auto& step : m_draft.shape->steps) adviseOn(step);
      sameChoices();
      strayRecordings();
    }
    return std::move(m_problems);
  }

 private:
  using Args = std::vector<std::pair<std::string, std::string>>;

  void say(const char* id, const std::string& file, int line, Args args = {}) {
    if (m_problems.size() < kMostMistakes)
      m_problems.push_back({file, line, fileMessage(id, file, line, std::move(args)), Severity::Warning});
  }
  std::string named(const std::string& name) const { return (m_draft.folder / name).string(); }

  void languages() {
    const auto has = [&](const std::string& name) { return isThere(m_draft.folder / name); };
    for (const std::string language : {"en", "fr"}) {
      const std::string other = language == "en" ? "fr" : "en";
      if (!has(language + ".md")) {
        if (has(other + ".md")) say("course.no_language", named(language + ".md"), 0, {{"other", other + ".md"}});
      } else if (!has("instructor." + language + ".md")) {
        say("course.no_instructor", named("instructor." + language + ".md"), 0);
      }
    }
  }

  void times(int minutes) {
    int seconds = 0;
    for (const auto& step : m_draft.shape->steps) seconds += step.step.experiment ? step.step.experiment->seconds : 0;
    const int line = lineOfMinutes();
    if (minutes > kLongLab)
      say("course.long_lab", m_draft.file, line, {{"minutes", std::to_string(minutes)}, {"limit", std::to_string(kLongLab)}});
    if (seconds * 2 > minutes * kSecondsAMinute)
      say("course.long_runs", m_draft.file, line, {{"minutes", std::to_string(minutes)}, {"seconds", std::to_string(seconds)}});
  }

  int lineOfMinutes() const {
    if (!m_draft.root) return 1;
    const auto found = m_draft.root->members.find("minutes");
    return found == m_draft.root->members.end() ? 1 : found->second.line;
  }

  void adviseOn(const StepShape& shape) {
    const auto& step = shape.step;
    const Args name{{"step", step.id}};
    if (shape.hints > 0 && !step.experiment && !step.prediction && step.quiz.empty())
      say("course.idle_hints", m_draft.file, shape.line, name);
    if (step.experiment && !step.experiment->climbs() && !isRead(step.id)) say("course.unread_experiment", m_draft.file, shape.line, name);
    if (step.prediction && isBefore(step.prediction->about, step.id))
      say("course.late_prediction", m_draft.file, shape.line, {{"step", step.id}, {"about", step.prediction->about}});
  }

  // Whether a check or a prediction of any step is about this step's experiment, or a race applies its plan.
  bool isRead(const std::string& id) const {
    return std::any_of(m_draft.shape->steps.begin(), m_draft.shape->steps.end(), [&](const StepShape& other) {
      const auto& checks = other.step.checks;
      return (other.step.prediction && other.step.prediction->about == id) ||
             (other.step.experiment && (other.step.experiment->plan == id || other.step.experiment->ladder == id)) ||
             std::any_of(checks.begin(), checks.end(), [&](const CheckSpec& check) { return check.on == id; });
    });
  }

  bool isBefore(const std::string& first, const std::string& second) const {
    for (const auto& shape : m_draft.shape->steps) {
      if (shape.step.id == second) return false;
      if (shape.step.id == first) return true;
    }
    return false;
  }

  // A question with other choices in the other language would be another question, with another answer.
  void sameChoices() {
    const auto english = m_draft.texts.find("en"), french = m_draft.texts.find("fr");
    if (english == m_draft.texts.end() || french == m_draft.texts.end()) return;
    for (const auto& step : french->second.steps) {
      const auto* other = english->second.find(step.id);
      if (!other) continue;
      for (const auto& question : step.quiz)
        for (const auto& asked : other->quiz)
          if (asked.id == question.id && asked.choices.size() != question.choices.size())
            say("course.choices_differ", named("fr.md"), question.line,
                {{"question", question.id},
                 {"given", std::to_string(question.choices.size())},
                 {"wanted", std::to_string(asked.choices.size())}});
    }
  }

  void strayRecordings() {
    std::set<std::string> wanted;
    for (const auto& shape : m_draft.shape->steps)
      if (shape.step.experiment) wanted.insert(shape.step.id + ".atelier");
    const auto folder = m_draft.folder / "recorded";
    if (!liesWithin(folder, m_draft.folder)) return;
    std::vector<std::string> stray;
    std::error_code error;
    int looked = 0;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end && looked < kFilesLookedAt;
         entry.increment(error), ++looked)
      if (const auto name = entry->path().filename().string(); !wanted.contains(name) && !name.starts_with('.'))
        stray.push_back(name);
    std::sort(stray.begin(), stray.end());
    for (const auto& name : stray) say("course.stray_recording", named("recorded/" + name), 0);
  }

  const LabDraft& m_draft;
  std::vector<Problem> m_problems;
};

}  // namespace

std::vector<Problem> adviceOn(const LabDraft& draft) {
  return Adviser(draft).advise();
}

}  // namespace atelier::lab
