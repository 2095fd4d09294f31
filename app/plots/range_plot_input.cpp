// How a RangePlot is read and saved: mouse, keyboard, context menu, files.
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <cmath>

#include "app/models/formats_texts.h"
#include "app/models/save_file.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "painted_picture.h"
#include "range_plot.h"

namespace atelier::app {

QString RangePlot::reading() const {
  if (m_power) return powerReading();
  if (m_bar >= 0) return m_content.bars[m_bar].reading;
  return m_content.atText;
}

QString RangePlot::powerReading() const {
  QStringList parts{powerOfTwo(*m_power) + QStringLiteral(" … ") + powerOfTwo(*m_power + 1)};
  for (const auto& series : m_content.series) {
    const int place = *m_power - series.first;
    const double share = place >= 0 && place < series.shares.size() ? series.shares[place] : 0;
    parts << series.label + QStringLiteral("\u00a0") + smallShare(share, m_words.format());
  }
  return parts.join(QStringLiteral("  ·  "));
}

void RangePlot::read(int bar, std::optional<int> power) {
  if (bar == m_bar && power == m_power) return;
  m_bar = bar;
  m_power = power;
  setAccessibleDescription(reading());
  update();
}

void RangePlot::readBar(int bar) {
  read(bar < m_content.bars.size() ? bar : -1, std::nullopt);
}

void RangePlot::readPower(int exponent) {
  if (!m_content.series.isEmpty()) read(m_bar, std::clamp(exponent, kLow, kHigh));
}

void RangePlot::mouseMoveEvent(QMouseEvent* event) {
  const auto at = event->position();
  if (const auto area = seriesRect(size()); area.contains(at))
    return readPower(static_cast<int>(std::floor(kLow + (at.x() - area.left()) / area.width() * (kHigh - kLow))));
  for (int bar = 0; bar < m_content.bars.size(); ++bar)
    if (const auto row = barRect(bar, size()); at.y() >= row.top() && at.y() < row.bottom()) return readBar(bar);
  read(-1, std::nullopt);
}

void RangePlot::leaveEvent(QEvent* event) {
  read(-1, std::nullopt);
  QWidget::leaveEvent(event);
}

void RangePlot::walk(int bars, int powers) {
  const int count = static_cast<int>(m_content.bars.size());
  if (bars != 0 && count > 0) return readBar(m_bar < 0 ? (bars > 0 ? 0 : count - 1) : std::clamp(m_bar + bars, 0, count - 1));
  if (powers == 0 || m_content.series.isEmpty()) return;
  // It begins where there is something.
  if (!m_power) return readPower(m_content.series.first().first);
  readPower(*m_power + powers);
}

void RangePlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
      return walk(-1, 0);
    case Qt::Key_Down:
      return walk(1, 0);
    case Qt::Key_Left:
      return walk(0, -1);
    case Qt::Key_Right:
      return walk(0, 1);
    default:
      QWidget::keyPressEvent(event);
  }
}

void RangePlot::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  const auto icon = [this](const char* name) { return m_theme.icon(QLatin1String(name)); };
  menu.addAction(icon("copy"), m_words.text("app.plot.copy"), this, &RangePlot::copyImage);
  menu.addAction(icon("download"), m_words.text("app.plot.save_image"), this, [this] { askAndSave(true); });
  menu.addAction(icon("download"), m_words.text("app.plot.save_data"), this, [this] { askAndSave(false); });
  menu.exec(event->globalPos());
}

void RangePlot::askAndSave(bool image) {
  const auto file =
      QFileDialog::getSaveFileName(this, m_words.text(image ? "app.plot.save_image" : "app.plot.save_data"), QString(),
                                   m_words.text(image ? "app.plot.image_files" : "app.plot.data_files"));
  if (file.isEmpty()) return;
  if (!(image ? saveImage(file) : saveData(file))) Q_EMIT saveFailed(file);
}

void RangePlot::copyImage() const {
  constexpr int kDense = 2;
  QPixmap picture(kDense * size());
  picture.setDevicePixelRatio(kDense);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  draw(painter, size());
  painter.end();
  QApplication::clipboard()->setPixmap(picture);
}

bool RangePlot::saveImage(const QString& file) const {
  return savePainted(file, size(), [this](QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter, size());
  });
}

bool RangePlot::saveData(const QString& file) const {
  QByteArray text("series,low,high,share\n");
  const auto row = [&text](const QString& name, double low, double high, std::optional<double> share) {
    text +=
        csvQuoted(name) + ',' + csvNumber(std::exp2(low)) + ',' + csvNumber(std::exp2(high)) + ',' + csvNumber(share) + '\n';
  };
  for (const auto& bar : m_content.bars) {
    if (bar.normal > bar.subnormal)
      row(bar.label + QStringLiteral(" ") + m_words.text("formats.is_subnormal"), bar.subnormal, bar.normal, std::nullopt);
    row(bar.label, bar.normal, bar.largest, std::nullopt);
  }
  for (const auto& series : m_content.series)
    for (int i = 0; i < series.shares.size(); ++i)
      if (series.shares[i] > 0) row(series.label, series.first + i, series.first + i + 1, series.shares[i]);
  return saveWhole(file, text);
}

}  // namespace atelier::app
