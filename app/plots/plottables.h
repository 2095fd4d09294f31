// What QCustomPlot lacks or draws too slowly: interval bands, stacked areas and shaded spans, each drawn as one polygon a shape
// and decimated to the pixel. They own copies of what they show. GUI thread.
#pragma once

#include "custom_plot.h"

#include "app/models/run_series.h"

namespace atelier::app {

// Shared by the three: no selection, no legend.
class PlainPlottable : public QCPAbstractPlottable {
 public:
  using QCPAbstractPlottable::QCPAbstractPlottable;
  double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
  QCPRange getKeyRange(bool& found, QCP::SignDomain = QCP::sdBoth) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain = QCP::sdBoth, const QCPRange& = QCPRange()) const override;

 protected:
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
  QPointF pixel(double key, double value) const;
  int columns() const;
};

// The interval around a line, filled at 18 % opacity without an outline.
class BandPlottable : public PlainPlottable {
 public:
  static constexpr double kOpacity = 0.18;
  using PlainPlottable::PlainPlottable;
  void setBand(const Band& band, const QColor& color);

 protected:
  void draw(QCPPainter* painter) override;

 private:
  Band m_band;
};

// Areas stacked from below on one time axis. Invariant: all layers have as many points as the first.
class StackPlottable : public PlainPlottable {
 public:
  using PlainPlottable::PlainPlottable;
  void setLayers(const QVector<Curve>& layers, const QVector<QColor>& colors);

 protected:
  void draw(QCPPainter* painter) override;

 private:
  QVector<Curve> m_tops;  // running sums
  QVector<QColor> m_colors;
};

// Stretches of time shaded over the full height: blocks that were disturbed from outside.
class SpanPlottable : public PlainPlottable {
 public:
  using PlainPlottable::PlainPlottable;
  void setSpans(const QVector<RunSeries::Disturbed>& spans, const QColor& color);

 protected:
  void draw(QCPPainter* painter) override;

 private:
  QVector<RunSeries::Disturbed> m_spans;
};

// Discs of different sizes, a little transparent, so that what lies under one is seen.
class BubblePlottable : public PlainPlottable {
 public:
  static constexpr double kOpacity = 0.55;
  struct Bubble {
    double x = 0, y = 0;
    double diameter = 0;  // pixels
    bool strong = true;   // else only its rim
  };
  using PlainPlottable::PlainPlottable;
  void setBubbles(const QVector<Bubble>& bubbles, const QColor& color, double rim);

 protected:
  void draw(QCPPainter* painter) override;

 private:
  QVector<Bubble> m_bubbles;
};

}  // namespace atelier::app
