#include "plain_plot.h"

#include <QSaveFile>
#include <QSvgGenerator>

#include "custom_plot.h"

namespace atelier::app {

namespace {

constexpr double kDense = 2;

}  // namespace

void makePlain(QCustomPlot& plot) {
  for (auto* axis : {plot.xAxis, plot.yAxis}) {
    axis->setBasePen(Qt::NoPen);
    axis->setTickPen(Qt::NoPen);
    axis->setSubTickPen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
    axis->setNumberFormat(QStringLiteral("gb"));
  }
}

bool savePicture(QCustomPlot& plot, const QString& file) {
  if (!file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) return plot.toPixmap(0, 0, kDense).save(file);
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly)) return false;
  QSvgGenerator generator;
  generator.setOutputDevice(&output);
  generator.setSize(plot.size());
  generator.setViewBox(QRect(QPoint(0, 0), plot.size()));
  QCPPainter painter;
  if (!painter.begin(&generator)) return false;
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  plot.toPainter(&painter, plot.width(), plot.height());
  painter.end();
  return output.commit();
}

void copyPicture(QCustomPlot& plot) {
  QApplication::clipboard()->setPixmap(plot.toPixmap(0, 0, kDense));
}

}  // namespace atelier::app
