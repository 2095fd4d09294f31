#include "marks.h"

#include <string_view>
#include <utility>

namespace atelier::engine {

StageMark::StageMark(const char* name) {
  auto callbacks = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE);
  if (!callbacks) return;
  m_range.emplace(std::move(*callbacks));
  m_range->before(std::string_view(name));
}

}  // namespace atelier::engine
