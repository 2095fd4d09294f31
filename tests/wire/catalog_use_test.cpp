// The catalogs against the sources: every id that a source names has a text, and every text has a source that names it.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/wire/catalog.h"

namespace atelier::wire {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = ATELIER_SOURCE_DIR;

// Ids that are put together at run time: one of these and a name that comes from elsewhere (a unit, a phase, a status, an
// action, a key). Each must stand in a source as it stands here.
const std::vector<std::string> kComposed{"action.",
                                         "app.memory.",
                                         "app.naive.",
                                         "app.phase.",
                                         "app.plot.",
                                         "app.tab.",
                                         "app.unit.",
                                         "app.verdict.",
                                         "check.",
                                         "cli.examples.",
                                         "cli.verb.",
                                         "doctor.",
                                         "experiments.column.",
                                         "fault.",
                                         "idle.",
                                         "rule.",
                                         "severity.",
                                         "stage.",
                                         "transfer.",
                                         "experiments.empty.",
                                         "figure.",
                                         "group.",
                                         "headless.phase.",
                                         "headless.verdict.",
                                         "lab.wrong_type.",
                                         "main.option.",
                                         "naive.",
                                         "option.",
                                         "phase.",
                                         "race.verdict.",
                                         "racepage.remedy.",
                                         "racepage.verdict.",
                                         "reference.key.",
                                         "reference.table.",
                                         "reference.type.",
                                         "report.figure.",
                                         "report.layer.",
                                         "report.machine.",
                                         "report.naive.",
                                         "report.quantity.",
                                         "report.unit.",
                                         "report.verdict.",
                                         "report.verdict_why.",
                                         "status.",
                                         "sweepview.column.",
                                         "sweepview.figure.",
                                         "sweepview.unit.",
                                         "tour.",
                                         "unit."};
// Named as the id of the unit itself, and ".label" or ".help".
const std::vector<std::string> kUnits{"model.", "data."};

// Words with dots that are no ids of texts, by their first part: figures' paths, Python's names, units of options, widgets'
// names.
const std::set<std::string> kOtherWords{
    "a", "args", "b", "c", "curve", "d", "first", "gradients", "last", "learn", "libnvidia-ml", "memory",
    "milliseconds_per_step", "origin", "peak_memory_bytes", "peaks", "scale", "self", "shares", "stages", "tab", "technique",
    "torch", "trainer", "window"};
// Widgets' names, and a figure's path, that begin as texts do.
const std::set<std::string> kWidgets{
    "formats.gradients.float16.zero",
    "race.blocks",    "race.fork",     "race.past",  "race.report",   "race.steps",   "race.stop_when_decided",
    "script.copy",    "script.native", "script.run", "script.save",   "spec.drop",    "spec.more",
    "spec.reset_all", "spec.search",   "sweep.add",  "sweep.against", "sweep.export", "sweep.figure",
    "sweep.fork",     "sweep.past"};
const std::set<std::string> kFileEndings{"atelier", "cpp",   "csv",    "gz",  "h",    "html", "ini",
                                         "json",    "jsonl", "lock",   "log", "md",   "pdf",  "pkl",  "png", "pt",
                                         "py",      "so",    "sqlite", "svg", "toml", "txt",  "safetensors"};

std::size_t endOfQuoted(const std::string& code, std::size_t at) {
  const char quote = code[at];
  for (++at; at < code.size() && code[at] != quote && code[at] != '\n'; ++at)
    if (code[at] == '\\') ++at;
  return std::min(at + 1, code.size());
}

// The string literals of a C++ source, escapes left as written; comments, #include lines and raw strings give none.
std::vector<std::string> literals(const std::string& code) {
  std::vector<std::string> found;
  const auto after = [&code](const std::string& end, std::size_t from) {
    const auto at = code.find(end, from);
    return at == std::string::npos ? code.size() : at + end.size();
  };
  for (std::size_t at = 0; at < code.size();) {
    if (code.compare(at, 2, "//") == 0 || code.compare(at, 8, "#include") == 0) {
      at = after("\n", at);
    } else if (code.compare(at, 2, "/*") == 0) {
      at = after("*/", at + 2);
    } else if (code.compare(at, 2, "R\"") == 0) {
      at = after(")" + code.substr(at + 2, code.find('(', at) - at - 2) + "\"", at);
    } else if (code[at] == '"') {
      const auto end = endOfQuoted(code, at);
      found.push_back(code.substr(at + 1, end - at - 2));
      at = end;
    } else if (code[at] == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(code[at - 1])))) {
      at = endOfQuoted(code, at);  // a character, not the mark between a number's digits
    } else {
      ++at;
    }
  }
  return found;
}

