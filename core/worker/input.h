// Standard input of the engine: perhaps the spec first, then control lines. Reads the descriptor itself, so that what
// follows the spec is not lost in a stream's buffer. One thread at a time.
#pragma once

#include <optional>
#include <string>

namespace atelier::worker {

class Input {
 public:
  explicit Input(int descriptor) : m_descriptor(descriptor) {}
  // One read() of the descriptor, which may block; false at the end. A line longer than 1 MiB is dropped.
  bool fill();
  // A whole line that has been read, without its newline.
  std::optional<std::string> takeLine();
  // The first JSON value, which may span lines; reads until its brackets close, the input ends or 1 MiB is passed.
  std::string json();
  int descriptor() const { return m_descriptor; }

 private:
  int m_descriptor;
  std::string m_buffer;
  std::size_t m_searched = 0;  // no newline before here
};

}  // namespace atelier::worker
