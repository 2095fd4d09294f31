// What is wrong with a course, for its author: every mistake of every file, not only the first, each with file and line, and
// advice on what a class would stumble over. Nothing is written; hostile folders are refused as loadCourse does. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/catalog.h"
#include "core/wire/option.h"
#include "lab.h"

namespace atelier::lab {

// Error: the loader refuses a lab or leaves something out, or the engine would refuse an experiment. Warning: it works, but
// see.
enum class Severity { Error, Warning };

struct Problem {
  std::string file;  // as given: below the folder that was asked about
  int line = 0;      // 0: the file as a whole
  wire::Message reason{};
  Severity severity = Severity::Error;
};

struct CheckedLab {
  std::filesystem::path folder;
  std::string id, number, title;       // "" where they can't be read
  std::vector<std::string> languages;  // that have texts
  int steps = 0, experiments = 0, checks = 0, recorded = 0;
  int minutes = 0, seconds = 0;  // planned for the lab; estimated for its experiments
  int errors = 0, warnings = 0;  // of the files in its folder
};

struct CourseReport {
  std::filesystem::path folder;
  std::vector<CheckedLab> labs;
  std::vector<Problem> problems;  // by file and line
  int errors = 0, warnings = 0;
  int left_out = 0;  // problems beyond the thousandth
  bool sound() const { return errors == 0; }
};

// With the engine's schema (as `describe` printed it) the experiments' keys and values are checked too; null leaves that out.
CourseReport checkCourse(const std::filesystem::path& folder, const wire::Schema* schema);

// The sentence without the file and line that it begins with, on one line.
std::string reasonText(const Problem& problem, const wire::Catalog& catalog);

// {folder, sound, errors, warnings, left_out, labs: [{…}], problems: [{file, line, severity, id, reason}]}
nlohmann::json toJson(const CourseReport& report, const wire::Catalog& catalog);

}  // namespace atelier::lab
