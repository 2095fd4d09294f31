// Standard input of the engine: perhaps the spec first, then control lines. Reads the descriptor itself, so that what
// follows the spec is not lost in a stream's buffer. One thread at a time.
#pragma once

#include <optional>
#include <string>

namespace atelier::worker {

class Input {
 public:
  explicit Input(int descriptor) : m_descriptor(descriptor) {}
  // The next line without its newline; nullopt at the end.
  std::optional<std::string> line();
  // The first JSON value, which may span lines; what was read when there is none.
  std::string json();
  int descriptor() const { return m_descriptor; }
  bool buffered() const { return m_buffer.find('\n') != std::string::npos; }

 private:
  int m_descriptor;
  std::string m_buffer;
  bool m_ended = false;
};

}  // namespace atelier::worker
