// Console: what people read: tables on stdout, messages and a progress bar on stderr, in their language. Main thread, but
// for progress(), which the event sink calls from any thread.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/catalog.h"
#include "core/wire/format.h"
#include "core/wire/result.h"
#include "core/wire/run_event.h"

namespace atelier::worker {

class Console {
 public:
  Console(const std::string& language, bool quiet);

  const wire::Catalog& texts() const { return m_texts; }
  const wire::Format& format() const { return m_format; }
  std::string text(const std::string& id) const { return m_texts.text(id); }

  void print(const std::string& line) const;          // stdout
  void printJson(const nlohmann::json& value) const;  // stdout; text that is not UTF-8 is replaced
  // Two columns, both from the left.
  void pairs(const std::vector<std::vector<std::string>>& rows) const;
  void warn(const wire::Message& message) const;  // stderr
  void fail(const wire::Error& error) const;      // stderr, every message
  // Columns padded by characters, not bytes; the first left, the others right. The first row is the head.
  void table(const std::vector<std::vector<std::string>>& rows) const;
  // Redraws the bar at most 10 times a second; nothing when stderr is no terminal.
  void progress(const std::string& label, double share, const std::string& detail);
  void endProgress();

 private:
  wire::Catalog m_texts;
  wire::Format m_format;
  bool m_terminal, m_drawn = false;
  std::mutex m_mutex;
  std::chrono::steady_clock::time_point m_last, m_begin;
};

// Characters of UTF-8 text.
std::size_t textWidth(std::string_view text);

}  // namespace atelier::worker
