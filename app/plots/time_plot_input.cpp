// How a TimePlot is moved, read and saved: mouse, keyboard, context menu, files.
#include <algorithm>

#include "app/models/save_file.h"
#include "app/shell/theme.h"
#include "custom_plot.h"
#include "plain_plot.h"
#include "time_plot.h"

namespace atelier::app {

void TimePlot::userMoved() {
  if (m_setting) return;
  m_following = false;
  redraw();
  const auto range = m_plot->xAxis->range();
  Q_EMIT viewChanged(range.lower, range.upper, false);
}

void TimePlot::showAll() {
  setView(0, std::max(1.0, m_content.lastTime), true);
  Q_EMIT viewChanged(0, std::max(1.0, m_content.lastTime), true);
}

void TimePlot::zoom(double factor) {
  const auto range = m_plot->xAxis->range();
  const double middle = m_cursor.time().value_or(range.center());
  m_plot->xAxis->scaleRange(factor, middle);
}

void TimePlot::pan(double share) {
  m_plot->xAxis->moveRange(share * m_plot->xAxis->range().size());
}

void TimePlot::moveCursor(int direction) {
  const auto range = m_plot->xAxis->range();
  constexpr int kStops = 100;
  const double now = m_cursor.time().value_or(direction > 0 ? range.lower : range.upper);
  m_cursor.set(std::clamp(now + direction * range.size() / kStops, range.lower, range.upper));
  setAccessibleDescription(m_unit->text());
}

void TimePlot::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  constexpr double kPan = 0.2, kZoom = 0.8;
  switch (event->key()) {
    case Qt::Key_Left:
      shift ? pan(-kPan) : moveCursor(-1);
      break;
    case Qt::Key_Right:
      shift ? pan(kPan) : moveCursor(1);
      break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoom(kZoom);
      break;
    case Qt::Key_Minus:
      zoom(1 / kZoom);
      break;
    case Qt::Key_Home:
    case Qt::Key_0:
      showAll();
      break;
    case Qt::Key_Escape:
      m_cursor.set(std::nullopt);
      break;
    default:
      QWidget::keyPressEvent(event);
  }
}

bool TimePlot::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave) m_cursor.set(std::nullopt);
  return QWidget::eventFilter(watched, event);
}

void TimePlot::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(m_theme.icon(QStringLiteral("copy")), m_texts.copyImage, this, &TimePlot::copyImage);
  menu.addAction(m_theme.icon(QStringLiteral("download")), m_texts.saveImage, this, [this] { askAndSave(true); });
  menu.addAction(m_theme.icon(QStringLiteral("download")), m_texts.saveData, this, [this] { askAndSave(false); });
  menu.addSeparator();
  menu.addAction(m_theme.icon(QStringLiteral("reset")), m_texts.showAll, this, &TimePlot::showAll);
  menu.exec(event->globalPos());
}

void TimePlot::askAndSave(bool image) {
  const auto file = QFileDialog::getSaveFileName(this, image ? m_texts.saveImage : m_texts.saveData, QString(),
                                                 image ? m_texts.imageFiles : m_texts.dataFiles);
  if (file.isEmpty()) return;
  if (!(image ? saveImage(file) : saveData(file))) Q_EMIT saveFailed(file);
}

void TimePlot::copyImage() const {
  copyPicture(*m_plot);
}

void TimePlot::paint(QCPPainter& painter, const QRect& place) const {
  painter.save();
  painter.translate(place.topLeft());
  m_plot->toPainter(&painter, place.width(), place.height());
  painter.restore();
}

bool TimePlot::saveImage(const QString& file) const {
  return savePicture(*m_plot, file);
}

bool TimePlot::saveData(const QString& file) const {
  const auto mark = m_mark->text().isEmpty() ? QByteArray() : ',' + csvQuoted(m_mark->text());
  QByteArray text("series,seconds,value");
  text += mark.isEmpty() ? "\n" : ",source\n";
  for (const auto& line : m_content.lines) {
    const auto name = csvQuoted(line.label);
    for (qsizetype i = 0; i < line.curve.x.size(); ++i) {
      text += name + ',' + csvNumber(line.curve.x[i]) + ',' + csvNumber(line.curve.y[i]) + mark + '\n';
    }
  }
  return saveWhole(file, text);
}

}  // namespace atelier::app
