// Finding by a few letters: case, accents and the order of the words don't matter. Pure; any thread.
#pragma once

#include <QString>

#include <optional>

namespace atelier::app {

// Without case, accents and ligatures: "Élève" → "eleve".
QString folded(const QString& text);

// How well all words of the query fit, higher is better; nullopt when one of them doesn't. A word fits where it stands, better
// at a word's start, or where its letters follow one another from a word's start on. An empty query fits all with 0.
// REQUIRES: both folded.
std::optional<int> fuzzyScore(const QString& query, const QString& text);

}  // namespace atelier::app
