// What number formats reach, and a run's values over it, as the content of a RangePlot. Pure; GUI thread.
#pragma once

#include "app/models/formats_model.h"
#include "core/wire/value_histogram.h"
#include "range_plot.h"

namespace atelier::app {

class Words;

// A bar a format and the model's value.
RangeContent formatRanges(const FormatsModel& model, const Words& words);

enum class CountedKind { Weights, Activations, Gradients };
const wire::ValueHistogram& histogramOf(const wire::ValueHistograms& all, CountedKind kind);

// The same under the magnitudes of weights, activations and gradients: shares of each one's finite values that are not 0; those
// of `kind` are filled. Series without such values are left out.
RangeContent countedRanges(const FormatsModel& model, const wire::ValueHistograms& all, CountedKind kind, const Words& words);

}  // namespace atelier::app
