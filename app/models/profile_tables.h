// The tables of a profile, worded: operators, modules, kernels, stages, transfers, idle times, tensors alive at the peak,
// statistics of a model's health, the difference of two traces. Times are a step's, in milliseconds, unless the head says
// otherwise. Tables of single events hold at most kMostEvents rows, those that took longest, and say how many are left out.
// Pure; any thread.
#pragma once

#include <vector>

#include "core/trace/compare.h"
#include "core/wire/health.h"
#include "trace_document.h"
#include "trace_table.h"

namespace atelier::app {

class Words;

inline constexpr std::size_t kMostEvents = 5'000;

TraceRows operatorRows(const TraceDocument::Content& content, bool byShapes, const Words& words);
TraceRows moduleRows(const TraceDocument::Content& content, const Words& words);
TraceRows kernelRows(const TraceDocument::Content& content, const Words& words);

// The stages of a step, and the same time seen from other sides: in operators, waiting, on the device.
TraceRows stageRows(const TraceDocument::Content& content, const Words& words);
TraceRows transferRows(const TraceDocument::Content& content, const Words& words);
TraceRows idleRows(const TraceDocument::Content& content, const Words& words);

TraceRows tensorRows(const TraceDocument::Content& content, const Words& words);  // alive at the peak
// `gradients`: of a table of parameters, by name how far a step moves each: a column more where any layer is known.
TraceRows healthRows(const std::vector<wire::TensorStats>& stats, const Words& words, const wire::Gradients& gradients = {});
// b is `trace`, whose names and modules rows lead to.
TraceRows changeRows(const trace::Comparison& comparison, const trace::Trace& trace, const Words& words);

// "weights"; for what nobody told of, a word of its own.
QString categoryText(trace::Category category, const Words& words);

}  // namespace atelier::app
