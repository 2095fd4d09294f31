#include "course_check.h"

#include <algorithm>
#include <set>

#include "core/wire/number.h"
#include "course_draft.h"
#include "course_walk.h"
#include "load.h"
#include "plain_text.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProblems = 1000;
constexpr std::size_t kLongestPath = 4096;
constexpr int kLongHalfDay = 240;  // minutes

std::string argument(const wire::Message& message, const char* name) {
  for (const auto& [key, value] : message.args)
    if (key == name) return value;
  return {};
}

class CourseChecker {
 public:
  CourseChecker(const fs::path& folder, const wire::Schema* schema) : m_schema(schema) { m_report.folder = folder; }

  CourseReport check() {
    for (const auto& folder : labFolders(m_report.folder)) takeLab(folder);
    takeCourse();
    finish();
    return std::move(m_report);
  }

 private:
  void takeLab(const fs::path& folder) {
    const auto draft = readDraft(folder);
    for (const auto& mistake : draft.mistakes) keepRefusal(mistake);
    if (m_schema)
      for (auto& problem : specProblems(draft, *m_schema)) keep(std::move(problem));
    // A folder without lab.toml is perhaps no lab at all: advice on it would be noise.
    if (draft.shape)
      for (auto& advice : adviceOn(draft)) keep(std::move(advice));
    CheckedLab lab;
    lab.folder = folder;
    lab.recorded = draft.recorded;
    for (const auto& [language, text] : draft.texts) {
      lab.languages.push_back(language);
      if (lab.title.empty()) lab.title = text.title;
    }
    if (draft.shape) describe(lab, *draft.shape);
    m_report.labs.push_back(std::move(lab));
  }

  static void describe(CheckedLab& lab, const LabShape& shape) {
    lab.id = shape.lab.id;
    lab.number = shape.lab.number;
    lab.minutes = shape.lab.minutes;
    lab.steps = static_cast<int>(shape.steps.size());
    for (const auto& step : shape.steps) {
      lab.checks += static_cast<int>(step.step.checks.size());
      if (!step.step.experiment) continue;
      ++lab.experiments;
      lab.seconds += step.step.experiment->seconds;
    }
  }

  // What only shows when the labs stand together: places, numbers, course.toml; in the order in which learners meet it.
  void takeCourse() {
    for (const char* language : {"en", "fr"}) {
      const auto course = loadCourse(m_report.folder, language);
      for (const auto& error : course.refused)
        for (const auto& message : error.messages) keepRefusal(message);
      for (const auto& day : course.half_days) adviseOn(day);
    }
  }

  void adviseOn(const HalfDay& day) {
    int minutes = 0;
    for (const auto& lab : day.labs) minutes += lab.minutes;
    if (minutes <= kLongHalfDay) return;
    const auto file = (m_report.folder / "course.toml").string();
    auto advice =
        fileMessage("course.long_half_day", file, 0,
                    {{"half_day", day.id}, {"minutes", std::to_string(minutes)}, {"limit", std::to_string(kLongHalfDay)}});
    keep(Problem{file, 0, std::move(advice), Severity::Warning});
  }

  void keepRefusal(const wire::Message& mistake) {
    const auto line = wire::parseInteger(argument(mistake, "line")).value_or(0);
    keep(Problem{argument(mistake, "file"), static_cast<int>(line), mistake, Severity::Error});
  }

  // The same mistake is met by both languages and by both readers, and counts once.
  void keep(Problem problem) {
    std::string key = problem.file + "\n" + std::to_string(problem.line) + "\n" + problem.reason.id;
    for (const auto& [name, value] : problem.reason.args) key += "\n" + value;
    if (!m_seen.insert(std::move(key)).second) return;
    ++(problem.severity == Severity::Error ? m_report.errors : m_report.warnings);
    if (m_report.problems.size() < kMostProblems) m_report.problems.push_back(std::move(problem));
    else ++m_report.left_out;
  }

  void finish() {
    std::stable_sort(m_report.problems.begin(), m_report.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.file != b.file ? a.file < b.file : a.line < b.line; });
    for (auto& lab : m_report.labs) {
      const auto prefix = (lab.folder / "").string();
      for (const auto& problem : m_report.problems)
        if (problem.file.starts_with(prefix)) ++(problem.severity == Severity::Error ? lab.errors : lab.warnings);
    }
  }

  const wire::Schema* m_schema;
  CourseReport m_report;
  std::set<std::string> m_seen;
};

nlohmann::json toJson(const CheckedLab& lab) {
  return {{"folder", plainLine(lab.folder.string(), kLongestPath)},
          {"id", lab.id},
          {"number", lab.number},
          {"title", lab.title},
          {"languages", lab.languages},
          {"steps", lab.steps},
          {"experiments", lab.experiments},
          {"checks", lab.checks},
          {"recorded", lab.recorded},
          {"minutes", lab.minutes},
          {"experiment_seconds", lab.seconds},
          {"errors", lab.errors},
          {"warnings", lab.warnings}};
}

}  // namespace

CourseReport checkCourse(const fs::path& folder, const wire::Schema* schema) {
  return CourseChecker(folder, schema).check();
}

std::string reasonText(const Problem& problem, const wire::Catalog& catalog) {
  constexpr std::size_t kLongest = 2000;
  auto text = catalog.text(problem.reason);
  for (const auto& prefix : {problem.file + ":" + std::to_string(problem.line) + ": ", problem.file + ": "})
    if (!problem.file.empty() && text.starts_with(prefix)) {
      text.erase(0, prefix.size());
      break;
    }
  return plainLine(text, kLongest);
}

nlohmann::json toJson(const CourseReport& report, const wire::Catalog& catalog) {
  auto labs = nlohmann::json::array(), problems = nlohmann::json::array();
  for (const auto& lab : report.labs) labs.push_back(toJson(lab));
  for (const auto& problem : report.problems)
    problems.push_back({{"file", plainLine(problem.file, kLongestPath)},
                        {"line", problem.line},
                        {"severity", problem.severity == Severity::Error ? "error" : "warning"},
                        {"id", problem.reason.id},
                        {"reason", reasonText(problem, catalog)}});
  return {{"folder", plainLine(report.folder.string(), kLongestPath)},
          {"sound", report.sound()},
          {"errors", report.errors},
          {"warnings", report.warnings},
          {"left_out", report.left_out},
          {"labs", std::move(labs)},
          {"problems", std::move(problems)}};
}

}  // namespace atelier::lab
