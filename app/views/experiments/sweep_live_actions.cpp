// What can be done with a sweep: open another one, fork a point, export it.
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>

#include "app/models/run_export.h"
#include "app/models/save_file.h"
#include "app/models/words.h"
#include "app/plots/figure_plot.h"
#include "app/plots/heat_map.h"
#include "core/registry/run_id.h"
#include "fork_dialog.h"
#include "notice_bar.h"
#include "sweep_live.h"

namespace atelier::app {

namespace {

// "30/11/2026 10:45  ·  batch × precision  ·  12 points".
QString lineOf(const std::string& id, const wire::SweepSummary& sweep, const Words& words) {
  const auto time = registry::idMilliseconds(id);
  const QLocale locale(QString::fromStdString(words.language()));
  QStringList parts{time ? locale.toString(QDateTime::fromMSecsSinceEpoch(*time), QLocale::ShortFormat)
                         : QString::fromStdString(id)};
  if (!sweep.name.empty()) parts << QString::fromStdString(sweep.name);
  QStringList keys;
  for (const auto& axis : sweep.axes) keys << QString::fromStdString(axis.key);
  parts << keys.join(QStringLiteral(" × "));
  const auto points = words.format().integer(static_cast<std::int64_t>(sweep.points.size()));
  parts << words.text(wire::Message{"sweepview.points", {{"points", points}}});
  return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

bool SweepLive::open(const std::string& id) {
  const auto opened = m_model.open(id);
  if (opened) m_said->dismiss();
  else m_said->say(opened.error().messages);
  return opened.ok();
}

void SweepLive::fillPast() {
  m_pastMenu->clear();
  for (const auto& id : m_model.pastSweeps()) {
    const auto sweep = m_model.look(id);
    if (sweep) m_pastMenu->addAction(lineOf(id, *sweep, m_desktop.words), this, [this, id] { open(id); });
  }
  if (m_pastMenu->isEmpty()) m_pastMenu->addAction(m_desktop.words.text("sweepview.no_past"))->setEnabled(false);
}

void SweepLive::forkChosen() {
  if (m_chosen < 0 || !m_model.sweep()) return;
  const auto place = static_cast<std::size_t>(m_chosen);
  const auto words = QString::fromStdString(pointWords(m_model.sweep()->points[place].values));
  auto* dialog = new ForkDialog(m_desktop, m_model.specOf(place), words, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void SweepLive::fillExport() {
  m_exportMenu->clear();
  const auto& words = m_desktop.words;
  if (!m_model.sweep()) return;
  m_exportMenu->addAction(words.text("sweepview.export.csv"), this, [this] {
    saveText("sweepview.export.csv", QStringLiteral("CSV (*.csv)"), sweepCsv(*m_model.sweep()));
  });
  m_exportMenu->addAction(words.text("sweepview.export.markdown"), this, [this] {
    saveText("sweepview.export.markdown", QStringLiteral("Markdown (*.md)"),
             QByteArray::fromStdString(markdownOf(static_cast<const QAbstractItemModel&>(m_sorted))));
  });
  m_exportMenu->addAction(words.text("sweepview.export.pictures"), this, &SweepLive::savePictures);
}

void SweepLive::saveText(const char* title, const QString& filter, const QByteArray& text) {
  const auto file = QFileDialog::getSaveFileName(this, m_desktop.words.text(title), QString(), filter);
  if (file.isEmpty()) return;
  if (!saveWhole(file, text)) saveFailed(file);
}

// Every figure that is shown, beside one another: NAME-map.svg, NAME-pareto.svg.
void SweepLive::savePictures() {
  const auto& words = m_desktop.words;
  const auto file = QFileDialog::getSaveFileName(this, words.text("sweepview.export.pictures"), QString(),
                                                 words.text("app.plot.image_files"));
  if (file.isEmpty()) return;
  const QFileInfo info(file);
  const auto suffix = info.suffix().isEmpty() ? QStringLiteral("svg") : info.suffix();
  const auto named = [&](const char* part) {
    return info.dir().filePath(info.completeBaseName() + QLatin1String(part) + QLatin1Char('.') + suffix);
  };
  const bool map = !m_map->isHidden();
  const auto first = named(map ? "-map" : "-axis"), second = named("-pareto");
  if (!(map ? m_map->saveImage(first) : m_axis->saveImage(first))) return saveFailed(first);
  if (!m_pareto->saveImage(second)) saveFailed(second);
}

void SweepLive::saveFailed(const QString& file) {
  m_said->say({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
}

}  // namespace atelier::app
