#include "formats_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include "app/models/formats_texts.h"
#include "app/models/save_file.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/learn/parts.h"
#include "bits_panel.h"
#include "fit_table.h"
#include "histogram_panel.h"

namespace atelier::app {

FormatsView::FormatsView(const Desktop& desktop, QWidget* parent)
    : View(parent), m_desktop(desktop), m_source(desktop.home, desktop.desk), m_facts(desktop.theme) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(m_inner = makePanel("plain"));
  makeQuiet(*scroll);
  outer->addWidget(scroll);
  auto* column = new QVBoxLayout(m_inner);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  buildHead(*column);
  buildBody(*column);
  buildActions();
  connect(&m_model, &FormatsModel::changed, this, &FormatsView::refresh);
  connect(&desktop.words, &Words::changed, this, &FormatsView::retext);
  connect(&desktop.theme, &Theme::changed, this, &FormatsView::restyle);
  restyle();
  retext();
}

void FormatsView::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  row->addWidget(m_title = makeLabel("h1", m_inner));
  row->addWidget(m_intro = makeLabel("soft", m_inner), 1);
  m_title->setWordWrap(false);
  column.addLayout(row);
  column.addWidget(m_notice = new NoticeBar(m_desktop.theme, m_desktop.words, m_inner));
}

void FormatsView::buildBody(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  row->addWidget(m_bits = new BitsPanel(m_desktop, m_model, m_inner), 3);
  auto* right = makePanel("panel", m_inner);
  auto* rightColumn = new QVBoxLayout(right);
  rightColumn->setContentsMargins(4, 4, 4, 4);
  rightColumn->addWidget(m_ranges = new RangePlot(m_desktop.theme, m_desktop.words, right));
  row->addWidget(right, 2);
  column.addLayout(row);
  auto* facts = makePanel("panel", m_inner);
  auto* factsColumn = new QVBoxLayout(facts);
  factsColumn->setContentsMargins(12, 12, 12, 12);
  factsColumn->addWidget(m_factsTitle = makeLabel("h2", facts));
  factsColumn->addWidget(m_factsTable = new QTableView(facts));
  column.addWidget(facts);
  column.addWidget(m_histograms = new HistogramPanel(m_desktop, m_model, m_source, m_inner), 1);
  m_factsTable->setModel(&m_facts);
  makeFitting(*m_factsTable);
  connect(m_factsTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) { m_ranges->readBar(now.row()); });
  for (auto* plot : {m_ranges, &m_histograms->plot()}) connect(plot, &RangePlot::saveFailed, this, &FormatsView::tellUnsaved);
}

void FormatsView::buildActions() {
  const auto& words = m_desktop.words;
  makeAction(this, words, "formats.type", {}, [this] {
    m_bits->valueField().setFocus(Qt::ShortcutFocusReason);
    m_bits->valueField().selectAll();
  });
  makeAction(this, words, "formats.count_run", {}, [this] { m_histograms->countRun(); });
  makeAction(this, words, "formats.copy", {},
             [this] { (m_histograms->isEmpty() ? *m_ranges : m_histograms->plot()).copyImage(); });
  makeAction(this, words, "formats.save", {}, [this] { askAndSave(); });
}

void FormatsView::askAndSave() {
  const auto& words = m_desktop.words;
  const auto file = QFileDialog::getSaveFileName(this, words.text("action.formats.save"), QStringLiteral("formats.csv"),
                                                 words.text("app.plot.data_files"));
  if (!file.isEmpty()) saveTable(file);
}

bool FormatsView::saveTable(const QString& file) {
  const bool saved = saveWhole(file, formatsCsv(m_model, m_source.histograms()));
  if (!saved) tellUnsaved(file);
  return saved;
}

void FormatsView::tellUnsaved(const QString& file) {
  m_notice->say({wire::Message{"app.plot.save_failed", {{"file", file.toStdString()}}}});
}

void FormatsView::shown() {
  m_source.refresh();
}

bool FormatsView::showRun(const QString& id) {
  return m_source.show(id);
}

void FormatsView::refresh() {
  const auto& words = m_desktop.words;
  m_ranges->setContent(formatRanges(m_model, words));
  const int row = m_factsTable->currentIndex().row();
  m_facts.setTable(factsHead(words), factsRows(m_model, words));
  // The reader's place outlives another value.
  if (row >= 0) m_factsTable->setCurrentIndex(m_facts.index(row, 0));
  fit(*m_factsTable, m_desktop.theme);
}

void FormatsView::retext() {
  const auto& words = m_desktop.words;
  m_title->setText(words.text("app.tab.formats"));
  m_intro->setText(words.text("formats.intro"));
  m_factsTitle->setText(words.text("formats.facts"));
  name(m_factsTable, words.text("formats.facts"));
  refresh();
}

void FormatsView::restyle() {
  m_ranges->restyle();
  fit(*m_factsTable, m_desktop.theme);
}

ViewUnit view_formats() {
  return {"formats", 40, "formats",
          [](const Desktop& desktop, QWidget* parent) -> View* { return new FormatsView(desktop, parent); }};
}

}  // namespace atelier::app
