#include "fuzzy.h"

#include <QStringList>

#include <algorithm>

namespace atelier::app {

namespace {

constexpr int kAtStart = 100, kAtWord = 80, kInside = 40, kScattered = 30, kShortest = 2;

bool isWordStart(const QString& text, qsizetype at) {
  return at == 0 || !text.at(at - 1).isLetterOrNumber();
}

// Letters in order from `from` on: how many were left out between them, or -1.
int gapsFrom(const QString& word, const QString& text, qsizetype from) {
  qsizetype at = from;
  int gaps = 0;
  for (qsizetype i = 1; i < word.size(); ++i) {
    const auto next = text.indexOf(word.at(i), at + 1);
    if (next < 0) return -1;
    gaps += static_cast<int>(next - at - 1);
    at = next;
  }
  return gaps;
}

std::optional<int> scattered(const QString& word, const QString& text) {
  if (word.size() < kShortest) return std::nullopt;
  std::optional<int> best;
  for (auto at = text.indexOf(word.front()); at >= 0; at = text.indexOf(word.front(), at + 1)) {
    if (!isWordStart(text, at)) continue;
    const int gaps = gapsFrom(word, text, at);
    // Letters strewn over a whole sentence are no match.
    if (gaps < 0 || gaps > 4 * word.size()) continue;
    best = std::max(best.value_or(0), std::max(1, kScattered - gaps));
  }
  return best;
}

std::optional<int> wordScore(const QString& word, const QString& text) {
  std::optional<int> best;
  for (auto at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const int score = at == 0 ? kAtStart : isWordStart(text, at) ? kAtWord : kInside;
    best = std::max(best.value_or(0), score);
    if (score >= kAtWord) break;
  }
  return best ? best : scattered(word, text);
}

}  // namespace

QString folded(const QString& text) {
  QString plain;
  for (const QChar letter : text.normalized(QString::NormalizationForm_KD).toCaseFolded()) {
    if (letter.category() == QChar::Mark_NonSpacing) continue;
    if (letter == QChar(0x0153)) plain += QStringLiteral("oe");
    else if (letter == QChar(0x00E6)) plain += QStringLiteral("ae");
    else if (letter == QChar(0x2019)) plain += QLatin1Char('\'');
    else plain += letter;
  }
  return plain;
}

std::optional<int> fuzzyScore(const QString& query, const QString& text) {
  int sum = 0;
  const auto words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (const auto& word : words) {
    const auto score = wordScore(word, text);
    if (!score) return std::nullopt;
    sum += *score;
  }
  return sum;
}

}  // namespace atelier::app