// literal → a source that has it.
std::map<std::string, std::string> literalsOfSources() {
  std::map<std::string, std::string> all;
  for (const char* top : {"core", "labs", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const auto ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".h") continue;
      std::ifstream input(entry.path(), std::ios::binary);
      const std::string code{std::istreambuf_iterator<char>(input), {}};
      for (auto& literal : literals(code)) all.emplace(std::move(literal), fs::relative(entry.path(), kRoot).string());
    }
  return all;
}

// "spec.unknown_key": lower-case words between dots.
bool looksLikeId(std::string_view text) {
  const auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  if (text.empty() || text.front() < 'a' || text.front() > 'z' || text.back() == '.') return false;
  if (text.find('.') == std::string_view::npos || text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), isPart);
}

bool isOtherWord(const std::string& word) {
  return kWidgets.contains(word) || kOtherWords.contains(word.substr(0, word.find('.'))) ||
         kFileEndings.contains(word.substr(word.rfind('.') + 1)) || (word.starts_with("naive.") && word.ends_with(".ratio"));
}

bool startsWithOneOf(const std::string& id, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) { return id.starts_with(prefix); });
}

}  // namespace

TEST(CatalogUse, TheScannerKnowsCppFromText) {
  const auto found = literals(
      "#include \"no.h\"\n// \"no.comment\"\n/* \"no.block\" */ f(\"a.b\", 10'000, '\"', \"c\\\"d\") + R\"x(\"no.raw\")x\";"
      " g(\"e.f\")");
  EXPECT_EQ(found, (std::vector<std::string>{"a.b", "c\\\"d", "e.f"}));
  EXPECT_TRUE(looksLikeId("spec.unknown_key"));
  for (const char* other : {"spec", "spec.", ".spec", "Spec.key", "spec..key", "a b.c"})
    EXPECT_FALSE(looksLikeId(other)) << other;
}

TEST(CatalogUse, EveryIdThatASourceNamesHasAText) {
  const auto texts = Catalog::builtIn("en");
  int seen = 0;
  for (const auto& [literal, file] : literalsOfSources()) {
    if (!looksLikeId(literal)) continue;
    seen += texts.has(literal);
    EXPECT_TRUE(texts.has(literal) || texts.has("action." + literal) || isOtherWord(literal))
        << file << " names \"" << literal << "\", which no catalog has. If it is no text's id, say so in kOtherWords.";
  }
  EXPECT_GT(seen, 200);
}

TEST(CatalogUse, EveryTextHasASourceThatNamesIt) {
  const auto named = literalsOfSources();
  for (const auto& id : Catalog::builtIn("en").ids())
    EXPECT_TRUE(named.contains(id) || startsWithOneOf(id, kComposed) || startsWithOneOf(id, kUnits))
        << id << " is shown by nothing. If it is put together at run time, its beginning belongs to kComposed.";
}

TEST(CatalogUse, EveryActionOfTheCatalogIsOne) {
  const auto named = literalsOfSources();
  for (const auto& id : Catalog::builtIn("en").ids()) {
    if (!id.starts_with("action.")) continue;
    auto action = id.substr(std::string_view("action.").size());
    if (action.ends_with(".help")) action.resize(action.size() - 5);
    EXPECT_TRUE(named.contains(action) || action.starts_with("tab.")) << id << " is the text of no action";
  }
}

TEST(CatalogUse, WhatIsSaidToBePutTogetherStillIs) {
  const auto named = literalsOfSources();
  for (const auto& prefix : kComposed) EXPECT_TRUE(named.contains(prefix)) << "no source puts an id together from " << prefix;
}

}  // namespace atelier::wire
