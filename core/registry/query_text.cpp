#include "query_text.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/wire/number.h"

namespace atelier::registry {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\v\f";
constexpr std::string_view kOperators = "=<>~";
constexpr double kDay = 86'400'000;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : m_text(text) {}

  wire::Result<std::vector<Token>> all() {
    std::vector<Token> tokens;
    for (skipSpaces(); m_at < m_text.size(); skipSpaces()) {
      Token token;
      token.position = m_position;
      const char c = m_text[m_at];
      if (c == '(' || c == ')') {
        token.kind = c == '(' ? TokenKind::Open : TokenKind::Close;
        token.text = take(1);
      } else if (const auto length = operatorLength(); length > 0) {
        token.kind = TokenKind::Operator;
        token.text = take(length);
        if (token.text == "==") token.text = "=";
      } else if (c == '"') {
        token.kind = TokenKind::Quoted;
        if (!quoted(token.text)) return queryError("query.open_quote", token.position);
      } else {
        token.kind = TokenKind::Word;
        token.text = word();
      }
      tokens.push_back(std::move(token));
    }
    tokens.push_back({TokenKind::End, "", m_position});
    return tokens;
  }

 private:
  std::string take(std::size_t bytes) {
    const auto piece = m_text.substr(m_at, bytes);
    m_at += piece.size();
    for (const char c : piece)
      if (!continues(c)) ++m_position;
    return std::string(piece);
  }

  // No-break spaces (U+00A0, U+202F) are spaces too: the window writes "85 %" with one.
  void skipSpaces() {
    for (;;) {
      const auto rest = m_text.substr(m_at);
      if (rest.empty()) return;
      if (kSpaces.find(rest.front()) != std::string_view::npos) take(1);
      else if (rest.starts_with("\u00a0")) take(2);
      else if (rest.starts_with("\u202f")) take(3);
      else return;
    }
  }

  std::size_t operatorLength() const {
    const auto two = m_text.substr(m_at, 2);
    if (two == "!=" || two == "<=" || two == ">=" || two == "==") return 2;
    return kOperators.find(two.front()) != std::string_view::npos ? 1 : 0;
  }

  // Takes up to the closing quote; \" and \\ stand for themselves.
  bool quoted(std::string& text) {
    take(1);
    while (m_at < m_text.size()) {
      const char c = m_text[m_at];
      if (c == '"') {
        take(1);
        return true;
      }
      if (c == '\\' && m_at + 1 < m_text.size()) take(1);
      text += take(1);
    }
    return false;
  }

  std::string word() {
    std::size_t end = m_at;
    while (end < m_text.size() && !ends(end)) ++end;
    return take(end - m_at);
  }

  bool ends(std::size_t at) const {
    const auto rest = m_text.substr(at);
    const char c = rest.front();
    return kSpaces.find(c) != std::string_view::npos || kOperators.find(c) != std::string_view::npos || c == '(' || c == ')' ||
           c == '"' || rest.starts_with("!=") || rest.starts_with("\u00a0") || rest.starts_with("\u202f");
  }

  std::string_view m_text;
  std::size_t m_at = 0, m_position = 1;
};

