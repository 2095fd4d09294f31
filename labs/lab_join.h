// Joins a lab's structure (lab.toml) with its texts in one language; what the one has and the other has not is a mistake,
// told at the line of the text where it can be mended. Any thread; values only.
#pragma once

#include <string>
#include <vector>

#include "core/wire/result.h"
#include "lab_text.h"
#include "lab_toml.h"

namespace atelier::lab {

// Fails with lab.step_without_text, lab.text_without_step, lab.hints_differ, lab.solution_without_text,
// lab.text_without_solution, lab.question_without_text, lab.text_without_question, lab.answer_out_of_range,
// lab.unknown_placeholder; all of them, kMostMistakes at most.
wire::Result<Lab> joinLab(LabShape shape, const LabText& text, const std::string& textFile);

// What can be said already of two files with mistakes of their own: steps that one of them has and the other has not.
std::vector<wire::Message> unmatchedSteps(const LabShape& shape, const LabText& text, const std::string& textFile);

}  // namespace atelier::lab
