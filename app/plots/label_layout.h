// Where labels at the series' ends go: as near as possible to where they want to be, and never over one another. Pure.
#pragma once

#include <QVector>

#include <optional>

namespace atelier::app {

// `wanted`: the labels' centres; `height`: of one label; the labels stay within top … bottom (top < bottom). Where not all
// fit, the later ones get none. The order of the centres is kept: a label wanted above another stays above it.
QVector<std::optional<double>> placeLabels(const QVector<double>& wanted, double height, double top, double bottom);

}  // namespace atelier::app
