// FlamePlot: the call stacks of a track merged by name, as an icicle: callers above, what they called below, as wide as it
// took. Of the steps, or of the span that is chosen. Click: zoom into a box and choose its name; the path above leads back.
// Keys: arrows go from box to box, Enter and W zoom in, Backspace and S out, Home shows all, F zooms to what is chosen, Esc
// forgets; / and Ctrl+F ask for the search field. It follows theme and language by itself. GUI thread.
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

#include "app/models/flame_layout.h"
#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "trace_palette.h"

class QPainter;
class QScrollBar;

namespace atelier::app {

class Theme;
class Words;

class FlamePlot : public QWidget {
  Q_OBJECT
 public:
  FlamePlot(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  void setDocument(std::shared_ptr<const TraceDocument::Content> content);  // nullptr: nothing
  void setSelection(TraceSelection* selection);                             // not owned, may go first
  // In trace.tracks; −1: the main one. A flame that is not at hand is made in a thread of its own.
  void setTrack(std::int32_t track);
  std::int32_t track() const;

  const FlameLayout& flameLayout() const { return m_layout; }
  std::int32_t root() const { return m_root; }  // the node that fills the width; −1: all
  void zoomTo(std::int32_t node);
  std::int32_t current() const { return m_current; }  // the node that the keys stand on; −1: none
  std::int32_t hovered() const { return m_hovered; }

  // What doesn't match is dimmed. "" ends the search. Returns the share of the time that matches, 0 … 1.
  double search(const QString& text);

  bool saveImage(const QString& file) const;  // .svg or any raster format

  QRectF nodeRect(std::int32_t node) const;            // in the widget; empty: not below root()
  std::int32_t nodeAt(const QPointF& position) const;  // −1: none
  QRectF crumbRect(int crumb) const;                   // of the path above: 0 is "all"; empty: not there

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void searchRequested();
  void rootChanged(std::int32_t node);
  void flameChanged();  // another track, span or trace
  void saveFailed(const QString& file);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Crumb {
    std::int32_t node = -1;  // −1: all
    QRectF place;
    QString text;
  };

  void remake();
  void take(trace::Flame flame);
  void placeBar();
  void layCrumbs();
  QRectF boxesRect() const;
  QRectF placeOf(const FlameBox& box) const;
  double rowHeight() const;
  QFont nameFont() const;
  QString nameOf(std::int32_t node) const;

  void draw(QPainter& painter) const;
  void drawHead(QPainter& painter) const;
  void drawBoxes(QPainter& painter) const;
  void drawBox(QPainter& painter, std::int32_t node, const QRectF& place) const;
  void drawName(QPainter& painter, std::int32_t node, const QRectF& place) const;
  void drawOutline(QPainter& painter, std::int32_t node, const QColor& color, double width) const;
  void drawEmpty(QPainter& painter) const;
  bool isChosen(const trace::FlameNode& node) const;

  void hover(const QPointF& position);
  void makeCurrent(std::int32_t node);
  void choose(std::int32_t node);
  void walk(int key);
  bool pressKey(int key);
  bool escape();
  void showTip(const QPoint& position, const QPoint& global);
  void selectionChanged();
  void spanChanged();
  void describe();  // to a screen reader
  void askAndSave();
  void restyle();
  void retext();

  const Theme& m_theme;
  const Words& m_words;
  std::shared_ptr<const TraceDocument::Content> m_content;
  QPointer<TraceSelection> m_selection;
  TracePalette m_palette;
  FlameLayout m_layout;
  std::vector<Crumb> m_crumbs;
  QScrollBar* m_bar = nullptr;
  QTimer m_wait;  // a span that is being drawn out changes with every pixel
  QString m_searched;
  std::vector<char> m_matches;  // by node; empty: no search
  double m_advance = 1;         // of a character of a name
  std::int32_t m_track = -1, m_root = -1, m_current = -1, m_hovered = -1;
  std::int32_t m_chosen = -1;  // the node of the chosen event
  int m_making = 0;            // which flame is awaited
  bool m_choosing = false;     // this widget makes the selection
};

}  // namespace atelier::app
