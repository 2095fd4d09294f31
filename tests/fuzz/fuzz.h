// What the fuzzers share: a property that must hold, refusals that must be told, inputs of several files, a folder to work in.
// A fuzzer defines LLVMFuzzerTestOneInput, seeds() and words(); one process runs one input after the other. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/wire/result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace atelier::fuzz {

// Of each fuzzer: valid inputs to begin with, and what a mutation may put in.
std::vector<std::string> seeds();
std::vector<std::string> words();

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the process with what was expected.
void require(bool holds, const char* what);
// A refusal has messages, each with a text in both languages.
void requireTold(const wire::Error& error);

// "@name\ncontent@name\ncontent": files in one input. A mark counts at the beginning of a line only; what stands before the
// first belongs to nothing.
std::vector<std::pair<std::string, std::string>> sections(std::string_view input);

// A folder of its own, deep enough that a few ".." stay inside of root(), with a file that nobody may touch. Removed at the
// end.
class Playground {
 public:
  Playground();
  ~Playground();
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  const std::filesystem::path& root() const { return m_root; }
  const std::filesystem::path& home() const { return m_home; }  // where anything may be written
  // A file beside the home, not in it.
  std::filesystem::path beside(const std::string& name) const { return m_home.parent_path() / name; }
  // REQUIRES: nothing outside of the home but the watched file and those named by `known`.
  void requireUntouched(const std::vector<std::filesystem::path>& known = {}) const;

 private:
  std::filesystem::path m_root, m_home, m_watched;
};

void writeFile(const std::filesystem::path& file, std::string_view content);

}  // namespace atelier::fuzz
