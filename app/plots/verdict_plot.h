// The verdict plot of a race: the ratio of each variant to A as the pairs of blocks came in, its 95 % interval as a band that
// narrows, the share within which a difference is of no weight shaded, pairs that were left out shaded too. Pure.
#pragma once

#include <vector>

#include "app/models/race_model.h"
#include "app/models/words.h"
#include "figure_content.h"

namespace atelier::app {

// Within this share of 1 there is no notable difference: what the engine's verdicts go by.
inline constexpr double kNoDifference = 0.02;

FigureContent verdictFigure(const std::vector<RaceTrack>& tracks, const Words& words);

}  // namespace atelier::app
