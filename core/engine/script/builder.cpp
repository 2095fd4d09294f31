#include "builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/wire/number.h"

namespace atelier::engine {
namespace {

constexpr int kDeepest = 16;                  // markers within markers: our own templates need four
constexpr std::int64_t kStopwatchSteps = 10;  // of a naive stopwatch, as in the session

std::string_view marker(Place place) {
  switch (place) {
    case Place::Settings:
      return "settings";
    case Place::Model:
      return "model";
    case Place::Optimizer:
      return "optimizer";
    case Place::Schedule:
      return "schedule";
    case Place::Batch:
      return "batch";
    case Place::AfterBackward:
      return "afterBackward";
    case Place::BeforeOptimizer:
      return "beforeOptimizer";
    case Place::OptimizerStep:
      return "optimizerStep";
    case Place::AfterOptimizer:
      return "afterOptimizer";
    case Place::BeforeEvaluation:
      return "beforeEvaluation";
    case Place::LeaveEvaluation:
      return "leaveEvaluation";
    case Place::AfterEvaluation:
      break;
  }
  return "afterEvaluation";
}

// The name between two @ at `at`; nullopt where the text has no marker there.
std::optional<std::string_view> markerAt(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
  if (end == at + 1 || end >= text.size() || text[end] != '@') return std::nullopt;
  return text.substr(at + 1, end - at - 1);
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Libraries that are neither Python's nor PyTorch's own.
constexpr std::string_view kLibraries[] = {"safetensors", "tokenizers", "torchvision", "transformers"};

// "tokenizers" of "from tokenizers import Tokenizer"; "" for what comes with Python or PyTorch.
std::string_view libraryOf(std::string_view statement) {
  const auto begin = statement.find(' ') + 1;
  const auto name = statement.substr(begin, statement.find_first_of(" .", begin) - begin);
  for (const auto library : kLibraries)
    if (name == library) return library;
  return "";
}

bool indented(const std::string& line) {
  return line.front() == ' ';
}

// Two blank lines around what stands at the top level, else one; none at the end.
std::vector<std::string> spaced(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  bool blank = false;
  for (const auto& line : lines) {
    if (line.empty()) {
      blank = true;
      continue;
    }
    if (blank && !result.empty()) {
      const bool heading =
          line.starts_with("def ") || line.starts_with("class ") || line.starts_with("@") || line.starts_with("if __name__");
      const bool leaves = indented(result.back()) && !indented(line);
      result.resize(result.size() + (heading || leaves ? 2U : 1U));
    }
    blank = false;
    result.push_back(line);
  }
  return result;
}

}  // namespace

std::string pythonNumber(double value) {
  auto text = wire::numberText(value);
  if (text.find_first_of(".eEnN") == std::string::npos) text += ".0";
  return text;
}

std::string pythonText(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '@') {
      result += c;
      continue;
    }
    result += "\\x";
    result += kDigits[byte >> 4U];
    result += kDigits[byte & 15U];
  }
  return result;
}

std::string withValues(std::string_view text, const std::vector<std::pair<std::string, std::int64_t>>& values) {
  std::string result(text);
  for (const auto& [name, value] : values) {
    const auto wanted = "@" + name + "@", number = std::to_string(value);
    for (auto at = result.find(wanted); at != std::string::npos; at = result.find(wanted, at + number.size()))
      result.replace(at, wanted.size(), number);
  }
  return result;
}

const std::string& ScriptBuilder::noted(const std::string& key) {
  m_keys.insert(key);
  return key;
}

ScriptDevice ScriptBuilder::device() {
  const auto& name = text("device");
  if (name == "cpu") return ScriptDevice::Cpu;
  return name == "auto" ? ScriptDevice::Either : ScriptDevice::Cuda;
}

std::string ScriptBuilder::deviceType() {
  return device() == ScriptDevice::Cpu ? "\"cpu\"" : "DEVICE.type";
}

bool ScriptBuilder::passesEpochs() {
  if (m_plan.blocks < 2) return false;
  const auto naive = flag("naive") ? std::min(kStopwatchSteps, m_plan.steps) : 0;
  const auto beforeLast = m_plan.steps * (m_plan.blocks - 1) / m_plan.blocks;
  return naive + m_plan.warmup + beforeLast >= m_plan.steps_per_epoch;
}

bool ScriptBuilder::stepsBeyondPlan() {
  return flag("naive") || (evaluates() && passesEpochs());
}

std::string ScriptBuilder::plannedSteps() {
  if (m_plan.accumulation == 1) return wholePlan();
  if (!m_countsOptimizerSteps) constant("OPTIMIZER_STEPS", "math.ceil((" + wholePlan() + ") / ACCUMULATION)");
  m_countsOptimizerSteps = true;
  return "OPTIMIZER_STEPS";
}

