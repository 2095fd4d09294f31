// FlamePlot: the call stacks of a track merged by name, as an icicle: callers above, what they called below, as wide as it
// took. Of the steps, or of the span that is chosen. Click: zoom into a box and choose its name; the path above leads back.
// Keys: arrows go from box to box, Enter and W zoom in, Backspace and S out, Home shows all, F zooms to what is chosen, Esc
// forgets; / and Ctrl+F ask for the search field. It follows theme and language by itself. GUI thread.
#pragma once

#include <QTimer>
#include <memory>
#include <vector>

#include "app/models/flame_layout.h"
#include "trace_plot.h"

namespace atelier::app {

class FlamePlot : public TracePlot {
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

  QRectF nodeRect(std::int32_t node) const;            // in the widget; empty: not below root()
  std::int32_t nodeAt(const QPointF& position) const;  // −1: none
  QRectF crumbRect(int crumb) const;                   // of the path above: 0 is "all"; empty: not there

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void rootChanged(std::int32_t node);
  void flameChanged();  // another track, span or trace

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

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
  QString nameOf(std::int32_t node) const;

  bool isEmpty() const override { return m_layout.empty(); }
  void draw(QPainter& painter) const override;
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
  void showAll() override { zoomTo(-1); }
  void walk(int key) override;
  bool pressKey(int key) override;
  bool escape() override;
  void showTip(const QPoint& position, const QPoint& global) override;
  void selectionChanged();
  void spanChanged();
  void describe();  // to a screen reader
  void restyle() override;
  void retext() override;

  FlameLayout m_layout;
  std::vector<Crumb> m_crumbs;
  QTimer m_wait;  // a span that is being drawn out changes with every pixel
  QString m_searched;
  std::vector<char> m_matches;  // by node; empty: no search
  std::int32_t m_track = -1, m_root = -1, m_current = -1;
  std::int32_t m_chosen = -1;  // the node of the chosen event
  int m_making = 0;            // which flame is awaited
};

}  // namespace atelier::app
