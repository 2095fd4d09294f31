// The texts of a lab in one language, as its LANG.md holds them; read before they are joined with lab.toml. The format
// is described in labs/README.md. Headings inside fenced code are code. Any thread; values only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/wire/result.h"

namespace atelier::lab {

struct QuestionText {
  std::string id, text, explanation;
  std::vector<std::string> choices;
  int line = 0;
};

struct StepText {
  std::string id, title, body, solution;
  std::vector<std::string> hints;
  std::vector<QuestionText> quiz;
  int line = 0, body_line = 0;
};

struct LabText {
  std::string title, question;
  std::vector<StepText> steps;

  const StepText* find(std::string_view step) const {
    for (const auto& candidate : steps)
      if (candidate.id == step) return &candidate;
    return nullptr;
  }
};

// Names every mistake with its line: lab.not_utf8, lab.control, lab.no_title, lab.no_question, lab.title_too_long,
// lab.stray_text, lab.bad_section, lab.unknown_section, lab.twice, lab.too_many, lab.quiz_incomplete, lab.code_open.
wire::Result<LabText> parseLabText(std::string_view content, const std::string& file);

// The same for a file that is being written: what could be read of it, beside its mistakes.
LabText draftLabText(std::string_view content, const std::string& file, std::vector<wire::Message>& mistakes);

}  // namespace atelier::lab
