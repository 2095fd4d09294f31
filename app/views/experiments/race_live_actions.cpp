// What can be done with a race that is over: open another one, fork a variant, save a report.
#include <QDateTime>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QLocale>
#include <QMenu>
#include <QStandardPaths>
#include <QUrl>

#include "app/models/learn_model.h"
#include "app/models/race_texts.h"
#include "app/models/words.h"
#include "app/report/report.h"
#include "core/registry/registry.h"
#include "core/registry/run_id.h"
#include "fork_dialog.h"
#include "notice_bar.h"
#include "race_live.h"

namespace atelier::app {

namespace {

QString whenOf(const std::string& id, const Words& words) {
  const auto time = registry::idMilliseconds(id);
  if (!time) return QString::fromStdString(id);
  const QLocale locale(QString::fromStdString(words.language()));
  return locale.toString(QDateTime::fromMSecsSinceEpoch(*time), QLocale::ShortFormat);
}

// "30/11/2026 10:45  ·  B 1.26×, C 0.98×".
QString lineOf(const std::string& id, const wire::RaceSummary& race, const Words& words) {
  QStringList ratios;
  for (const auto& comparison : race.comparisons())
    ratios << RaceTexts::name(comparison.variant) + QLatin1Char(' ') +
                  (comparison.ratio ? QString::fromStdString(words.format().ratio(comparison.ratio->median))
                                    : QStringLiteral("—"));
  return whenOf(id, words) + QStringLiteral("  ·  ") + ratios.join(QStringLiteral(", "));
}

}  // namespace

void RaceLive::fillPast() {
  m_pastMenu->clear();
  auto opened = registry::Registry::open(m_desktop.home);
  if (opened)
    for (const auto& id : m_model.pastRaces()) {
      const auto race = (*opened)->race(id);
      if (race) m_pastMenu->addAction(lineOf(id, *race, m_desktop.words), this, [this, id] { open(id); });
    }
  if (m_pastMenu->isEmpty()) m_pastMenu->addAction(m_desktop.words.text("racepage.no_past"))->setEnabled(false);
}

bool RaceLive::open(const std::string& race) {
  const auto opened = m_model.open(race);
  if (opened) m_said->dismiss();
  else m_said->say(opened.error().messages);
  return opened.ok();
}

void RaceLive::fillFork() {
  m_forkMenu->clear();
  const auto specs = m_model.ranSpecs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const QString letter(QLatin1Char(static_cast<char>('A' + i)));
    const auto text = m_desktop.words.text(wire::Message{"racepage.fork_variant", {{"variant", letter.toStdString()}}});
    m_forkMenu->addAction(text, this, [this, spec = specs[i], letter] {
      auto* dialog = new ForkDialog(m_desktop, spec, letter, this);
      dialog->setAttribute(Qt::WA_DeleteOnClose);
      dialog->open();
    });
  }
}

void RaceLive::writeReport() {
  const auto& words = m_desktop.words;
  const auto folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  auto file =
      QFileDialog::getSaveFileName(this, words.text("racepage.report"),
                                   QDir(folder).filePath(QStringLiteral("atelier-race.pdf")), QStringLiteral("PDF (*.pdf)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) file += QStringLiteral(".pdf");
  const auto content = runsReport(m_model.runIds(), m_desktop.learn.learner(), QString::fromStdString(words.language()),
                                  QString::fromStdString(m_desktop.home.string()));
  const auto pages = content ? app::writeReport(*content, file) : wire::Result<int>(content.error());
  if (!pages) return m_said->say(pages.error().messages);
  m_said->say({{"app.report.written",
                {{"file", QDir::toNativeSeparators(file).toStdString()}, {"pages", words.format().integer(*pages)}}}},
              "app.report.open", [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
}

void RaceLive::saveFailed(const QString& file) {
  m_said->say({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
}

}  // namespace atelier::app
