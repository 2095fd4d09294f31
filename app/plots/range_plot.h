// RangePlot: what each number format reaches, as bars over one logarithmic axis: whole where numbers are normal, hatched where
// they are subnormal; a value as a line through all of them; above them, where there are any, the magnitudes of a run's values.
// Up and Down go from bar to bar, Left and Right from power of two to power of two; what is read stands at the upper right.
// Copy and save by the context menu. Reads without colour: bars by their fill, series by dash and marker. GUI thread.
#pragma once

#include <QRectF>
#include <QString>
#include <QVector>
#include <QWidget>

#include <optional>

class QPainter;

namespace atelier::app {

class Theme;
class Words;

struct RangeBar {
  QString label;
  double subnormal = 0, normal = 0, largest = 0;  // log2 of the smallest subnormal and normal, of the largest
  QString reading;
};

struct RangeSeries {
  QString label;
  int order = 0;           // colour, dash and marker
  int first = 0;           // the exponent of the first share
  QVector<double> shares;  // of the values in each power of two
  bool filled = false;
};

struct RangeContent {
  QString title, unit;
  QVector<RangeBar> bars;
  QVector<RangeSeries> series;
  std::optional<double> at;  // log2 of the value's magnitude
  QString atText;
};

class RangePlot : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kLow = -152, kHigh = 130;  // log2, of the axis

  RangePlot(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  void setContent(RangeContent content);
  const RangeContent& content() const { return m_content; }
  void restyle();
  void readBar(int bar);         // −1: none
  void readPower(int exponent);  // of the series
  int bar() const { return m_bar; }
  QString reading() const;

  bool saveImage(const QString& file) const;  // .svg or any raster format
  bool saveData(const QString& file) const;   // CSV: series, low, high, share
  void copyImage() const;

 Q_SIGNALS:
  void saveFailed(const QString& file);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void draw(QPainter& painter, const QSizeF& size) const;
  void drawHead(QPainter& painter, const QSizeF& size) const;
  void drawAxis(QPainter& painter, const QSizeF& size) const;
  void drawBar(QPainter& painter, int bar, const QSizeF& size) const;
  void drawSeries(QPainter& painter, const RangeSeries& series, const QRectF& area) const;
  void drawSeriesNames(QPainter& painter, const QRectF& area) const;
  void drawValue(QPainter& painter, const QSizeF& size) const;
  QRectF seriesRect(const QSizeF& size) const;  // empty without series
  QRectF barsRect(const QSizeF& size) const;
  QRectF barRect(int bar, const QSizeF& size) const;  // over the whole axis
  double xOf(double exponent, const QRectF& area) const;
  QString powerReading() const;
  double highestShare() const;
  void read(int bar, std::optional<int> power);
  void walk(int bars, int powers);
  void askAndSave(bool image);

  const Theme& m_theme;
  const Words& m_words;
  RangeContent m_content;
  int m_bar = -1;
  std::optional<int> m_power;
};

}  // namespace atelier::app
