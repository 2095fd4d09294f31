// A profile as tables and sentences for people.
#pragma once

#include <cstddef>

#include "console.h"
#include "core/trace/compare.h"
#include "profile_files.h"

namespace atelier::worker {

// Where the steps' time went, the operators and modules that cost most, what holds the run back and what to do, in order.
void presentProfile(const Console& console, const Profile& profile, std::size_t rows, bool byShape);

void presentComparison(const Console& console, const trace::Comparison& comparison, std::size_t rows);
nlohmann::json comparisonJson(const trace::Comparison& comparison, std::size_t rows);

}  // namespace atelier::worker