// Exactly `size` digits at `at`.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t size) {
  if (text.size() < at + size) return std::nullopt;
  const auto part = text.substr(at, size);
  if (part.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto value = wire::parseInteger(part);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

double milliseconds(std::chrono::year_month_day date) {
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * kDay;
}

// "T10:30" or " 10:30:05" after a day.
std::optional<Span> clockSpan(std::string_view text, double day) {
  const auto hour = digits(text, 1, 2), minute = digits(text, 4, 2);
  const bool seconds = text.size() == 9;
  const auto second = seconds ? digits(text, 7, 2) : std::optional(0);
  if ((text.size() != 6 && !seconds) || (text[0] != 'T' && text[0] != 't' && text[0] != ' ') || text[3] != ':' ||
      (seconds && text[6] != ':') || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  const double first = day + ((*hour * 60.0 + *minute) * 60 + *second) * 1000;
  return Span{first, first + (seconds ? 1000 : 60'000)};
}

}  // namespace

wire::Error queryError(const std::string& id, std::size_t position, std::vector<std::pair<std::string, std::string>> args) {
  args.insert(args.begin(), {"position", std::to_string(position)});
  return {wire::ExitCode::Usage, wire::Message{id, std::move(args)}};
}

wire::Result<std::vector<Token>> tokenize(std::string_view text) {
  return Tokenizer(text).all();
}

std::string folded(std::string_view text) {
  std::string result(text);
  const auto byte = [&result](std::size_t at) { return at < result.size() ? static_cast<unsigned char>(result[at]) : 0U; };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto lead = byte(i), next = byte(i + 1);
    if (lead >= 'A' && lead <= 'Z') result[i] = static_cast<char>(lead + 32);
    // À to Þ but for ×; Œ; Ÿ.
    else if (lead == 0xC3 && next >= 0x80 && next <= 0x9E && next != 0x97) result[i + 1] = static_cast<char>(next + 32);
    else if (lead == 0xC5 && next == 0x92) result[i + 1] = '\x93';
    else if (lead == 0xC5 && next == 0xB8) result.replace(i, 2, "\xC3\xBF");
  }
  return result;
}

std::optional<Span> parseDate(std::string_view text) {
  using namespace std::chrono;
  const auto year = digits(text, 0, 4);
  if (!year || *year < 1970) return std::nullopt;
  const auto date = [&](int m, unsigned d) {
    return year_month_day{std::chrono::year(*year), month(static_cast<unsigned>(m)), day(d)};
  };
  if (text.size() == 4) return Span{milliseconds(date(1, 1)), milliseconds(date(12, 31)) + kDay};
  const auto month = digits(text, 5, 2);
  if (text[4] != '-' || !month || *month < 1 || *month > 12) return std::nullopt;
  const auto last =
      year_month_day_last(std::chrono::year(*year), month_day_last(std::chrono::month(static_cast<unsigned>(*month))));
  if (text.size() == 7) return Span{milliseconds(date(*month, 1)), milliseconds(year_month_day(last)) + kDay};
  const auto day = digits(text, 8, 2);
  if (text[7] != '-' || !day || *day < 1) return std::nullopt;
  const auto whole = date(*month, static_cast<unsigned>(*day));
  if (!whole.ok()) return std::nullopt;
  const double first = milliseconds(whole);
  return text.size() == 10 ? std::optional(Span{first, first + kDay}) : clockSpan(text.substr(10), first);
}

std::optional<double> unitWorth(std::string_view unit, std::string_view name) {
  struct Unit {
    std::string_view unit, name;
    double worth;
  };
  constexpr double kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024, kTebi = kGibi * 1024;
  static constexpr Unit kUnits[] = {
      {"unit.bytes", "b", 1},       {"unit.bytes", "kib", kKibi}, {"unit.bytes", "mib", kMebi}, {"unit.bytes", "gib", kGibi},
      {"unit.bytes", "tib", kTebi}, {"unit.bytes", "kb", 1e3},    {"unit.bytes", "mb", 1e6},    {"unit.bytes", "gb", 1e9},
      {"unit.bytes", "tb", 1e12},   {"unit.bytes", "o", 1},       {"unit.bytes", "kio", kKibi}, {"unit.bytes", "mio", kMebi},
      {"unit.bytes", "gio", kGibi}, {"unit.bytes", "tio", kTebi}, {"unit.bytes", "ko", 1e3},    {"unit.bytes", "mo", 1e6},
      {"unit.bytes", "go", 1e9},    {"unit.bytes", "to", 1e12},   {"unit.ms", "ms", 1},         {"unit.ms", "s", 1000},
      {"unit.ms", "min", 60'000},   {"unit.share", "%", 0.01},    {"unit.percent", "%", 1}};
  const auto lower = folded(name);
  for (const auto& entry : kUnits)
    if (entry.unit == unit && entry.name == lower) return entry.worth;
  return std::nullopt;
}

std::optional<double> parseFigure(std::string_view text, std::string_view unit) {
  if (folded(text) == "nan") return std::nan("");
  const auto split = text.find_first_not_of("0123456789.+-eE");
  const auto number = wire::parseNumber(text.substr(0, split));
  if (!number || split == std::string_view::npos) return number;
  const auto worth = unitWorth(unit, text.substr(split));
  if (!worth) return std::nullopt;
  // 85 % is 0.85 itself, which 85 × 0.01 is not.
  return *worth == 0.01 ? *number / 100 : *number * *worth;
}

}  // namespace atelier::registry
