// TimePlot: one figure over time: title left, unit right, no box, horizontal grid only, direct labels at the lines' ends. Zoom
// by wheel or + and −, pan by drag or Shift with the arrows, double click or Home to see all, arrows to read values. While the
// whole is in view it follows the run. All numbers are drawn in the reader's language; exported data never. GUI thread.
#pragma once

#include <QWidget>

#include <functional>
#include <string>

#include "linked_cursor.h"
#include "plot_content.h"

class QCPItemStraightLine;
class QCPItemText;
class QCPPainter;
class QCustomPlot;

namespace atelier::app {

class BandPlottable;
class SpanPlottable;
class StackPlottable;
class Theme;

struct PlotTexts {
  QString title, unit, budget, timeAxis;
  QString copyImage, saveImage, saveData, showAll, imageFiles, dataFiles;
  std::function<QString(double)> number = [](double) { return QString(); };  // as the reader's language writes it
  QString seconds;                                                           // unit of the readout: "s"
  QString language;
  std::function<QString(const std::string&)> reason = [](const std::string&) { return QString(); };  // why a block is left out
};

class TimePlot : public QWidget {
  Q_OBJECT
 public:
  TimePlot(const Theme& theme, LinkedCursor& cursor, bool zeroInView, QWidget* parent = nullptr);

  void setTexts(PlotTexts texts);
  void setContent(PlotContent content);
  const PlotContent& content() const { return m_content; }
  // Stands in the plot, and in every picture and file made of it: what it shows was not measured here. "": no mark.
  void setMark(const QString& mark);
  void showTimeAxis(bool shown);  // its label; off until asked for
  bool timeAxisShown() const { return m_timeAxis; }
  void restyle();
  // Pixels that the labels need on the right; a column gives all its plots the widest.
  int labelWidth() const;
  void setLabelWidth(int pixels);
  // The shared time axis. following: the whole run, growing with it.
  void setView(double from, double to, bool following);
  bool following() const { return m_following; }

  // As it stands, at another size: a part of a picture of several.
  void paint(QCPPainter& painter, const QRect& place) const;
  bool saveImage(const QString& file) const;  // .svg or any raster format
  bool saveData(const QString& file) const;   // CSV: series, seconds, value
  void copyImage() const;

 Q_SIGNALS:
  void viewChanged(double from, double to, bool following);
  void saveFailed(const QString& file);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Label {
    QCPItemText* marker = nullptr;
    QCPItemText* text = nullptr;
  };
  void buildAxes();
  void buildItems();
  void redraw();
  void drawLines();
  void drawBands();
  void syncLabels();
  void placeAllLabels();
  QVector<double> labelValues() const;
  void showReadout();
  void userMoved();
  void showAll();
  void zoom(double factor);
  void pan(double share);
  void moveCursor(int direction);
  void applyMargins();
  void askAndSave(bool image);
  QColor layerColor(int layer) const;

  const Theme& m_theme;
  LinkedCursor& m_cursor;
  bool m_zeroInView, m_following = true, m_setting = false, m_timeAxis = false;
  int m_labelRoom = 0, m_columns = 0;
  PlotTexts m_texts;
  PlotContent m_content;
  QCustomPlot* m_plot = nullptr;
  StackPlottable* m_stack = nullptr;
  SpanPlottable* m_spans = nullptr;
  QVector<BandPlottable*> m_bands;
  QVector<Label> m_labels;
  QCPItemText *m_title = nullptr, *m_unit = nullptr, *m_budgetText = nullptr, *m_mark = nullptr;
  QCPItemStraightLine *m_cursorLine = nullptr, *m_budgetLine = nullptr;
};

}  // namespace atelier::app
