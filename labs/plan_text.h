// Fixes of a plan as a reader's language says them: what is changed, what was predicted and measured, what came of it.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/wire/catalog.h"
#include "plan.h"

namespace atelier::lab {

struct FixText {
  std::string change;              // "fused = true", or that all are tried together
  std::string predicted;           // "1.31×"; "—" when nothing was
  std::string measured, interval;  // "1.22×" and "[1.18, 1.26]"; "—" and "" before the race
  std::string verdict;             // "faster", or why there is none
};

FixText fixText(const AppliedFix& fix, const wire::Catalog& catalog);

// A table in Markdown, a row a fix.
std::string planMarkdown(const std::vector<AppliedFix>& fixes, const wire::Catalog& catalog);

}  // namespace atelier::lab
