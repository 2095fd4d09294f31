// Ladder: a training that is made faster rung by rung. A step of a lab measures its foot; each step that names it (`ladder`)
// and has a `b` is a rung: a race of the best so far against the same with b's keys. What wins without learning worse is kept
// for the rungs above. A race without a `b` puts all that was kept together, against the foot: gains that were measured one
// after the other, multiplied, and measured at once should agree. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/summary.h"

namespace atelier::lab {

// What was measured at one place of the ladder.
struct LadderFigures {
  std::optional<double> samples_per_second{};
  std::optional<double> accuracy{};  // share, 0 … 1
  std::int64_t peak_bytes = 0;       // of tensor storage; 0: not measured
};

struct Rung {
  std::string step, title;                        // of the step
  nlohmann::json set = nlohmann::json::object();  // RunSpec keys that it changes
  std::string verdict{};                          // of its race; "" before it
  bool kept_quality = true;                       // keptQuality() of the race
  std::optional<wire::Interval> gain{};           // over the best below it
  std::optional<wire::Interval> factor{};         // over the foot, of all that was kept up to here; nullopt before its race
  LadderFigures with{};                           // it

  bool raced() const { return !verdict.empty(); }
  bool decided() const { return raced() && verdict != "machine-busy" && gain; }
  bool kept() const { return verdict == "faster" && kept_quality && gain; }
};

struct Ladder {
  std::string step, title;         // of the foot's step
  std::int64_t epoch_samples = 0;  // 0: not told
  LadderFigures foot{};
  std::vector<Rung> rungs{};               // in the lab's order
  std::optional<wire::Interval> whole{};   // all that was kept over the foot, raced at once
  std::string whole_verdict{};             // of that race; "" before it
  bool whole_quality = true;               // keptQuality() of it
  LadderFigures foot_evaluated{}, top{};   // its two sides

  bool empty() const { return rungs.empty(); }
  bool anyRaced() const;
  // The factor of the highest rung that was raced; nullopt before the first race.
  std::optional<wire::Interval> climbed() const;
};

// The interval of a product of two ratios that were measured apart: medians multiply, and the half widths of their logarithms
// add in quadrature, as errors that know nothing of each other do. REQUIRES: medians above 0.
wire::Interval product(const wire::Interval& one, const wire::Interval& other);

// Seconds of an epoch at this rate; nullopt when one of both is not known.
std::optional<double> epochSeconds(const Ladder& ladder, const LadderFigures& at);

LadderFigures ladderFigures(const wire::RunSummary& run);

}  // namespace atelier::lab
