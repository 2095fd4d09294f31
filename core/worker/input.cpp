#include "input.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace atelier::worker {
namespace {

constexpr std::size_t kLargest = 1 << 20;

// Follows brackets outside of strings; says where the first value ends.
class BracketScanner {
 public:
  // True when `c` closes the outermost bracket.
  bool closes(char c) {
    if (m_quoted) {
      if (m_escaped) m_escaped = false;
      else if (c == '\\') m_escaped = true;
      else if (c == '"') m_quoted = false;
      return false;
    }
    if (c == '"') m_quoted = true;
    if (c == '{' || c == '[') ++m_depth;
    return (c == '}' || c == ']') && --m_depth <= 0;
  }

 private:
  int m_depth = 0;
  bool m_quoted = false, m_escaped = false;
};

}  // namespace

bool Input::fill() {
  char bytes[4096];
  while (true) {
    const auto count = ::read(m_descriptor, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    m_buffer.append(bytes, static_cast<std::size_t>(count));
    if (m_buffer.size() > kLargest && m_buffer.find('\n', m_searched) == std::string::npos) {
      m_buffer.clear();
      m_searched = 0;
    }
    return true;
  }
}

std::optional<std::string> Input::takeLine() {
  const auto end = m_buffer.find('\n', m_searched);
  if (end == std::string::npos) {
    m_searched = m_buffer.size();
    return std::nullopt;
  }
  auto line = m_buffer.substr(0, end);
  m_buffer.erase(0, end + 1);
  m_searched = 0;
  return line;
}

std::string Input::json() {
  BracketScanner scanner;
  for (std::size_t at = 0; at < kLargest; ++at) {
    if (at == m_buffer.size() && !fill()) break;
    if (at >= m_buffer.size()) break;
    if (!scanner.closes(m_buffer[at])) continue;
    // What stands on the rest of the line belongs to the value too: garbage there must be refused, not obeyed.
    while (m_buffer.find('\n', at) == std::string::npos && m_buffer.size() < kLargest && fill()) {}
    const auto end = std::min(m_buffer.find('\n', at), m_buffer.size());
    auto text = m_buffer.substr(0, end);
    m_buffer.erase(0, std::min(end + 1, m_buffer.size()));
    return text;
  }
  return std::exchange(m_buffer, {});
}

}  // namespace atelier::worker
