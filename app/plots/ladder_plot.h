// The ladder plot of a lab: how many times faster than its foot the training is after each rung, with the interval of the
// product of the gains as a band; at the end, once it was raced, all that was kept at once. Marks carry the rung's number, the
// foot being 0. Pure.
#pragma once

#include "app/models/words.h"
#include "figure_content.h"
#include "labs/ladder.h"

namespace atelier::app {

FigureContent ladderFigure(const lab::Ladder& ladder, const Words& words);

}  // namespace atelier::app