void ScriptBuilder::constant(const std::string& name, const std::string& value, const std::string& remark) {
  fill("constants", name + " = " + value + (remark.empty() ? "" : "  # " + remark));
}

std::vector<std::string> ScriptBuilder::libraries() const {
  std::set<std::string> found;
  for (const auto& statement : m_imports)
    if (const auto library = libraryOf(statement); !library.empty()) found.emplace(library);
  return {found.begin(), found.end()};
}

std::string ScriptBuilder::path(std::string_view text, std::size_t taken) {
  constexpr std::size_t kWidth = 94, kPiece = 76;
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  // Bytes that are not ASCII are the file system's own, and Python decodes them as it does with its arguments.
  const std::string quote = ascii ? "\"" : "b\"", open = ascii ? "(" : "os.fsdecode(";
  if (!ascii) require("import os");
  std::vector<std::string> pieces{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (pieces.back().size() >= kPiece) pieces.emplace_back();
    pieces.back() += pythonText(text.substr(i, 1));
  }
  if (pieces.size() == 1 && taken + open.size() + quote.size() + pieces.front().size() + 2 <= kWidth)
    return ascii ? quote + pieces.front() + "\"" : open + quote + pieces.front() + "\")";
  std::string result = open;
  for (const auto& piece : pieces) result += "\n    " + quote + piece + "\"";
  return result + ")";
}

void ScriptBuilder::remark(const std::string& text) {
  std::string comment;
  for (const auto line : linesOf(text)) {
    comment += comment.empty() ? "# " : "\n# ";
    comment += line;
  }
  fill("remarks", comment);
}

void ScriptBuilder::add(Place place, std::string_view text) {
  fill(std::string(marker(place)), text);
}

bool ScriptBuilder::has(Place place) const {
  return filled(std::string(marker(place)));
}

void ScriptBuilder::fill(const std::string& marker, std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  auto& parts = m_fills[marker];
  if (marker == "definitions" && !parts.empty()) parts.emplace_back();
  parts.emplace_back(text);
}

std::vector<std::string> ScriptBuilder::changed() const {
  std::vector<std::string> result;
  for (const auto& option : m_schema.options()) {
    const auto& value = m_spec.values().at(option.key);
    if (value != option.fallback) result.push_back(option.key + "=" + wire::valueText(option, value));
  }
  return result;
}

std::vector<std::string> ScriptBuilder::unused() const {
  auto result = changed();
  std::erase_if(result, [&](const std::string& word) { return m_keys.contains(word.substr(0, word.find('='))); });
  return result;
}

std::vector<std::string> ScriptBuilder::importLines() const {
  std::array<std::vector<std::string>, 4> groups;  // the standard library's, then the others: whole modules first
  for (const auto& statement : m_imports) {
    const bool installed = statement.find(" torch") != std::string::npos || !libraryOf(statement).empty();
    groups[(installed ? 2U : 0U) + (statement.starts_with("from ") ? 1U : 0U)].push_back(statement);
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == 2) lines.emplace_back();
    lines.insert(lines.end(), groups[i].begin(), groups[i].end());
  }
  return lines;
}

std::string ScriptBuilder::withWords(std::string_view line, int depth) const {
  std::string result;
  for (std::size_t at = 0; at < line.size();) {
    const auto name = line[at] == '@' ? markerAt(line, at) : std::nullopt;
    if (!name) {
      result += line[at++];
      continue;
    }
    const auto found = m_words.find(std::string(*name));
    if (found != m_words.end() && depth < kDeepest) result += withWords(found->second, depth + 1);
    at += name->size() + 2;
  }
  return result;
}

void ScriptBuilder::expand(std::string_view text, const std::string& indent, int depth, std::vector<std::string>& lines) const {
  if (depth > kDeepest) return;
  for (const auto line : linesOf(text)) {
    const auto start = std::min(line.find_first_not_of(' '), line.size());
    const auto name = start < line.size() && line[start] == '@' ? markerAt(line, start) : std::nullopt;
    // A marker alone on its line that is no word stands for whole lines.
    if (!name || start + name->size() + 2 != line.size() || m_words.contains(std::string(*name))) {
      lines.push_back(line.empty() ? "" : indent + withWords(line, depth));
      continue;
    }
    const auto inner = indent + std::string(start, ' ');
    if (*name == "imports") {
      const auto imports = importLines();
      lines.insert(lines.end(), imports.begin(), imports.end());
    } else if (const auto found = m_fills.find(std::string(*name)); found != m_fills.end()) {
      for (const auto& part : found->second) expand(part, inner, depth + 1, lines);
    }
  }
}

std::string ScriptBuilder::render(std::string_view text) const {
  std::vector<std::string> lines;
  expand(text, "", 0, lines);
  std::string result;
  for (const auto& line : spaced(lines)) result += line + "\n";
  return result;
}

}  // namespace atelier::engine
