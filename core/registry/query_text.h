// The words of a query: tokens, literals, case. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/result.h"

namespace atelier::registry {

enum class TokenKind { Word, Quoted, Operator, Open, Close, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  std::size_t position = 1;  // in characters, from 1
};

// A usage error about a place in the text; the position is put before the other arguments.
wire::Error queryError(const std::string& id, std::size_t position, std::vector<std::pair<std::string, std::string>> args = {});

// Always ends with an End.
wire::Result<std::vector<Token>> tokenize(std::string_view text);

// Lower case of ASCII and of Western European letters in UTF-8; other bytes stay.
std::string folded(std::string_view text);

// From `first` to before `last`; a plain number has both equal and stands for itself alone.
struct Span {
  double first = 0, last = 0;
};

// "2026", "2026-11", "2026-11-01", "2026-11-01T10:30", "2026-11-01 10:30:05", UTC, as Unix milliseconds.
std::optional<Span> parseDate(std::string_view text);

// What one of a unit's names is worth in the field's own unit: MiB for unit.bytes, s for unit.ms, % for unit.share.
std::optional<double> unitWorth(std::string_view unit, std::string_view name);

// "512MiB", "85%", "3000" or "nan" in a field with that unit; nothing when it is no such number.
std::optional<double> parseFigure(std::string_view text, std::string_view unit);

}  // namespace atelier::registry
