// Figures of a profile: operators under the machine's roof, the gradient's norm layer by layer, live memory by category. Pure;
// GUI thread.
#pragma once

#include <QStringList>

#include "app/models/trace_document.h"
#include "app/models/words.h"
#include "core/wire/health.h"
#include "figure_content.h"
#include "plot_content.h"

namespace atelier::app {

// Roofs from the measured peaks, a disc an operator as large as its time; marks carry the place in report.roofline as their id.
// Empty: no operator's work is known. Without peaks there are discs and no roofs.
FigureContent rooflineFigure(const TraceDocument::Content& content, const Words& words);
bool hasPeaks(const TraceDocument::Content& content);

// The norm of each parameter's gradient in the model's order; marks carry the place in health.parameters as their id. A norm
// that is 0 or not finite stands at the lower edge, hollow.
FigureContent gradientFlowFigure(const wire::Health& health, const Words& words);

// Layers from below: weights, optimizer, gradients, activations, other, unknown; MiB over milliseconds since the trace's start.
// The peak is the level; it happened in the shaded moment.
PlotContent memoryPlot(const trace::MemoryReport& memory, const Words& words);
QStringList memoryLayers(const Words& words);

}  // namespace atelier::app
