// The plots of a column as one picture.
#include <QImage>
#include <QSaveFile>
#include <QSvgGenerator>

#include "app/shell/theme.h"
#include "custom_plot.h"
#include "plot_column.h"
#include "time_plot.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 960, kHeight = 240, kGap = 12;

}  // namespace

bool PlotColumn::saveAll(const QString& file) const {
  QVector<const TimePlot*> shown;
  for (const auto* plot : m_plots)
    if (!plot->isHidden()) shown.append(plot);
  const QSize size(kWidth, static_cast<int>(shown.size()) * (kHeight + kGap) - kGap);
  const auto paint = [&](QCPPainter& painter) {
    painter.setMode(QCPPainter::pmNoCaching);
    painter.fillRect(QRect(QPoint(0, 0), size), m_theme.tokens().panel);
    int top = 0;
    for (const auto* plot : shown) {
      plot->paint(painter, QRect(0, top, kWidth, kHeight));
      top += kHeight + kGap;
    }
    return painter.end();
  };
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly)) return false;
  QCPPainter painter;
  if (file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator generator;
    generator.setOutputDevice(&output);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    if (!painter.begin(&generator)) return false;
    painter.setMode(QCPPainter::pmVectorized);
    return paint(painter) && output.commit();
  }
  constexpr int kScale = 2;  // sharp on paper and on dense screens
  QImage image(size * kScale, QImage::Format_RGB32);
  if (!painter.begin(&image)) return false;
  painter.setMode(QCPPainter::pmNonCosmetic);
  painter.scale(kScale, kScale);
  const auto format = file.section(QLatin1Char('.'), -1).toUpper().toLatin1();
  return paint(painter) && image.save(&output, format.constData()) && output.commit();
}

}  // namespace atelier::app
