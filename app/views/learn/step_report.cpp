// The report at the end of a lab: asks for a name and a file, writes the PDF, and says where it lies.
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QStandardPaths>
#include <QUrl>

#include "app/models/learn_model.h"
#include "step_card.h"

namespace atelier::app {

void StepCard::makeReport() {
  bool ok = false;
  const auto learner = QInputDialog::getText(this, m_model.text("app.report.title"), m_model.text("app.report.learner"),
                                             QLineEdit::Normal, m_model.learner(), &ok);
  if (!ok) return;
  m_model.setLearner(learner.trimmed());
  const auto folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  const auto proposal = QDir(folder).filePath(QString::fromStdString("atelier-" + m_model.session()->lab().id + ".pdf"));
  auto file = QFileDialog::getSaveFileName(this, m_model.text("app.report.title"), proposal, QStringLiteral("PDF (*.pdf)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) file += QStringLiteral(".pdf");
  const auto pages = m_model.writeReport(file);
  QMessageBox said(this);
  said.setWindowTitle(m_model.text("app.report.title"));
  if (!pages) {
    QStringList sentences;
    for (const auto& message : pages.error().messages) sentences << m_model.text(message);
    said.setIcon(QMessageBox::Warning);
    said.setText(sentences.join(QLatin1Char('\n')));
    said.addButton(m_model.text("app.close"), QMessageBox::RejectRole);
    said.exec();
    return;
  }
  said.setIcon(QMessageBox::Information);
  said.setText(m_model.text(
      wire::Message{"app.report.written",
                    {{"file", QDir::toNativeSeparators(file).toStdString()}, {"pages", m_model.format().integer(*pages)}}}));
  const auto* open = said.addButton(m_model.text("app.report.open"), QMessageBox::AcceptRole);
  said.addButton(m_model.text("app.close"), QMessageBox::RejectRole);
  said.exec();
  if (said.clickedButton() == open) QDesktopServices::openUrl(QUrl::fromLocalFile(file));
}

}  // namespace atelier::app
