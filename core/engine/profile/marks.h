// Marks: ranges that a profiler shows around a piece of the program: the stages of a step, the steps. A mark is a user scope of
// ATen's record functions: where no profiler is on in the thread it costs one look at a thread-local list, some nanoseconds.
// REQUIRES: marks of one thread end in the reverse order of their beginning.
#pragma once

#include <optional>

#include <ATen/record_function.h>

namespace atelier::engine {

class StageMark {
 public:
  // `name`: a stage's as trace::stageName() has it, or any other; copied if a profiler is on.
  explicit StageMark(const char* name);
  StageMark(const StageMark&) = delete;
  StageMark& operator=(const StageMark&) = delete;

 private:
  std::optional<at::RecordFunction> m_range;
};

}  // namespace atelier::engine
