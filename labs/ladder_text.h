// A ladder as a reader's language tells it: a line for its foot, for each rung, and for all that was kept together; the same
// lines in the lesson, in the terminal and in the report. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/wire/catalog.h"
#include "ladder.h"

namespace atelier::lab {

// Figures that nothing has measured yet are "—".
struct LadderLine {
  std::string change;                 // "workers = 8"; of the foot and of the last line a name
  bool keys = false;                  // `change` names keys of the spec
  std::string gain, interval;         // over the best below; interval "" where there is none
  std::string factor, factor_range;   // over the foot
  std::string rate, epoch;            // samples/s; seconds of an epoch, as a duration
  std::string memory, accuracy;
  std::string verdict;
};

// The last line is there once all that was kept has been raced together.
std::vector<LadderLine> ladderLines(const Ladder& ladder, const wire::Catalog& catalog);

// What stands above the columns: change, gain, in all, samples/s, epoch, memory, accuracy, verdict.
std::vector<std::string> ladderHead(const wire::Catalog& catalog);

// A table in Markdown, of what a lesson has room for: change, gain, in all, samples/s, verdict.
std::string ladderMarkdown(const Ladder& ladder, const wire::Catalog& catalog);

}  // namespace atelier::lab
