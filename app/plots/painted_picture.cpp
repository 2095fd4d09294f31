#include "painted_picture.h"

#include <QFileInfo>
#include <QPainter>
#include <QPixmap>
#include <QSaveFile>
#include <QSvgGenerator>

namespace atelier::app {

bool savePainted(const QString& file, const QSize& size, const std::function<void(QPainter&)>& paint) {
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly)) return false;
  const auto suffix = QFileInfo(file).suffix().toLower();
  QPainter painter;
  if (suffix == QLatin1String("svg")) {
    QSvgGenerator generator;
    generator.setOutputDevice(&output);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    if (!painter.begin(&generator)) return false;
    paint(painter);
    painter.end();
    return output.commit();
  }
  constexpr int kDense = 2;
  QPixmap picture(kDense * size);
  picture.setDevicePixelRatio(kDense);
  painter.begin(&picture);
  paint(painter);
  painter.end();
  return picture.save(&output, suffix.toLatin1().constData()) && output.commit();
}

}  // namespace atelier::app
