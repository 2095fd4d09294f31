#include "console.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace atelier::worker {

std::size_t textWidth(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Console::Console(const std::string& language, bool quiet)
    : m_texts(wire::Catalog::builtIn(language)),
      m_format(m_texts.language()),
      m_terminal(!quiet && isatty(STDERR_FILENO) == 1),
      m_begin(std::chrono::steady_clock::now()) {}

void Console::print(const std::string& line) const {
  fmt::print("{}\n", line);
}

void Console::printJson(const nlohmann::json& value) const {
  print(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void Console::pairs(const std::vector<std::vector<std::string>>& rows) const {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, textWidth(row.front()));
  for (const auto& row : rows) print(row.front() + std::string(width + 2 - textWidth(row.front()), ' ') + row.back());
}

void Console::warn(const wire::Message& message) const {
  fmt::print(stderr, "atelier-engine: {}\n", m_texts.text(message));
}

void Console::fail(const wire::Error& error) const {
  for (const auto& message : error.messages) warn(message);
}

void Console::table(const std::vector<std::vector<std::string>>& rows) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], textWidth(row[i]));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string padding(widths[i] - textWidth(rows[r][i]), ' ');
      line += (i ? "  " : "") + (i == 0 ? rows[r][i] + padding : padding + rows[r][i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    print(line);
    if (r > 0 || rows.size() == 1) continue;
    std::string rule;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      rule += i ? "  " : "";
      for (std::size_t k = 0; k < widths[i]; ++k) rule += "─";
    }
    print(rule);
  }
}

void Console::progress(const std::string& label, double share, const std::string& detail) {
  if (!m_terminal) return;
  const std::lock_guard lock(m_mutex);
  const auto now = std::chrono::steady_clock::now();
  if (m_drawn && now - m_last < std::chrono::milliseconds(100) && share < 1) return;
  m_last = now;
  m_drawn = true;
  constexpr int kCells = 24;
  std::string bar;
  for (int i = 0; i < kCells; ++i) bar += i < share * kCells ? "━" : "╌";
  const double elapsed = std::chrono::duration<double>(now - m_begin).count();
  const auto left = share > 0.02 ? m_format.duration(elapsed * (1 - share) / share) : std::string("…");
  fmt::print(stderr, "\r\033[K{:<12} {} {:>3.0f} %  {}  {}", label, bar, share * 100, detail, left);
  std::fflush(stderr);
}

void Console::endProgress() {
  const std::lock_guard lock(m_mutex);
  if (m_drawn) fmt::print(stderr, "\r\033[K");
  m_drawn = false;
}

}  // namespace atelier::worker
