// A lab's folder as checkCourse reads it: as much as there is of it, whatever its mistakes. Any thread; values only.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/wire/option.h"
#include "course_check.h"
#include "lab_text.h"
#include "lab_toml.h"
#include "toml_tree.h"

namespace atelier::lab {

struct LabDraft {
  std::filesystem::path folder;
  std::string file;                      // of lab.toml, as messages name it
  std::optional<TomlValue> root;         // when lab.toml is TOML
  std::optional<LabShape> shape;         // likewise
  std::map<std::string, LabText> texts;  // by language
  std::vector<wire::Message> mistakes;   // what the loader would refuse, in either language
  int recorded = 0;
};

LabDraft readDraft(const std::filesystem::path& folder);

// What works and yet needs a second thought: a language without texts, no notes for the instructor, labs and experiments that
// take too long, hints without a task, experiments that nothing reads, recordings of no step.
std::vector<Problem> adviceOn(const LabDraft& draft);

// Keys and values of the experiments, knobs and solutions that the engine does not know.
std::vector<Problem> specProblems(const LabDraft& draft, const wire::Schema& schema);

}  // namespace atelier::lab
