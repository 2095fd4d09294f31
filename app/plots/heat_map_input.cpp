// How a HeatMap is read, chosen from and saved: mouse, keyboard, context menu, files.
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

#include "app/models/save_file.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "heat_map.h"
#include "painted_picture.h"

namespace atelier::app {

void HeatMap::point(std::optional<At> at) {
  if (at == m_at) return;
  m_at = at;
  setAccessibleDescription(m_at ? cell(*m_at).reading : QString());
  setToolTip(m_at ? cell(*m_at).reading : QString());
  update();
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) {
  point(cellAt(event->position()));
}

void HeatMap::leaveEvent(QEvent* event) {
  point(std::nullopt);
  QWidget::leaveEvent(event);
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
  const auto at = cellAt(event->position());
  if (event->button() != Qt::LeftButton || !at) return QWidget::mousePressEvent(event);
  point(at);
  choose(cell(*at).point);
  Q_EMIT chosen(m_chosen);
}

void HeatMap::walk(int rows, int columns) {
  if (m_content.panels.isEmpty() || m_content.panels.first().cells.isEmpty()) return;
  if (!m_at) return point(At{0, 0});
  const int width = std::max(1, static_cast<int>(m_content.columns.size()));
  const int height = std::max(1, static_cast<int>(m_content.rows.size()));
  int row = m_at->cell / width + rows, column = m_at->cell % width + columns, panel = m_at->panel;
  // Beyond the last column lies the next table.
  if (column >= width && panel + 1 < m_content.panels.size()) {
    ++panel;
    column = 0;
  } else if (column < 0 && panel > 0) {
    --panel;
    column = width - 1;
  }
  row = std::clamp(row, 0, height - 1);
  column = std::clamp(column, 0, width - 1);
  point(At{panel, row * width + column});
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(0, -1);
    case Qt::Key_Right:
      return walk(0, 1);
    case Qt::Key_Up:
      return walk(-1, 0);
    case Qt::Key_Down:
      return walk(1, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!m_at) return;
      choose(cell(*m_at).point);
      Q_EMIT chosen(m_chosen);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void HeatMap::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  const auto icon = [this](const char* name) { return m_theme.icon(QLatin1String(name)); };
  menu.addAction(icon("download"), m_words.text("app.plot.save_image"), this, [this] { askAndSave(true); });
  menu.addAction(icon("download"), m_words.text("app.plot.save_data"), this, [this] { askAndSave(false); });
  menu.exec(event->globalPos());
}

void HeatMap::askAndSave(bool image) {
  const auto file =
      QFileDialog::getSaveFileName(this, m_words.text(image ? "app.plot.save_image" : "app.plot.save_data"), QString(),
                                   m_words.text(image ? "app.plot.image_files" : "app.plot.data_files"));
  if (file.isEmpty()) return;
  if (!(image ? saveImage(file) : saveData(file))) Q_EMIT saveFailed(file);
}

bool HeatMap::saveImage(const QString& file) const {
  return savePainted(file, size(), [this](QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter, size());
  });
}

bool HeatMap::saveData(const QString& file) const {
  QByteArray text("panel,row,column,value\n");
  const int width = std::max(1, static_cast<int>(m_content.columns.size()));
  for (const auto& panel : m_content.panels)
    for (int i = 0; i < panel.cells.size(); ++i) {
      text += csvQuoted(panel.title) + ',' + csvQuoted(m_content.rows.value(i / width)) + ',' +
              csvQuoted(m_content.columns.value(i % width)) + ',';
      text += csvNumber(panel.cells[i].value) + '\n';
    }
  return saveWhole(file, text);
}

}  // namespace atelier::app
