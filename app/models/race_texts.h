// RaceTexts: what a race says so far and at its end, as sentences in the reader's language. Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>

#include <map>
#include <string>

#include "core/wire/run_event.h"
#include "words.h"

namespace atelier::app {

class RaceTexts {
 public:
  explicit RaceTexts(const Words& words) : m_words(words) {}

  // "B is 1.26× A [1.15, 1.34] after 7 of 10 pairs: faster, decided."
  QString soFar(const wire::RaceUpdated& updated) const;
  // The same at the end, and whether both learn equally well.
  QString atEnd(const wire::Comparison& comparison, const wire::RaceSummary& race) const;
  // What kept the machine busy and what to do; a line each; empty without a reason.
  QStringList busy(const std::map<std::string, int>& reasons) const;
  // good, bad, warn, body: the role of the sentence.
  static const char* tone(const std::string& verdict);
  // "B".
  static QString name(const std::string& variant);

 private:
  const Words& m_words;
};

}  // namespace atelier::app
