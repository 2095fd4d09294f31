#include "lab_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/wire/option.h"
#include "plain_text.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

constexpr std::size_t kQuoted = 100;  // bytes of the author's text that a message repeats

// What a line of text belongs to until the next heading.
enum class Part { Head, Body, Hint, Solution, Quiz, Skipped };

class Parser {
 public:
  Parser(std::string_view content, std::string file, std::vector<wire::Message>& mistakes)
      : m_content(content), m_file(std::move(file)), m_mistakes(mistakes) {}

  LabText parse() {
    forEachLine();
    closeText();
    if (m_fenceLine > 0) mistake("lab.code_open", m_fenceLine);
    if (m_lab.title.empty()) mistake("lab.no_title", 1);
    if (m_lab.question.empty()) mistake("lab.no_question", 1);
    for (const auto& step : m_lab.steps)
      for (const auto& question : step.quiz)
        if (question.text.empty() || question.choices.size() < 2 || question.explanation.empty())
          mistake("lab.quiz_incomplete", question.line, {{"question", question.id}});
    return std::move(m_lab);
  }

 private:
  void mistake(std::string id, int line, std::vector<std::pair<std::string, std::string>> args = {}) {
    if (m_mistakes.size() >= kMostMistakes) return;
    m_mistakes.push_back(fileMessage(std::move(id), m_file, line, std::move(args)));
  }

  void forEachLine() {
    for (std::size_t begin = 0; begin < m_content.size();) {
      const auto end = std::min(m_content.find('\n', begin), m_content.size());
      auto line = m_content.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++m_line;
      take(line);
      begin = end + 1;
    }
  }

  void take(std::string_view line) {
    if (trimmed(line).starts_with("```")) m_fenceLine = m_fenceLine > 0 ? 0 : m_line;
    const bool code = m_fenceLine > 0;
    if (!code && line.starts_with("### ")) return section(trimmed(line.substr(4)));
    if (!code && line.starts_with("## ")) return step(trimmed(line.substr(3)));
    if (!code && m_part == Part::Head) return head(line);
    if (m_part == Part::Quiz) return quiz(line);
    if (m_part == Part::Head) return mistake("lab.stray_text", m_line);
    if (m_part == Part::Body && m_blank) {
      m_lab.steps.back().body_line = m_line;
      m_blank = trimmed(line).empty();
    }
    m_text.append(line).push_back('\n');
  }

  void head(std::string_view line) {
    if (trimmed(line).empty()) return;
    if (line.starts_with("# ") && m_lab.title.empty()) m_lab.title = trimmed(line.substr(2));
    else if (line.starts_with("> ") && m_lab.question.empty()) m_lab.question = trimmed(line.substr(2));
    else return mistake("lab.stray_text", m_line);
    mustBeShort(line);
  }

  // A title or the question goes on one line of a screen, or two.
  void mustBeShort(std::string_view line) {
    constexpr std::size_t kLongest = 300;
    if (line.size() > kLongest) mistake("lab.title_too_long", m_line, {{"limit", std::to_string(kLongest)}});
  }

  void step(std::string_view heading) {
    closeText();
    const auto bar = heading.find('|');
    const std::string id(trimmed(heading.substr(0, bar)));
    const std::string title(bar == std::string_view::npos ? std::string_view{} : trimmed(heading.substr(bar + 1)));
    if (!isIdentifier(id) || title.empty()) mistake("lab.bad_section", m_line, {{"given", plainLine(heading, kQuoted)}});
    m_part = Part::Skipped;
    if (m_lab.steps.size() == kMostItems) return tooMany("##");
    mustBeShort(heading);
    if (m_lab.find(id)) mistake("lab.twice", m_line, {{"given", plainLine(id, kQuoted)}});
    m_lab.steps.push_back({.id = id,
                           .title = title,
                           .body = {},
                           .solution = {},
                           .hints = {},
                           .quiz = {},
                           .line = m_line,
                           .body_line = m_line + 1});
    m_part = Part::Body;
    m_blank = true;
  }

