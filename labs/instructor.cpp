#include "instructor.h"

#include <algorithm>

namespace atelier::lab {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool isFence(std::string_view line) {
  const auto text = trimmed(line);
  return text.starts_with("```") || text.starts_with("~~~");
}

// What a section's heading names: "baseline" of "## baseline | The baseline".
std::string_view nameOf(std::string_view line) {
  const auto heading = trimmed(line.substr(2));
  return trimmed(heading.substr(0, heading.find('|')));
}

void trimLines(std::string& text) {
  const auto first = text.find_first_not_of("\r\n");
  if (first == std::string::npos) return text.clear();
  text.erase(0, first);
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

InstructorNotes instructorNotes(const Lab& lab, std::string_view step) {
  InstructorNotes notes;
  enum class Part { General, Asked, Other } part = Part::General;
  bool code = false;
  const std::string_view text = lab.instructor;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    at = end + 1;
    if (isFence(line)) code = !code;
    const bool heading = !code && line.starts_with("## ");
    if (heading) {
      const auto name = nameOf(line);
      part = name == step ? Part::Asked : lab.find(std::string(name)) ? Part::Other : Part::General;
      if (part == Part::Asked) continue;
    }
    if (part == Part::Asked) (notes.step += line) += '\n';
    if (part == Part::General) (notes.general += line) += '\n';
  }
  trimLines(notes.step);
  trimLines(notes.general);
  return notes;
}

}  // namespace atelier::lab
