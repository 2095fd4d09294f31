// The report on a replay: asks for a file, writes the PDF, in which everything is marked as recorded.
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QStandardPaths>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/report/replay_report.h"
#include "app/shell/view.h"
#include "app/views/learn/parts.h"
#include "replay_panel.h"

namespace atelier::app {

void ReplayPanel::makeReport() {
  const auto& words = m_desktop.words;
  if (!m_player.recording()) return;
  const QDir folder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
  auto file = QFileDialog::getSaveFileName(
      this, words.text("replay.report"), folder.filePath(QStringLiteral("atelier-replay.pdf")), QStringLiteral("PDF (*.pdf)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) file += QStringLiteral(".pdf");
  auto content = replayReport(*m_player.recording(), m_desktop.learn.learner(), words);
  if (!m_desktop.learn.schema().options().empty()) content.schema = m_desktop.learn.schema();
  const auto pages = writeReport(content, file);
  if (!pages) {
    tellReport(words.text(pages.error().messages), true);
    return;
  }
  tellReport(words.text(wire::Message{
                 "app.report.written",
                 {{"file", QDir::toNativeSeparators(file).toStdString()}, {"pages", words.format().integer(*pages)}}}),
             false);
}

void ReplayPanel::tellReport(const QString& sentence, bool failed) {
  setRole(m_told, failed ? QStringLiteral("bad") : QStringLiteral("soft"));
  showText(m_told, sentence);
}

}  // namespace atelier::app
