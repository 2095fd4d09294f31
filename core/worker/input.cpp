#include "input.h"

#include <cerrno>

#include <unistd.h>

#include "core/wire/number.h"

namespace atelier::worker {

std::optional<std::string> Input::line() {
  while (true) {
    if (const auto end = m_buffer.find('\n'); end != std::string::npos) {
      auto line = m_buffer.substr(0, end);
      m_buffer.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const auto count = m_ended ? 0 : ::read(m_descriptor, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) {
      m_buffer.append(bytes, static_cast<std::size_t>(count));
      continue;
    }
    m_ended = true;
    if (m_buffer.empty()) return std::nullopt;
    return std::exchange(m_buffer, {});
  }
}

std::string Input::json() {
  constexpr std::size_t kLargest = 1 << 20;
  std::string text;
  while (auto next = line()) {
    text += *next + "\n";
    if (text.size() > kLargest || wire::parseJson(text)) break;
  }
  return text;
}

}  // namespace atelier::worker
