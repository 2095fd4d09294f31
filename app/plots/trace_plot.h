// TracePlot: what the plots that draw a trace themselves have in common: theme and language, a bar to scroll by, the keys that
// mean the same in each, tooltips, the context menu and saving. What is drawn, and how it is zoomed, is each one's own.
// GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include <memory>

#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "trace_palette.h"

class QMenu;
class QPainter;
class QScrollBar;

namespace atelier::app {

class Theme;
class Words;

class TracePlot : public QWidget {
  Q_OBJECT
 public:
  bool saveImage(const QString& file) const;  // .svg or any raster format

 Q_SIGNALS:
  void searchRequested();
  void saveFailed(const QString& file);

 protected:
  TracePlot(const Theme& theme, const Words& words, QWidget* parent);

  // Called when theme or language change, and by each constructor once.
  virtual void restyle();
  virtual void retext() = 0;
  virtual bool isEmpty() const = 0;
  virtual void draw(QPainter& painter) const = 0;  // all of it, as it is saved
  virtual void showAll() = 0;                      // as it was before it was zoomed
  virtual void walk(int key) = 0;                  // an arrow
  virtual bool escape() = 0;                       // whether there was something to forget
  virtual bool pressKey(int key);                  // whether the key means something here
  virtual void showTip(const QPoint& position, const QPoint& global) = 0;
  virtual void addToMenu(QMenu& /*menu*/) {}

  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;
  QFont nameFont() const;

  const Theme& m_theme;
  const Words& m_words;
  std::shared_ptr<const TraceDocument::Content> m_content;
  QPointer<TraceSelection> m_selection;
  TracePalette m_palette;
  QScrollBar* m_bar = nullptr;
  double m_advance = 1;     // of a character of a name
  bool m_choosing = false;  // this widget makes the selection
  std::int32_t m_hovered = -1;

 private:
  void askAndSave();
};

}  // namespace atelier::app
