// How a FigurePlot is moved, read and saved: mouse, keyboard, context menu, files.
#include <algorithm>
#include <cmath>

#include "app/models/save_file.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "custom_plot.h"
#include "figure_plot.h"
#include "plain_plot.h"

namespace atelier::app {

namespace {

constexpr double kReach = 14;

}  // namespace

void FigurePlot::showAll() {
  m_following = true;
  redraw();
}

int FigurePlot::nearestMark(const QPointF& at) const {
  int nearest = -1;
  double least = kReach * m_theme.scale();
  for (int i = 0; i < m_content.marks.size(); ++i) {
    const auto& mark = m_content.marks[i];
    const double away = std::hypot(m_plot->xAxis->coordToPixel(mark.x) - at.x(), m_plot->yAxis->coordToPixel(mark.y) - at.y());
    if (away < least) {
      least = away;
      nearest = i;
    }
  }
  return nearest;
}

QString FigurePlot::readingAt(double x) const {
  const auto number = [this](double value) { return QString::fromStdString(m_words.format().compact(value)); };
  QStringList parts;
  for (const auto& zone : m_content.zones)
    if (!zone.across && x >= zone.low && x <= zone.high && !zone.text.isEmpty()) parts << zone.text;
  for (const auto& line : m_content.lines) {
    // The value at or before the pointer.
    const auto after = std::upper_bound(line.curve.x.begin(), line.curve.x.end(), x);
    if (after == line.curve.x.begin()) continue;
    const auto index = std::distance(line.curve.x.begin(), after) - 1;
    auto part = line.label + QStringLiteral("\u00a0") + number(line.curve.y[index]);
    if (index < line.band.x.size())
      part += QStringLiteral(" ") + QString::fromStdString(m_words.format().interval(
                                        {line.curve.y[index], line.band.low[index], line.band.high[index], 0}));
    parts << part.trimmed();
  }
  return parts.join(QStringLiteral("  ·  "));
}

void FigurePlot::read(const QPointF& at) {
  const int mark = nearestMark(at);
  if (mark >= 0) return readMark(mark);
  if (m_read >= 0) readMark(-1);
  const bool inside = m_plot->axisRect()->rect().contains(at.toPoint());
  const auto reading = inside && !m_content.lines.isEmpty() ? readingAt(m_plot->xAxis->pixelToCoord(at.x())) : QString();
  m_unit->setText(reading.isEmpty() ? m_content.unit : reading + QStringLiteral("  ") + m_content.unit);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void FigurePlot::readMark(int index) {
  m_read = index;
  m_unit->setText(index < 0 ? m_content.unit : m_content.marks[index].text);
  setAccessibleDescription(m_unit->text());
  drawMarks();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void FigurePlot::step(int direction) {
  const int count = static_cast<int>(m_content.marks.size());
  if (count == 0) return;
  const int from = m_read < 0 ? (direction > 0 ? -1 : count) : m_read;
  readMark(std::clamp(from + direction, 0, count - 1));
}

void FigurePlot::keyPressEvent(QKeyEvent* event) {
  const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
  constexpr double kPan = 0.2, kZoom = 0.8;
  const auto pan = [this](double share) {
    const auto range = m_plot->xAxis->range();
    // A logarithmic axis is moved by a factor.
    m_plot->xAxis->moveRange(m_content.xLog ? std::pow(range.upper / range.lower, share) : share * range.size());
  };
  const auto zoomAxis = [](QCPAxis* axis, bool logarithmic, double factor) {
    const auto range = axis->range();
    axis->scaleRange(factor, logarithmic ? std::sqrt(range.lower * range.upper) : range.center());
  };
  const auto zoom = [&](double factor) {
    zoomAxis(m_plot->xAxis, m_content.xLog, factor);
    zoomAxis(m_plot->yAxis, m_content.yLog, factor);
  };
  switch (event->key()) {
    case Qt::Key_Left:
      shift ? pan(-kPan) : step(-1);
      break;
    case Qt::Key_Right:
      shift ? pan(kPan) : step(1);
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
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_read < 0) break;
      choose(m_content.marks[m_read].id);
      Q_EMIT chosen(m_chosen);
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

bool FigurePlot::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave) readMark(-1);
  return QWidget::eventFilter(watched, event);
}

void FigurePlot::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  const auto icon = [this](const char* name) { return m_theme.icon(QLatin1String(name)); };
  menu.addAction(icon("copy"), m_words.text("app.plot.copy"), this, &FigurePlot::copyImage);
  menu.addAction(icon("download"), m_words.text("app.plot.save_image"), this, [this] { askAndSave(true); });
  menu.addAction(icon("download"), m_words.text("app.plot.save_data"), this, [this] { askAndSave(false); });
  menu.addSeparator();
  menu.addAction(icon("reset"), m_words.text("app.plot.show_all"), this, &FigurePlot::showAll);
  menu.exec(event->globalPos());
}

void FigurePlot::askAndSave(bool image) {
  const auto file =
      QFileDialog::getSaveFileName(this, m_words.text(image ? "app.plot.save_image" : "app.plot.save_data"), QString(),
                                   m_words.text(image ? "app.plot.image_files" : "app.plot.data_files"));
  if (file.isEmpty()) return;
  if (!(image ? saveImage(file) : saveData(file))) Q_EMIT saveFailed(file);
}

void FigurePlot::copyImage() const {
  copyPicture(*m_plot);
}

bool FigurePlot::saveImage(const QString& file) const {
  return savePicture(*m_plot, file);
}

bool FigurePlot::saveData(const QString& file) const {
  QByteArray text("series,x,y,low,high\n");
  for (const auto& line : m_content.lines)
    for (int i = 0; i < line.curve.x.size(); ++i) {
      text += csvQuoted(line.label) + ',' + csvNumber(line.curve.x[i]) + ',' + csvNumber(line.curve.y[i]) + ',';
      const bool band = i < line.band.x.size();
      text += band ? csvNumber(line.band.low[i]) + ',' + csvNumber(line.band.high[i]) : QByteArray(",");
      text += '\n';
    }
  for (const auto& mark : m_content.marks)
    text += csvQuoted(mark.text) + ',' + csvNumber(mark.x) + ',' + csvNumber(mark.y) + ",,\n";
  return saveWhole(file, text);
}

}  // namespace atelier::app
