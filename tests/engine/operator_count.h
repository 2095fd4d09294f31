// Counts an operator's calls on this thread, for tests that must know which way something was computed. One at a time.
#pragma once

#include <memory>
#include <string_view>

#include <ATen/record_function.h>

namespace atelier::engine {

class OperatorCount {
 public:
  explicit OperatorCount(std::string_view name) {
    s_name = name;
    s_calls = 0;
    m_handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&OperatorCount::called));
  }
  ~OperatorCount() { at::removeCallback(m_handle); }
  OperatorCount(const OperatorCount&) = delete;
  OperatorCount& operator=(const OperatorCount&) = delete;
  int calls() const { return s_calls; }

 private:
  static std::unique_ptr<at::ObserverContext> called(const at::RecordFunction& function) {
    if (function.name() == s_name) ++s_calls;
    return nullptr;
  }
  inline static thread_local std::string_view s_name;
  inline static thread_local int s_calls = 0;
  at::CallbackHandle m_handle = 0;
};

}  // namespace atelier::engine
