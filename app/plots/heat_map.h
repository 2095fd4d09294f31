// HeatMap: one figure of a sweep over two axes as a table of coloured cells; a third axis gives one table for each of its
// values (small multiples) in one colour scale. The ramp goes from the ground to the accent, so that it also reads in grey and
// for colour-blind readers; each cell says its value. A point that failed is hatched and says why when it is pointed at. Arrows
// move from cell to cell, Enter chooses. GUI thread.
#pragma once

#include <QRectF>
#include <QVector>
#include <QWidget>

#include <optional>

#include "app/models/sweep_model.h"

class QPainter;

namespace atelier::app {

class Theme;
class Words;

struct HeatCell {
  std::optional<double> value;
  QString text;     // what stands in it
  QString reading;  // what pointing at it reads
  bool failed = false;
  int point = -1;  // its place in the sweep
};

struct HeatPanel {
  QString title;            // the third axis' value, or ""
  QVector<HeatCell> cells;  // row by row
};

struct HeatContent {
  QString title, unit, rowKey, columnKey;
  QStringList rows, columns;  // the axes' values
  QVector<HeatPanel> panels;
  double low = 0, high = 1;  // the colour scale
};

// REQUIRES: two or three axes.
HeatContent heatContent(const wire::SweepSummary& sweep, SweepFigure figure, const Words& words);

class HeatMap : public QWidget {
  Q_OBJECT
 public:
  HeatMap(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  void setContent(HeatContent content);
  const HeatContent& content() const { return m_content; }
  void choose(int point);  // −1: none
  void restyle();
  // The colour of a share of the scale, 0 … 1; and the text's on it.
  QColor color(double share) const;
  QColor textOn(const QColor& ground) const;

  bool saveImage(const QString& file) const;  // .svg or any raster format
  bool saveData(const QString& file) const;   // CSV

 Q_SIGNALS:
  void chosen(int point);
  void saveFailed(const QString& file);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  struct At {
    int panel = 0, cell = 0;
    bool operator==(const At&) const = default;
  };
  void draw(QPainter& painter, const QSizeF& size) const;
  void drawPanel(QPainter& painter, int panel, const QSizeF& size) const;
  void drawCell(QPainter& painter, const QRectF& box, const HeatCell& cell, bool marked) const;
  QRectF panelRect(int panel, const QSizeF& size) const;
  QRectF cellRect(const At& at, const QSizeF& size) const;
  std::optional<At> cellAt(const QPointF& position) const;
  const HeatCell& cell(const At& at) const;
  void point(std::optional<At> at);  // reads it
  void walk(int rows, int columns);
  void askAndSave(bool image);

  const Theme& m_theme;
  const Words& m_words;
  HeatContent m_content;
  std::optional<At> m_at;
  int m_chosen = -1;
};

}  // namespace atelier::app
