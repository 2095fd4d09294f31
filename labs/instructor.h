// The instructor's notes of a lab, step by step. In instructor.LANG.md a section "## step-id" or "## step-id | title" belongs
// to that step; all else (the opening, sections called otherwise) is about the lab as a whole. Headings inside fenced code are
// code. Any thread; pure.
#pragma once

#include <string>
#include <string_view>

#include "lab.h"

namespace atelier::lab {

struct InstructorNotes {
  std::string step;     // Markdown of the step's section without its heading, "" when there is none
  std::string general;  // Markdown of what belongs to no step
};

InstructorNotes instructorNotes(const Lab& lab, std::string_view step);

}  // namespace atelier::lab
