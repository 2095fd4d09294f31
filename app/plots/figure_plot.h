// FigurePlot: one figure that is not over time, as its FigureContent says: title left, unit right (there the value under the
// pointer is read), no box, horizontal grid only, labels at the lines' ends. Zoom by wheel or + and −, pan by drag or Shift
// with the arrows, Home or double click shows all; arrows step from mark to mark and Enter chooses. Copy and save by the
// context menu. Numbers in the reader's language; exported data never. GUI thread.
#pragma once

#include <QWidget>

#include "figure_content.h"

class QCPGraph;
class QCPItemRect;
class QCPItemStraightLine;
class QCPItemText;
class QCustomPlot;

namespace atelier::app {

class BandPlottable;
class BubblePlottable;
class Theme;
class Words;

class FigurePlot : public QWidget {
  Q_OBJECT
 public:
  FigurePlot(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  void setContent(FigureContent content);
  const FigureContent& content() const { return m_content; }
  void choose(int id);  // marks it; −1: none
  int chosenId() const { return m_chosen; }
  void retext();
  void restyle();

  bool saveImage(const QString& file) const;  // .svg or any raster format
  bool saveData(const QString& file) const;   // CSV: series, x, y, low, high
  void copyImage() const;

 Q_SIGNALS:
  void chosen(int id);
  void saveFailed(const QString& file);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build();
  void redraw();
  void drawAxes();
  void drawLines();
  void drawMarks();
  void drawZones();
  void drawLevels();
  void layLabels();
  void showAll();
  void read(const QPointF& at);
  QString readingAt(double x) const;  // of the zones and lines
  int nearestMark(const QPointF& at) const;
  void readMark(int index);
  void step(int direction);
  void askAndSave(bool image);
  int labelWidth() const;

  const Theme& m_theme;
  const Words& m_words;
  FigureContent m_content;
  QCustomPlot* m_plot = nullptr;
  QVector<QCPGraph*> m_lines;
  QCPGraph *m_strong = nullptr, *m_weak = nullptr, *m_ring = nullptr;
  QVector<BandPlottable*> m_bands;
  BubblePlottable* m_bubbles = nullptr;
  QVector<QCPItemRect*> m_zones;
  QVector<QCPItemText*> m_zoneTexts, m_labels;
  QVector<QCPItemStraightLine*> m_levels;
  QCPItemText *m_title = nullptr, *m_unit = nullptr;
  int m_chosen = -1, m_read = -1;
  bool m_following = true, m_setting = false;
};

}  // namespace atelier::app
