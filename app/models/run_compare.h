// RunCompare: runs side by side. figures() says what `atelier-engine compare` says, in its words and digits; differences() says
// only what is not the same, with the first run as the reference. Runs of different sittings were not measured by turns: their
// ratios are marked so, and bear no verdict. Pure; GUI thread.
#pragma once

#include <QString>

#include <vector>

#include "run_library.h"
#include "run_texts.h"
#include "text_table.h"

namespace atelier::app {

class Words;

struct RunDifferences {
  std::vector<TextTable::Row> rows;
  QString note;  // that nothing differs, or what the ratios are worth
};

class RunCompare {
 public:
  RunCompare(const Words& words, const RunTexts& texts) : m_words(words), m_texts(texts) {}

  QStringList head(const std::vector<RunPtr>& runs) const;
  std::vector<TextTable::Row> figures(const std::vector<RunPtr>& runs) const;
  // `environments`: one a run, null where it isn't known (yet).
  RunDifferences differences(const std::vector<RunPtr>& runs, const std::vector<nlohmann::json>& environments) const;
  // All measured by turns, in one race.
  static bool interleaved(const std::vector<RunPtr>& runs);

 private:
  using Rows = std::vector<TextTable::Row>;
  void addObjects(Rows& rows, const char* title, const std::vector<nlohmann::json>& objects) const;
  void addResults(Rows& rows, const std::vector<RunPtr>& runs) const;

  const Words& m_words;
  const RunTexts& m_texts;
};

}  // namespace atelier::app
