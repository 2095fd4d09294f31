// TimelinePlot: a trace over time: a ruler, the stages of the steps, a row for each depth of each track, and under them the
// memory. Only what the pixels can show is drawn, so that a million events move as smoothly as ten. Wheel: zoom at the pointer;
// drag: move; Shift and drag, or drag in the ruler: choose a span; click: choose an event; double click: zoom to it. Keys: W S
// zoom, A D move, arrows go from event to event, F shows what is chosen, Home all, Esc forgets the span, then the event; / and
// Ctrl+F ask for the search field. It follows theme and language by itself. GUI thread.
#pragma once

#include <QHash>
#include <QPixmap>
#include <QStaticText>

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "app/models/timeline_search.h"
#include "time_axis.h"
#include "trace_plot.h"

namespace atelier::app {

class TimelinePlot : public TracePlot {
  Q_OBJECT
 public:
  TimelinePlot(const Theme& theme, const Words& words, QWidget* parent = nullptr);

  // Shows all of it; nullptr: nothing.
  void setDocument(std::shared_ptr<const TraceDocument::Content> content);
  void setSelection(TraceSelection* selection);  // not owned, may go first; nullptr: nothing can be chosen

  // The visible span, in ns since the trace's start. Bounded to the trace.
  void setView(double from, double to);
  double viewFrom() const { return m_axis.from; }
  double viewTo() const { return m_axis.to; }
  void showWhole();
  void fitSelection();                   // the chosen event, else the chosen span, else all
  void fitEvent(std::int32_t event);     // its whole time in view
  void revealEvent(std::int32_t event);  // moves as little as needed to have some of it in view

  // What doesn't match is dimmed. "" ends the search. Returns how many events match.
  std::size_t search(const QString& text);
  const TimelineSearch& matches() const { return m_search; }
  bool chooseMatch(int direction);  // the next or (−1) the last match after what is chosen; false: there is none

  void setTrackShown(std::int32_t track, bool shown);  // in trace.tracks
  bool trackShown(std::int32_t track) const { return !m_hidden.contains(track); }
  void setTrackCollapsed(std::int32_t track, bool collapsed);
  bool trackCollapsed(std::int32_t track) const { return m_collapsed.contains(track); }

  // Where an event stands in the widget, also beyond its edges; empty: it is not drawn.
  QRectF eventRect(std::int32_t event) const;
  std::int32_t eventAt(const QPointF& position) const;  // −1: none
  std::int32_t hovered() const { return m_hovered; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void viewChanged(double from, double to);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  // A track as it is laid out: its rows below one another, from `top` in the column that is scrolled.
  struct Lane {
    std::size_t track = 0;  // in TimelineLayout::tracks()
    std::size_t rows = 0;
    double top = 0;
  };
  enum class Drag { None, Press, Pan, Span, Label };

  // Geometry, in the widget.
  void layLanes();
  void placeBar();
  double labelWidth() const;
  double rowHeight() const;
  double laneHeight(const Lane& lane) const;
  QRectF rulerRect() const;
  QRectF bandRect() const;
  QRectF rowsRect() const;
  QRectF memoryRect() const;
  double topOf(const Lane& lane) const;
  const Lane* laneAt(double y) const;                // nullptr: none
  std::optional<std::size_t> rowAt(double y) const;  // in TimelineLayout
  const Lane* laneOf(std::int32_t event) const;      // nullptr: its track is hidden
  bool hasMemory() const;
  bool isEmpty() const override { return !m_content || m_content->trace.events.empty(); }
  QString labelOf(std::int32_t track) const;

  // Painting.
  void restyle() override;
  void retext() override;
  void touch();  // what was drawn is no longer right
  void draw(QPainter& painter) const override;
  void drawStatic(QPainter& painter) const;
  void drawRuler(QPainter& painter) const;
  void drawGrid(QPainter& painter) const;
  void drawBand(QPainter& painter) const;
  void drawRows(QPainter& painter) const;
  void drawRow(QPainter& painter, std::size_t row, const QRectF& place) const;
  void drawBox(QPainter& painter, const TimelineBox& box, const QRectF& place) const;
  void drawSteps(QPainter& painter) const;
  void drawLabels(QPainter& painter) const;
  void drawLabel(QPainter& painter, const Lane& lane) const;
  void drawSideText(QPainter& painter, const QRectF& beside, const QString& text) const;
  void drawMemory(QPainter& painter) const;
  void drawOverlay(QPainter& painter) const;
  void drawOutline(QPainter& painter, std::int32_t event, const QColor& color, double width) const;
  void drawArrows(QPainter& painter) const;
  void drawArrow(QPainter& painter, const TimelineLink& link) const;
  void drawSpan(QPainter& painter) const;
  void drawPointer(QPainter& painter) const;
  void drawEmpty(QPainter& painter) const;
  bool isDimmed(const TimelineBox& box) const;
  QRectF boxRect(double from, double to, const QRectF& row) const;
  const QStaticText* nameIn(std::int32_t name, double width) const;  // nullptr: there is no room

  // Input.
  void zoomAt(double time, double factor);
  void panBy(double pixels);
  void scrollBy(double pixels);
  void hover(const QPointF& position);
  void choose(std::int32_t event);
  void showAll() override { showWhole(); }
  void walk(int key) override;
  bool pressKey(int key) override;
  bool escape() override;
  void addToMenu(QMenu& menu) override;
  void dragSpan(double x);
  void click(const QPointF& position);
  void showTip(const QPoint& position, const QPoint& global) override;
  void selectionChanged();
  void describe();              // to a screen reader
  std::int32_t chosen() const;  // an event of this trace; −1: none

  TimeAxis m_axis;
  TimelineSearch m_search, m_marked;  // m_marked: of a name or module that was chosen without an event
  std::vector<TimelineLink> m_links;  // of the chosen event
  std::vector<Lane> m_lanes;          // of shown tracks, from above
  double m_lanesHeight = 0;
  std::set<std::int32_t> m_hidden, m_collapsed;

  QPixmap m_layer;  // all that follows neither the pointer nor what is chosen
  bool m_stale = true;
  mutable std::vector<TimelineBox> m_boxes;  // of the row that is drawn: keeps its space
  mutable QHash<quint64, QStaticText> m_names;

  Drag m_drag = Drag::None;
  QPointF m_pressed, m_last;
  std::optional<double> m_pointer;  // its x
};

}  // namespace atelier::app
