// How a TimePlot is moved, read and saved: mouse, keyboard, context menu, files.
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

#include "app/shell/theme.h"
#include "core/wire/number.h"
#include "custom_plot.h"
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
  QApplication::clipboard()->setPixmap(m_plot->toPixmap(0, 0, 2));
}

void TimePlot::paint(QCPPainter& painter, const QRect& place) const {
  painter.save();
  painter.translate(place.topLeft());
  m_plot->toPainter(&painter, place.width(), place.height());
  painter.restore();
}

bool TimePlot::saveImage(const QString& file) const {
  if (!file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) return m_plot->toPixmap(0, 0, 2).save(file);
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly)) return false;
  QSvgGenerator generator;
  generator.setOutputDevice(&output);
  generator.setSize(m_plot->size());
  generator.setViewBox(QRect(QPoint(0, 0), m_plot->size()));
  QCPPainter painter;
  if (!painter.begin(&generator)) return false;
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  m_plot->toPainter(&painter, m_plot->width(), m_plot->height());
  painter.end();
  return output.commit();
}

bool TimePlot::saveData(const QString& file) const {
  const auto mark = m_mark->text().isEmpty() ? QByteArray() : ",\"" + m_mark->text().toUtf8().replace('"', "\"\"") + '"';
  QByteArray text("series,seconds,value");
  text += mark.isEmpty() ? "\n" : ",source\n";
  for (const auto& line : m_content.lines) {
    const auto name = '"' + line.label.toUtf8().replace('"', "\"\"") + '"';
    for (qsizetype i = 0; i < line.curve.x.size(); ++i) {
      text += name + ',' + QByteArray::fromStdString(wire::numberText(line.curve.x[i])) + ',' +
              QByteArray::fromStdString(wire::numberText(line.curve.y[i])) + mark + '\n';
    }
  }
  QSaveFile output(file);
  return output.open(QIODevice::WriteOnly) && output.write(text) == text.size() && output.commit();
}

}  // namespace atelier::app
