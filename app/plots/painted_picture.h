// A widget that paints itself, as a file: a picture twice as dense as the screen, or, for a name that ends in .svg, its
// vectors. GUI thread.
#pragma once

#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace atelier::app {

// False when it can't be written whole; what was there before then stays.
bool savePainted(const QString& file, const QSize& size, const std::function<void(QPainter&)>& paint);

}  // namespace atelier::app
