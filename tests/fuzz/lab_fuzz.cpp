// A course from anywhere: any text as lab.toml and as a lab's text, and a whole course folder of such files. What can be read
// can be walked through to its end; what can't is refused with file, line and reason, and the author's check finds it too.
#include <algorithm>
#include <string>

#include "core/wire/catalog.h"
#include "core/wire/summary.h"
#include "fuzz.h"
#include "labs/course_check.h"
#include "labs/lab_text.h"
#include "labs/lab_toml.h"
#include "labs/load.h"
#include "labs/session.h"
#include "labs/toml_tree.h"
#include "tests/labs/tiny_lab.h"

namespace atelier::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCourse =
    "@course.toml\n[[half_day]]\nid = \"day1-morning\"\ntitle = { en = \"Morning\", fr = \"Matin\" }\n";
// The tests' lab, with all keys that a lab may have.
const std::string& tinyToml() {
  static const std::string toml = [] {
    const std::string text = lab::kToml, before = "\n[[step]]";
    return text.substr(0, text.find(before)) + "minutes = 30\n" + text.substr(text.find(before));
  }();
  return toml;
}

bool hasArgument(const wire::Message& message, const std::string& name) {
  return std::any_of(message.args.begin(), message.args.end(), [&](const auto& arg) { return arg.first == name; });
}

void requireLocated(const wire::Error& error) {
  requireTold(error);
  for (const auto& message : error.messages) {
    require(hasArgument(message, "file") && hasArgument(message, "line"), "a lab is refused with file and line");
    for (const auto& [name, value] : message.args) require(value.size() <= 4096, "a message quotes no whole file");
  }
}

void checkTexts(std::string_view text) {
  if (const auto toml = lab::parseToml(text, "lab.toml"); !toml) requireLocated(toml.error());
  if (const auto shape = lab::parseLabShape(text, "lab.toml"); !shape) requireLocated(shape.error());
  if (const auto read = lab::parseLabText(text, "en.md"); !read) requireLocated(read.error());
  std::vector<wire::Message> mistakes;
  static_cast<void>(lab::draftLabShape(text, "lab.toml", mistakes));
  static_cast<void>(lab::draftLabText(text, "en.md", mistakes));
  require(mistakes.size() <= 2 * lab::kMostMistakes, "mistakes are not told without end");
}

nlohmann::json resultOf(const std::string& verb) {
  wire::RunSummary run;
  run.id = "20261130-104512-3f9a1c";
  run.samples_per_second = wire::Interval{2000, 1900, 2100, 10};
  run.accuracy = 0.88;
  run.evaluated = 10'000;
  run.peak_memory_bytes = {15, 1, 2, 3, 4, 5};
  if (verb != "race") return wire::toJson(run);
  wire::RaceSummary race{run, run, wire::Interval{1.1, 1.0, 1.2, 9}, "faster", true, 9, 1};
  return wire::toJson(race);
}

// As a learner who does everything.
void walk(const lab::Lab& read) {
  static const auto english = wire::Catalog::builtIn("en"), french = wire::Catalog::builtIn("fr");
  lab::LabSession session(read);
  for (std::size_t i = 0; i < read.steps.size(); ++i) {
    const auto& step = read.steps[i];
    require(session.goTo(static_cast<int>(i)), "each step can be gone to");
    if (step.prediction) session.predict(step.id, (step.prediction->min + step.prediction->max) / 2);
    while (session.nextHint(step.id)) continue;
    if (step.experiment) {
      for (const auto& knob : step.experiment->knobs) session.setKnob(step.id, knob, 1, false);
      const auto request = session.request(step.id);
      require(request.spec.is_object() && !request.verb.empty(), "an experiment can be asked for");
      session.record(step.id, {request.verb, resultOf(request.verb), {"20261130-104512-3f9a1c"}});
    }
    for (const auto& question : step.quiz) session.answer(step.id, question.id, question.answer);
    session.showSolution(step.id);
    for (const char* language : {"en", "fr"}) static_cast<void>(session.body(step, language));
    for (const auto& result : session.checks(step.id))
      for (const auto* catalog : {&english, &french})
        require(!lab::sentenceText(result, *catalog).empty(), "a check says what it found");
  }
  require(session.predictions().size() <= read.steps.size(), "a step has one prediction at most");
  require(lab::toJson(session.allChecks()).is_array(), "the checks can be written down");
}

void checkCourseFolder(std::string_view input) {
  static const Playground ground;
  const auto course = ground.home() / "course", folder = course / "day1-morning" / "tiny";
  fs::remove_all(course);
  fs::create_directories(folder);
  bool has[2] = {false, false};
  for (const auto& [name, content] : sections(input)) {
    if (name == "course.toml") writeFile(course / name, content);
    for (const char* known : {"lab.toml", "en.md", "fr.md", "instructor.en.md", "instructor.fr.md"})
      if (name == known) writeFile(folder / name, content);
    has[0] = has[0] || name == "en.md";
    has[1] = has[1] || name == "fr.md";
  }
  const auto report = lab::checkCourse(course, nullptr);
  static const auto english = wire::Catalog::builtIn("en");
  for (const auto& problem : report.problems) {
    require(english.has(problem.reason.id), "a problem has a text");
    require(!lab::reasonText(problem, english).empty(), "a problem can be told");
  }
  require(lab::toJson(report, english).is_object(), "a report can be written down");
  const char* languages[2] = {"en", "fr"};
  for (int i = 0; i < 2; ++i) {
    const auto read = lab::loadLab(folder, languages[i]);
    if (read) {
      walk(*read);
      continue;
    }
    requireLocated(read.error());
    require(!has[i] || !report.sound(), "what the loader refuses, the author's check finds");
  }
  for (const char* language : languages) {
    const auto shown = lab::loadCourse(course, language);
    for (const auto& refused : shown.refused) requireTold(refused);
  }
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string texts = std::string("@en.md\n") + lab::kText + "@fr.md\n" + lab::kText + "@instructor.en.md\nNotes\n";
  return {tinyToml(), lab::kText, kCourse + std::string("@lab.toml\n") + tinyToml() + texts,
          std::string("@lab.toml\n") + tinyToml() + texts, "# T\n> Q?\n## end | E\n```\n{measured.end}\n"};
}

std::vector<std::string> words() {
  return {"[[step]]\n",
          "[step.experiment]\n",
          "[[step.check]]\n",
          "[[step.quiz]]\n",
          "[step.prediction]\n",
          "id = \"end\"\n",
          "hints = 3\n",
          "answer = -1\n",
          "kind = \"verdict_is\"\n",
          "verb = \"run\"\n",
          "quantity = \"accuracy\"\n",
          "knobs = [\"x\"]\n",
          "at_least = nan\n",
          "at_least = inf\n",
          "on = \"race\"\n",
          "## end | E\n",
          "### hint\n",
          "### solution\n",
          "### quiz why\n",
          "- choice\n",
          "> because\n",
          "```\n",
          "{measured.race}",
          "{prediction.",
          "@lab.toml\n",
          "@en.md\n",
          "\"\"\"",
          "'''",
          "1979-05-27",
          "../../etc",
          "\xef\xbb\xbf"};
}

}  // namespace atelier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atelier::fuzz;
  const auto text = textOf(data, size);
  if (text.starts_with('@')) checkCourseFolder(text);
  else checkTexts(text);
  return 0;
}