  void tooMany(const char* key) {
    if (!std::exchange(m_crowded, true)) mistake("lab.too_many", m_line, {{"key", key}, {"limit", std::to_string(kMostItems)}});
  }

  void section(std::string_view heading) {
    closeText();
    const auto space = heading.find(' ');
    const std::string word(heading.substr(0, space));
    const std::string rest(space == std::string_view::npos ? std::string_view{} : trimmed(heading.substr(space)));
    m_part = Part::Skipped;
    if (m_lab.steps.empty()) return mistake("lab.stray_text", m_line);
    if (word == "hint" && rest.empty()) m_part = Part::Hint;
    else if (word == "solution" && rest.empty()) m_part = Part::Solution;
    else if (word == "quiz" && isIdentifier(rest)) openQuestion(rest);
    else
      mistake("lab.unknown_section", m_line,
              {{"given", plainLine(heading, kQuoted)},
               {"nearest", wire::nearestName(plainLine(word, kQuoted), {"hint", "solution", "quiz"})}});
  }

  void openQuestion(const std::string& id) {
    auto& questions = m_lab.steps.back().quiz;
    if (questions.size() == kMostItems) return tooMany("### quiz");
    const bool twice = std::any_of(questions.begin(), questions.end(), [&](const auto& q) { return q.id == id; });
    if (twice) mistake("lab.twice", m_line, {{"given", id}});
    questions.push_back({.id = id, .text = {}, .explanation = {}, .choices = {}, .line = m_line});
    m_part = Part::Quiz;
  }

  // A line that begins with two spaces goes on with the choice above it.
  void quiz(std::string_view line) {
    auto& question = m_lab.steps.back().quiz.back();
    const auto join = [](std::string& text, std::string_view more) {
      if (!more.empty()) text.append(text.empty() ? "" : " ").append(more);
    };
    if (line.starts_with("- ")) question.choices.emplace_back(trimmed(line.substr(2)));
    else if (line.starts_with("> ")) join(question.explanation, trimmed(line.substr(2)));
    else if (line.starts_with("  ") && !question.choices.empty()) join(question.choices.back(), trimmed(line));
    else if (question.choices.empty()) join(question.text, trimmed(line));
    else if (!trimmed(line).empty()) mistake("lab.stray_text", m_line);
  }

  void closeText() {
    const std::string text(trimmed(m_text));
    m_text.clear();
    if (m_part == Part::Body) m_lab.steps.back().body = text;
    if (m_part == Part::Solution) m_lab.steps.back().solution = text;
    if (m_part == Part::Hint && text.empty()) mistake("lab.empty_hint", m_line);
    if (m_part == Part::Hint) m_lab.steps.back().hints.push_back(text);
  }

  std::string_view m_content;
  std::string m_file, m_text;
  std::vector<wire::Message>& m_mistakes;
  LabText m_lab;
  Part m_part = Part::Head;
  int m_line = 0, m_fenceLine = 0;
  bool m_blank = true;     // nothing but blank lines in this step's body so far
  bool m_crowded = false;  // said already that there are too many sections
};

// The line of the first control character, which an editor does not show and a terminal obeys.
std::optional<int> controlLine(std::string_view content) {
  int line = 1;
  for (const char c : content) {
    if (c == '\n') ++line;
    else if ((static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7F) return line;
  }
  return std::nullopt;
}

}  // namespace

LabText draftLabText(std::string_view content, const std::string& file, std::vector<wire::Message>& mistakes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (content.starts_with(kMark)) content.remove_prefix(kMark.size());
  if (!isUtf8(content)) {
    mistakes.push_back(fileMessage("lab.not_utf8", file, 1));
    return {};
  }
  if (const auto line = controlLine(content)) mistakes.push_back(fileMessage("lab.control", file, *line));
  return Parser(content, file, mistakes).parse();
}

wire::Result<LabText> parseLabText(std::string_view content, const std::string& file) {
  std::vector<wire::Message> mistakes;
  auto text = draftLabText(content, file, mistakes);
  if (!mistakes.empty()) return wire::Error{wire::ExitCode::Usage, std::move(mistakes)};
  return text;
}

}  // namespace atelier::lab
