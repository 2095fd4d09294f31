// A sweep: one run for every combination of some keys' values (a point), measured one after the other. Here is what a sweep
// is made of and what it told; the engine's program does the measuring. Invariant: points stand in the grid's order, the
// last axis changing fastest, whatever order they were measured in. Any thread; values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "option.h"
#include "result.h"
#include "summary.h"

namespace atelier::wire {

inline constexpr std::size_t kMostSweepPoints = 200;
// Of the shuffle in which points are measured: always the same, so that a sweep can be repeated.
inline constexpr std::uint32_t kSweepSeed = 1;
// How far the first point may have moved by the end before a sweep's figures must not be trusted without a word.
inline constexpr double kSweepDrift = 0.05;

struct SweepAxis {
  std::string key;
  std::vector<nlohmann::json> values{};  // as the RunSpec takes them
};

struct SweepPoint {
  std::string variant;                               // of its events: its number, from "1"
  nlohmann::json values = nlohmann::json::object();  // key → value
  RunSummary summary{};                              // status "not_run" until it has been measured; its id is the run's
  bool pareto = false;                               // no other point has both more samples/s and less peak memory
};

struct SweepSummary {
  std::string id{}, name{};
  std::string status = "running";  // running, done, interrupted, failed
  std::vector<SweepAxis> axes{};
  std::vector<SweepPoint> points{};
  std::optional<std::size_t> best{};  // the point with most samples/s, from 0
  // Samples/s of the point that was measured first, measured once more at the end, over its first figure; and that last run.
  std::optional<double> drift{};
  std::string drift_run{};
};

// "batch=32,64,128" words as axes. Every mistake is named: unknown keys, values that the key does not take, a key or a value
// given twice, no value at all, no axis, more than kMostSweepPoints points (sweep.too_many).
Result<std::vector<SweepAxis>> readAxes(const Schema& schema, const std::vector<std::string>& words);

// The values of every point, in the grid's order. REQUIRES: what readAxes() gives.
std::vector<nlohmann::json> gridPoints(const std::vector<SweepAxis>& axes);

// The order in which `count` points are measured: a shuffle by kSweepSeed, the same on every machine. In the grid's own
// order a machine that grows warm and slow would draw a slope along the first axis.
std::vector<std::size_t> measuringOrder(std::size_t count);

// Marks the Pareto-optimal points and the best one, by medians, among those that are done. One point dominates another when
// it is no slower, needs no more memory, and is better in one of the two.
void judge(SweepSummary& sweep);

nlohmann::json toJson(const std::vector<SweepAxis>& axes);
// {variant, values, run, status, pareto} and, as far as measured, samples_per_second, milliseconds_per_step, blocks,
// disturbed_blocks, peak_memory_bytes, loss, accuracy, failure, each as in a run's summary.
nlohmann::json toJson(const SweepPoint& point);
nlohmann::json toJson(const SweepSummary& sweep);

// Lenient, as a run's summary is read.
std::vector<SweepAxis> sweepAxesFromJson(const nlohmann::json& json);
SweepSummary sweepSummaryFromJson(const nlohmann::json& json);

}  // namespace atelier::wire
