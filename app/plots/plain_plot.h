// What all QCustomPlots of this program have in common: axes without lines or ticks, and how they become a picture. Include in
// sources only: QCustomPlot's header is large. GUI thread.
#pragma once

#include <QString>

class QCustomPlot;

namespace atelier::app {

// No box, no ticks, no sub-grid; numbers by the plot's locale.
void makePlain(QCustomPlot& plot);

// A picture twice as dense as the screen, or, for a file that ends in .svg, its vectors. False when it can't be written.
bool savePicture(QCustomPlot& plot, const QString& file);
void copyPicture(QCustomPlot& plot);

}  // namespace atelier::app
