// OperatorWatch: while one lives, tells of each ATen operator that made a NaN or an infinity of finite inputs; one that calls
// others comes after them. Reads all that operators take and give: a step becomes many times slower.
// What an operator is told to write (a scalar −∞, as masks are filled) counts as its input; memory that is not written yet
// counts as nothing.
// Thread: the one that makes it, and the threads of backward passes that this one starts. Made and destroyed in the former; of
// several, which must lie within each other, the innermost alone is told.
#pragma once

#include <functional>

#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace atelier::engine {

class OperatorWatch {
 public:
  // `backward`: within a backward pass.
  using Found = std::function<void(const char* name, bool backward)>;
  explicit OperatorWatch(Found found);
  ~OperatorWatch();
  OperatorWatch(const OperatorWatch&) = delete;
  OperatorWatch& operator=(const OperatorWatch&) = delete;

 private:
  c10::DebugInfoGuard m_listener;
  at::CallbackHandle m_callback;
};

}  // namespace atelier::engine
