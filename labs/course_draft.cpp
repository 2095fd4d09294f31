#include "course_draft.h"

#include <initializer_list>

#include "core/wire/run_spec.h"
#include "lab_file.h"
#include "lab_join.h"
#include "plain_text.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

void append(std::vector<wire::Message>& all, const std::vector<wire::Message>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

const TomlValue* memberOf(const TomlValue* table, const std::string& key) {
  if (!table) return nullptr;
  const auto found = table->members.find(key);
  return found == table->members.end() ? nullptr : &found->second;
}

// The step's table in lab.toml: steps of a shape stand in the order of the file.
const TomlValue* stepTable(const LabDraft& draft, std::size_t step) {
  const auto* steps = draft.root ? memberOf(&*draft.root, "step") : nullptr;
  return steps && step < steps->items.size() ? &steps->items[step] : nullptr;
}

// The line of the deepest of the nested keys that is there.
int lineAt(const TomlValue* table, std::initializer_list<std::string> path) {
  int line = table ? table->line : 0;
  for (const auto& key : path) {
    table = memberOf(table, key);
    if (!table) break;
    line = table->line;
  }
  return line;
}

// `joins`: lab.toml has no mistakes of its own, so that the text can be held against all of it.
void readText(LabDraft& draft, const std::string& language, bool joins) {
  const auto name = language + ".md";
  if (!isThere(draft.folder / name)) return;
  const auto content = readLabFile(draft.folder, name);
  if (!content.ok()) return append(draft.mistakes, content.error().messages);
  const auto file = (draft.folder / name).string();
  std::vector<wire::Message> mistakes;
  auto text = draftLabText(*content, file, mistakes);
  if (draft.shape && isUtf8(*content)) {
    if (!joins || !mistakes.empty()) append(mistakes, unmatchedSteps(*draft.shape, text, file));
    else if (const auto joined = joinLab(*draft.shape, text, file); !joined.ok()) append(mistakes, joined.error().messages);
  }
  append(draft.mistakes, mistakes);
  draft.texts[language] = std::move(text);
}

void readNotes(LabDraft& draft, const std::string& language) {
  const auto name = "instructor." + language + ".md";
  if (!isThere(draft.folder / name)) return;
  const auto notes = readLabFile(draft.folder, name);
  if (!notes.ok()) append(draft.mistakes, notes.error().messages);
  else if (!isUtf8(*notes)) draft.mistakes.push_back(fileMessage("lab.not_utf8", (draft.folder / name).string(), 1));
}

void findRecordings(LabDraft& draft) {
  if (!draft.shape) return;
  for (const auto& step : draft.shape->steps) {
    if (!step.step.experiment || step.step.id.empty()) continue;
    const auto found = findRecording(draft.folder, step.step.id);
    if (!found) continue;
    if (found->ok()) ++draft.recorded;
    else append(draft.mistakes, found->error().messages);
  }
}

// One key of a table of values, held against the engine's schema.
class SpecChecker {
 public:
  SpecChecker(const LabDraft& draft, const wire::Schema& schema) : m_draft(draft), m_schema(schema) {}

  std::vector<Problem> check() {
    for (std::size_t i = 0; i < m_draft.shape->steps.size(); ++i) {
      const auto& step = m_draft.shape->steps[i].step;
      const auto* table = stepTable(m_draft, i);
      for (const auto& [key, value] : step.solution_knobs.items())
        checkValue(key, value, lineAt(table, {"solution", "knobs", key}));
      if (!step.experiment) continue;
      for (const auto& [key, value] : step.experiment->spec.items())
        checkValue(key, value, lineAt(table, {"experiment", "spec", key}));
      for (const auto& [key, value] : step.experiment->b.items())
        checkValue(key, value, lineAt(table, {"experiment", "b", key}));
      for (const auto& knob : step.experiment->knobs) checkKnob(knob, lineAt(table, {"experiment", "knobs"}));
      for (const auto& knob : step.experiment->knobs_b) checkKnob(knob, lineAt(table, {"experiment", "knobs_b"}));
    }
    return std::move(m_problems);
  }

 private:
  void checkValue(const std::string& key, const nlohmann::json& value, int line) {
    const auto checked = wire::RunSpec::parse(m_schema, nlohmann::json{{key, value}});
    if (checked.ok()) return;
    for (const auto& message : checked.error().messages) m_problems.push_back({m_draft.file, line, message, Severity::Error});
  }

  void checkKnob(const std::string& knob, int line) {
    if (m_schema.find(knob)) return;
    const auto nearest = m_schema.nearestKey(knob);
    m_problems.push_back({m_draft.file, line,
                          fileMessage(nearest.empty() ? "course.unknown_knob" : "course.unknown_knob_near", m_draft.file, line,
                                      {{"key", knob}, {"nearest", nearest}}),
                          Severity::Error});
  }

  const LabDraft& m_draft;
  const wire::Schema& m_schema;
  std::vector<Problem> m_problems;
};

}  // namespace

LabDraft readDraft(const fs::path& folder) {
  LabDraft draft;
  draft.folder = folder;
  draft.file = (folder / "lab.toml").string();
  const auto content = readLabFile(folder, "lab.toml");
  if (!content.ok()) {
    append(draft.mistakes, content.error().messages);
  } else {
    draft.shape = draftLabShape(*content, draft.file, draft.mistakes);
    if (auto root = parseToml(*content, draft.file); root.ok()) draft.root = std::move(root).value();
  }
  const bool joins = draft.mistakes.empty();
  for (const char* language : {"en", "fr"}) {
    readText(draft, language, joins);
    readNotes(draft, language);
  }
  findRecordings(draft);
  return draft;
}

std::vector<Problem> specProblems(const LabDraft& draft, const wire::Schema& schema) {
  return draft.shape ? SpecChecker(draft, schema).check() : std::vector<Problem>{};
}

}  // namespace atelier::lab
