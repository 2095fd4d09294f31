// What the Runs page writes and reads: reports, exports, archives, tables, plots. Whatever reads the registry does so in its
// thread; a file is written whole or not at all.
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUrl>

#include <utility>

#include "app/models/learn_model.h"
#include "app/models/run_export.h"
#include "app/models/words.h"
#include "app/plots/plot_column.h"
#include "app/report/report.h"
#include "core/registry/archive.h"
#include "notice_bar.h"
#include "run_details.h"
#include "runs_page.h"
#include "runs_table_view.h"

namespace atelier::app {

namespace {

// Ids that fill a sentence would hide it.
std::string listed(const std::vector<std::string>& ids) {
  constexpr std::size_t kMost = 3;
  std::string all;
  for (std::size_t i = 0; i < ids.size() && i < kMost; ++i) all += (all.empty() ? "" : ", ") + ids[i];
  return ids.size() > kMost ? all + ", …" : all;
}

std::vector<wire::Message> sentences(const registry::ImportReport& report) {
  std::vector<wire::Message> said{{"experiments.imported", {{"count", std::to_string(report.runs.size())}}}};
  if (!report.present.empty())
    said.push_back({"experiments.import.present", {{"count", std::to_string(report.present.size())}}});
  if (!report.refused.empty()) said.push_back({"experiments.import.refused", {{"runs", listed(report.refused)}}});
  said.insert(said.end(), report.notices.begin(), report.notices.end());
  return said;
}

bool endsWith(const QString& file, const char* ending) {
  return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive);
}

}  // namespace

QString RunsPage::askFile(const char* title, const QString& proposal, const QString& filters) {
  const auto folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileDialog::getSaveFileName(this, m_desktop.words.text(title), QDir(folder).filePath(proposal), filters);
}

void RunsPage::told(const QString& file, const wire::Status& status) {
  if (!status) return m_notice->say(status.error().messages);
  m_notice->say({{"experiments.written", {{"file", QDir::toNativeSeparators(file).toStdString()}}}}, "experiments.open",
                [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
}

void RunsPage::writeText(const QString& file, const std::string& text) {
  told(file, registry::writeWhole(file.toStdString(), text));
}

void RunsPage::report() {
  const auto ids = m_table->chosen();
  if (ids.isEmpty()) return;
  auto file = askFile("action.runs.report", QStringLiteral("atelier-runs.pdf"), QStringLiteral("PDF (*.pdf)"));
  if (file.isEmpty()) return;
  if (!endsWith(file, ".pdf")) file += QStringLiteral(".pdf");
  writeReport(ids, file);
}

// The records are read in the registry's thread; only the pages are laid out in this one, which owns the fonts.
void RunsPage::writeReport(const QStringList& ids, const QString& file) {
  const auto language = QString::fromStdString(m_desktop.words.language());
  const auto home = QString::fromStdString(m_desktop.home.string());
  const auto learner = m_desktop.learn.learner();
  m_notice->say({wire::Message{"experiments.report.reading"}});
  m_library.background([this, ids, file, language, home, learner](registry::Registry&) -> RunLibrary::Then {
    auto content = std::make_shared<wire::Result<ReportContent>>(runsReport(ids, learner, language, home));
    return [this, content, file] {
      if (!*content) return m_notice->say(content->error().messages);
      if (const auto& schema = m_desktop.learn.schema(); !schema.options().empty()) (*content)->schema = schema;
      const auto pages = app::writeReport(**content, file);
      told(file, pages ? wire::success() : wire::Status(pages.error()));
    };
  });
}

void RunsPage::exportRuns() {
  const auto& words = m_desktop.words;
  const auto filters =
      words.text("experiments.files.archive") + QStringLiteral(" (*.atelier);;CSV (*.csv);;Markdown (*.md);;JSON (*.json)");
  const auto file = askFile("action.runs.export", QStringLiteral("runs.atelier"), filters);
  if (!file.isEmpty()) exportTo(file);
}

void RunsPage::exportTo(const QString& file) {
  auto runs = chosen();
  if (runs.empty())
    for (int row = 0; row < m_list.rowCount(); ++row) runs.push_back(m_list.run(row));
  if (endsWith(file, ".csv") || endsWith(file, ".md")) exportText(file, runs);
  else if (endsWith(file, ".json") || endsWith(file, ".atelier")) exportArchive(file, runs);
  else exportArchive(file + QStringLiteral(".atelier"), runs);
}

void RunsPage::exportText(const QString& file, const std::vector<RunPtr>& runs) {
  if (endsWith(file, ".csv")) return writeText(file, csvOf(runs));
  std::vector<std::string> columns;
  for (const auto& column : m_list.columns()) columns.push_back(column.toStdString());
  writeText(file, markdownOf(runs, columns, m_texts));
}

void RunsPage::exportArchive(const QString& file, const std::vector<RunPtr>& runs) {
  m_notice->say(
      {{"experiments.exporting", {{"count", m_desktop.words.format().integer(static_cast<std::int64_t>(runs.size()))}}}});
  m_library.background([this, file, runs](registry::Registry& registry) -> RunLibrary::Then {
    if (endsWith(file, ".json")) {
      const auto status = registry::writeWhole(file.toStdString(), jsonOf(registry, runs));
      return [this, file, status] { told(file, status); };
    }
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run->id);
    const auto exported = registry::exportRuns(registry, ids, file.toStdString());
    return [this, file, exported] {
      told(file, exported ? wire::success() : wire::Status(exported.error()));
      if (exported && !exported->left_out.empty())
        m_notice->say({{"experiments.export.left_out", {{"files", listed(exported->left_out)}}}});
    };
  });
}

void RunsPage::importRuns() {
  const auto& words = m_desktop.words;
  importFiles(QFileDialog::getOpenFileNames(this, words.text("action.runs.import"), QString(),
                                            words.text("experiments.files.archive") + QStringLiteral(" (*.atelier)")));
}

void RunsPage::importFiles(const QStringList& files) {
  for (const auto& file : files) {
    m_notice->say({{"experiments.importing", {{"file", QFileInfo(file).fileName().toStdString()}}}});
    m_library.background([this, file, home = m_library.home()](registry::Registry&) -> RunLibrary::Then {
      const auto imported = registry::importRuns(home, file.toStdString());
      return [this, imported] {
        if (!imported) return m_notice->say(imported.error().messages);
        m_notice->say(sentences(*imported));
        for (const auto& id : imported->runs) m_follow << QString::fromStdString(id);
        m_library.refresh();
      };
    });
  }
}

void RunsPage::savePlots() {
  const auto& words = m_desktop.words;
  auto file = askFile("action.runs.save_plots", QStringLiteral("curves.svg"), words.text("app.plot.image_files"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".svg");
  if (m_details->plots().saveAll(file)) told(file, wire::success());
  else m_notice->say({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
}

// The table that is looked at: figures or differences when one of them is in front, else the list.
void RunsPage::saveTable() {
  auto file = askFile("action.runs.save_table", QStringLiteral("table.csv"), QStringLiteral("CSV (*.csv);;Markdown (*.md)"));
  if (file.isEmpty()) return;
  if (!endsWith(file, ".csv") && !endsWith(file, ".md")) file += QStringLiteral(".csv");
  const QAbstractItemModel* table = &m_list;
  if (!m_table->chosen().isEmpty() && m_details->page() == RunDetails::Figures) table = &m_details->figures();
  if (!m_table->chosen().isEmpty() && m_details->page() == RunDetails::Differences) table = &m_details->differences();
  writeText(file, endsWith(file, ".md") ? markdownOf(*table) : csvOf(*table));
}

}  // namespace atelier::app
