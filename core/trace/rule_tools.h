// What the rules of the diagnosis share: where times were measured, families of operators, shares, figures as texts.
// Figures are plain numbers ("1.42", "37"), never of a locale; see diagnosis_text.h for the reader's way of writing them.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis.h"

namespace atelier::trace::rules {

// Where the operators' work was timed. Unknown: on a device of which the trace holds nothing, so that host times are those of
// launches and say nothing of the work.
enum class Place { Host, Device, Unknown };
Place placeOf(const Facts& facts);

// By name, as Kineto records them on CPU and GPU, forward and backward.
bool isConvolution(std::string_view name);
bool isMatmul(std::string_view name);  // matmuls, convolutions, fused attention: work for matrix units

const std::string& nameOf(const Facts& facts, const OperatorRow& row);
// Self time: on the device where there is one, else on the host.
double workNs(const Facts& facts, const OperatorRow& row);
double workNs(const Facts& facts, std::size_t event);

double stepsOf(const Facts& facts);                 // that were traced; at least 1
double wallNs(const Facts& facts);                  // of all steps under the profiler
double shareOfWall(const Facts& facts, double ns);  // 0 … 1; 0 when nothing was timed
// Of the steps' time in which the device, or on a CPU the main thread, had nothing to do for this cause.
double idleShare(const Facts& facts, std::string_view cause);

// A module's path; "model" for the root, as scripts call it; "" for none.
std::string moduleName(const Facts& facts, std::int32_t module);
void addModule(Finding& finding, const std::string& name);
void addModules(Finding& finding, const Facts& facts, const OperatorRow& row);
void addOperator(Finding& finding, const std::string& name);
// The events that take longest among those that fit, at most three.
std::vector<std::int32_t> longestEvents(const Facts& facts, const std::function<bool(const Event&)>& fits);

// Writes share, expected_gain and its range: `share` of a step's time would be done `speedup` times faster (infinity: vanish).
void expectGain(Finding& finding, double share, double speedup);
// Of something that costs time and breaks nothing.
Severity severityOf(const Finding& finding);

// A batch several times larger than the spec's that the memory budget holds, or nothing when it is large already.
std::optional<std::int64_t> largerBatch(const Facts& facts);

// A weight's gradient, in the model's order: without biases, normalisations and embeddings, whose size follows other laws.
struct Layer {
  std::string name;
  double norm = 0;
  double typical = 0;  // root mean square of what is not zero
};
std::vector<Layer> layersOf(const wire::Health& health);

std::string figure(double value, int digits = 3);  // significant figures; trailing zeros left out
std::string percent(double share);                 // 0.374 → "37", 0.004 → "0.4"
std::string milliseconds(double ns);
std::string microseconds(double ns);
std::string mebibytes(double bytes);

}  // namespace atelier::trace::rules
