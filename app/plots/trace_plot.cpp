#include "trace_plot.h"

#include <QContextMenuEvent>
#include <QFileDialog>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "painted_picture.h"

namespace atelier::app {

namespace {

constexpr double kNameSize = 10.5;

}  // namespace

TracePlot::TracePlot(const Theme& theme, const Words& words, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(words), m_bar(new QScrollBar(Qt::Vertical, this)) {
  setProperty("role", "plot");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  m_bar->setCursor(Qt::ArrowCursor);
  m_bar->hide();
  connect(&theme, &Theme::changed, this, &TracePlot::restyle);
  connect(&words, &Words::changed, this, &TracePlot::retext);
}

void TracePlot::restyle() {
  m_palette = TracePalette(m_theme);
  m_advance = QFontMetricsF(nameFont()).horizontalAdvance(QLatin1Char('m'));
  updateGeometry();
}

QFont TracePlot::nameFont() const {
  return m_theme.monospace(kNameSize);
}

bool TracePlot::pressKey(int key) {
  switch (key) {
    case Qt::Key_Home:
      showAll();
      return true;
    case Qt::Key_Escape:
      return escape();
    case Qt::Key_Slash:
      Q_EMIT searchRequested();
      return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      walk(key);
      return true;
    default:
      return false;
  }
}

void TracePlot::keyPressEvent(QKeyEvent* event) {
  const auto modifiers = event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
  if (event->matches(QKeySequence::Find)) {
    Q_EMIT searchRequested();
  } else if (isEmpty() || modifiers != Qt::NoModifier || !pressKey(event->key())) {
    QWidget::keyPressEvent(event);
  }
}

bool TracePlot::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    showTip(help->pos(), help->globalPos());
    return true;
  }
  return QWidget::event(event);
}

void TracePlot::contextMenuEvent(QContextMenuEvent* event) {
  if (isEmpty()) return;
  QMenu menu(this);
  const auto icon = [this](const char* name) { return m_theme.icon(QLatin1String(name)); };
  menu.addAction(icon("reset"), m_words.text("app.plot.show_all"), this, [this] { showAll(); });
  addToMenu(menu);
  menu.addSeparator();
  menu.addAction(icon("download"), m_words.text("app.plot.save_image"), this, [this] { askAndSave(); });
  menu.exec(event->globalPos());
}

bool TracePlot::saveImage(const QString& file) const {
  return savePainted(file, size(), [this](QPainter& painter) { draw(painter); });
}

void TracePlot::askAndSave() {
  const auto file =
      QFileDialog::getSaveFileName(this, m_words.text("app.plot.save_image"), QString(), m_words.text("app.plot.image_files"));
  if (!file.isEmpty() && !saveImage(file)) Q_EMIT saveFailed(file);
}

}  // namespace atelier::app
