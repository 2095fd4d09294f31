// A class as its trainer sees it: the results that learners put into one folder (a shared drive, a stick), rolled up offline.
// Each result is a folder with a results.json (see results.h); they may lie in folders of folders. Nothing is written, nothing
// is asked of a network, and a broken or hostile result is listed with its reason and never keeps the others from being read:
// links are not followed, sizes, counts and depth are bounded, texts are made plain. Names are as learners typed them.
//
// Figures are measured on each learner's machine and stay beside it: a distribution tells over how many, and undecided races
// (machine busy) are counted apart, never mixed in. Any thread; values only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/wire/catalog.h"
#include "core/wire/result.h"
#include "core/wire/summary.h"
#include "labs/check.h"

namespace atelier::lab {

struct Machine {
  std::string cpu;
  int cores = 0;
  std::int64_t memory_bytes = 0;
  std::vector<std::string> gpus;
};

struct StepResult {
  std::string id, title;
  bool done = false, experiment = false;
  int hints_shown = 0;
  bool solution_shown = false;
  int questions = 0, right = 0;  // of its quiz; right: answered and right
};

struct JudgedCheck {
  std::string step, check, kind;  // catalog id check.KIND.name says what it is called
  CheckState state = CheckState::NotRun;
  std::optional<double> measured;
  std::optional<wire::Interval> interval;
  std::string wanted;
  bool solution_shown = false;
};

struct JudgedPrediction {
  std::string step, quantity, unit;
  std::optional<double> predicted;
  std::optional<wire::Interval> measured;
  // Measured over predicted: 1 is exact, 2 twice as much as thought. Only where both are there and neither is 0.
  std::optional<double> ratio() const;
};

// What a step's experiment measured: a race's ratio (b over a), or a run's samples_per_second.
struct Measured {
  std::string step, quantity;
  wire::Interval value;
  std::string verdict;  // of a race
  bool undecided() const { return verdict == "machine-busy"; }
};

// One learner in one lab, as last written.
struct LabResult {
  std::string lab, number, title;
  std::vector<StepResult> steps;
  std::vector<JudgedCheck> checks;
  std::vector<JudgedPrediction> predictions;
  std::vector<Measured> measured;
  Machine machine;
  std::int64_t written_ms = 0, last_activity_ms = 0;  // Unix time; activity: the newest run, else when it was written
  std::filesystem::path folder;
  bool report = false;  // a report.pdf lies beside it
  bool stuck = false;   // see kStuckAfterMs

  int stepsDone() const;
  bool finished() const { return stepsDone() == static_cast<int>(steps.size()); }
  // The first step that is not done; null when the lab is finished.
  const StepResult* at() const;
  int count(CheckState state) const;
};

// A person, or a pair at one machine: one typed name on one installation. The same name on two machines is two learners.
struct Learner {
  std::string name;             // as typed, made one plain line; "" when nothing was typed
  std::string label;            // unique in the class: the name, or "Anna (1)", "Anna (2)"; of nameless ones "(1)", "(2)", …
  std::vector<LabResult> labs;  // by number
  std::int64_t last_activity_ms = 0;

  int steps() const;
  int stepsDone() const;
  int count(CheckState state) const;
  bool stuck() const;
  const LabResult* find(const std::string& lab) const;
};

// Quantiles by linear interpolation between the sorted values. REQUIRES for all but count: count > 0.
struct Distribution {
  int count = 0;
  double min = 0, low = 0, median = 0, high = 0, max = 0;  // low and high: the quartiles
};
Distribution distributionOf(std::vector<double> values);

struct StepRollUp {
  std::string id, title;
  int learners = 0, done = 0, here = 0;  // here: it is the first step that they have not done
  int hints_shown = 0, solutions_shown = 0;
};

struct CheckRollUp {
  std::string step, check, kind;
  int passed = 0, failed = 0, noise = 0, not_run = 0, not_predicted = 0, solution_shown = 0;
  int judged() const { return passed + failed + noise; }
  std::optional<double> sharePassed() const;  // of those judged
};

// One learner's figure: `learner` indexes Class::learners.
struct MeasuredPoint {
  std::size_t learner = 0;
  wire::Interval value;
  std::string verdict, cpu;
  int cores = 0;
};
struct MeasuredRollUp {
  std::string step, quantity;
  std::vector<MeasuredPoint> points;  // smallest first, undecided ones too
  Distribution distribution;          // of the medians of decided ones
  int undecided = 0, faster = 0, slower = 0, no_difference = 0;
};

struct PredictionPoint {
  std::size_t learner = 0;
  double predicted = 0, measured = 0;
};
struct PredictionRollUp {
  std::string step, quantity, unit;
  int learners = 0, predicted = 0;      // who came so far as to be asked; who wrote a number down
  std::vector<PredictionPoint> points;  // predicted and measured
  Distribution ratio;                   // measured over predicted
};

struct LabRollUp {
  std::string lab, number, title;
  int learners = 0, finished = 0, stuck = 0;
  std::vector<StepRollUp> steps;
  std::vector<CheckRollUp> checks;
  std::vector<MeasuredRollUp> measured;
  std::vector<PredictionRollUp> predictions;
};

struct Class {
  std::filesystem::path folder;
  std::vector<Learner> learners;        // by label
  std::vector<LabRollUp> labs;          // by number
  std::vector<wire::Message> problems;  // what was left out, and why (args file, …)
  int superseded = 0;                   // older copies of a result that is there again
  std::int64_t latest_ms = 0;           // the newest activity of anybody
};

// A learner is stuck in an unfinished lab when at least two others, and at least half of the others in this lab, have done the
// step that the learner stands at, and at least two others were active (in any lab) kStuckAfterMs or more after the learner's
// own last activity. Clocks that differ by minutes blur this; times in the future of `now_ms` count as now.
inline constexpr std::int64_t kStuckAfterMs = 10 * 60 * 1000;

inline constexpr std::size_t kMostResults = 2000, kMostClassEntries = 50'000;
inline constexpr std::uintmax_t kLargestResult = 1 << 20;     // bytes of one results.json
inline constexpr std::uintmax_t kMostClassBytes = 256 << 20;  // of all of them
inline constexpr int kDeepestResult = 5;                      // folders below the class's own

// REQUIRES: now_ms is the present Unix time. A folder that is not there gives a Class with one problem.
Class readClass(const std::filesystem::path& folder, std::int64_t now_ms);

// {folder, learners: [{learner, label, labs: [{…}]}], labs: [{…}], problems, superseded}; times as ISO 8601 in UTC.
nlohmann::json toJson(const Class& all, const wire::Catalog& catalog);
// One row a learner and lab, RFC 4180, header first; texts that a spreadsheet would take for a formula are quoted with "'".
std::string toCsv(const Class& all);
// The roll-up for people, in the catalog's language.
std::string toMarkdown(const Class& all, const wire::Catalog& catalog);

// "2026-11-30T10:45:12Z", or "" for 0.
std::string isoTime(std::int64_t unix_ms);

}  // namespace atelier::lab
