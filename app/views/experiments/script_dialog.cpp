#include "script_dialog.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "app/models/learn_model.h"
#include "app/models/save_file.h"
#include "app/models/words.h"
#include "app/plots/plot_column.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "code_view.h"
#include "job_bar.h"
#include "notice_bar.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 1180, kHeight = 760, kRow = 32, kHeader = 36;

}  // namespace

void ScriptDialog::show(const Desktop& desktop, const nlohmann::json& spec, QWidget* parent) {
  std::vector<nlohmann::json> one;
  one.push_back(spec);
  showVariants(desktop, one, parent);
}

void ScriptDialog::showVariants(const Desktop& desktop, const std::vector<nlohmann::json>& specs, QWidget* parent) {
  if (specs.empty()) return;
  auto* dialog = new ScriptDialog(desktop, specs, parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->QDialog::show();
}

ScriptDialog::ScriptDialog(const Desktop& desktop, std::vector<nlohmann::json> specs, QWidget* parent)
    : QDialog(parent),
      m_desktop(desktop),
      m_specs(std::move(specs)),
      m_model(desktop.desk, desktop.learn.schema(), desktop.home),
      m_runs(desktop.theme, desktop.words.catalog(), desktop.words.format()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addWidget(m_said = new NoticeBar(desktop.theme, desktop.words, this));
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  row->addWidget(buildScript(), 1);
  row->addWidget(m_side = buildRuns(), 1);
  column->addLayout(row, 1);
  connect(&m_model, &ScriptModel::scriptChanged, this, &ScriptDialog::showScript);
  connect(&m_model, &ScriptModel::runsChanged, this, &ScriptDialog::showRuns);
  connect(&m_model, &ScriptModel::tick, this, &ScriptDialog::tick);
  connect(&desktop.words, &Words::changed, this, &ScriptDialog::retext);
  connect(&desktop.theme, &Theme::changed, this, &ScriptDialog::restyle);
  resize(desktop.theme.px(kWidth), desktop.theme.px(kHeight));
  m_model.setNativeLabel(desktop.words.text("scriptview.native"));
  m_model.setSpec(m_specs.empty() ? nlohmann::json::object() : m_specs.front());
  restyle();
}

QWidget* ScriptDialog::buildScript() {
  auto* part = makePanel("plain", this);
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_variant = new QComboBox(part));
  row->addWidget(m_about = makeLabel("soft", part), 1);
  column->addLayout(row);
  column->addWidget(m_state = makeLabel("soft", part));
  column->addWidget(m_code = new CodeView(m_desktop.theme, part), 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(m_copy = makeButton("", part));
  buttons->addWidget(m_save = makeButton("", part));
  buttons->addStretch(1);
  buttons->addWidget(m_close = makeButton("", part));
  column->addLayout(buttons);
  m_variant->setVisible(m_specs.size() > 1);
  guardWheel(m_variant);
  for (std::size_t i = 0; i < m_specs.size(); ++i) m_variant->addItem(QString(QLatin1Char(static_cast<char>('A' + i))));
  m_copy->setObjectName(QStringLiteral("script.copy"));
  m_save->setObjectName(QStringLiteral("script.save"));
  connect(m_variant, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index >= 0 && m_model.job().idle()) m_model.setSpec(m_specs[static_cast<std::size_t>(index)]);
  });
  connect(m_copy, &QPushButton::clicked, this, &ScriptDialog::copy);
  connect(m_save, &QPushButton::clicked, this, &ScriptDialog::save);
  connect(m_close, &QPushButton::clicked, this, &ScriptDialog::reject);
  return part;
}

QWidget* ScriptDialog::buildRuns() {
  auto* part = makePanel("plain", this);
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_run = makeButton("primary", part));
  row->addWidget(m_native = makeButton("", part));
  row->addStretch(1);
  column->addLayout(row);
  column->addWidget(m_bar = new JobBar(m_desktop, m_model.job(), part));
  column->addWidget(m_failure = makeLabel("bad", part));
  auto* scroll = new QScrollArea(part);
  makeQuiet(*scroll);
  m_plots = new PlotColumn(m_desktop.theme, m_desktop.words.catalog(), m_desktop.words.format());
  scroll->setWidget(m_plots);
  column->addWidget(scroll, 1);
  column->addWidget(m_table = new QTableView(part));
  m_table->setModel(&m_runs);
  makeQuiet(*m_table);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(RunsTable::Run, QHeaderView::Stretch);
  m_run->setObjectName(QStringLiteral("script.run"));
  m_native->setObjectName(QStringLiteral("script.native"));
  connect(m_run, &QPushButton::clicked, this, &ScriptDialog::runScript);
  connect(m_native, &QPushButton::clicked, this, &ScriptDialog::runNative);
  connect(m_plots, &PlotColumn::saveFailed, this, [this](const QString& file) {
    m_said->say({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
  });
  return part;
}

void ScriptDialog::showScript() {
  const auto& words = m_desktop.words;
  const auto& error = m_model.error();
  showText(m_state, m_model.asking() ? words.text("scriptview.asking") : error ? words.text(error->messages) : QString());
  setRole(m_state, error ? QStringLiteral("bad") : QStringLiteral("soft"));
  if (m_code->toPlainText() != m_model.script()) m_code->setPlainText(m_model.script());
  const bool any = !m_model.script().isEmpty();
  m_copy->setEnabled(any);
  m_save->setEnabled(any);
  showRuns();
}

void ScriptDialog::showRuns() {
  const auto& words = m_desktop.words;
  const bool idle = m_model.job().idle();
  const auto series = m_model.series();
  m_plots->setSeries(series);
  m_runs.setSeries(series);
  m_table->setFixedHeight(m_desktop.theme.px(kHeader + kRow * static_cast<int>(series.size()) + 8));
  m_run->setVisible(idle);
  m_run->setEnabled(m_model.canRun());
  m_native->setVisible(idle);
  m_native->setText(words.text(m_model.native() ? "scriptview.run_native_again" : "scriptview.run_native"));
  m_native->setEnabled(!m_desktop.learn.schema().options().empty());
  m_variant->setEnabled(idle);
  showText(m_failure, m_model.failure() ? words.text(m_model.failure()->messages) : QString());
  const char* about = !m_model.native()          ? "scriptview.about.no_native"
                      : m_model.nativeRecorded() ? "scriptview.about.recorded"
                                                 : "scriptview.about";
  m_about->setText(words.text(about));
}

void ScriptDialog::tick() {
  if (!isVisible()) return;
  m_plots->refreshNext();
  if (++m_ticks % 4 == 0) m_runs.refresh();
}

void ScriptDialog::retext() {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("scriptview.title"));
  name(m_code, words.text("scriptview.code"));
  name(m_variant, words.text("scriptview.variant"));
  name(m_table, words.text("app.table.name"));
  m_copy->setText(words.text("scriptview.copy"));
  m_save->setText(words.text("scriptview.save"));
  m_run->setText(words.text("scriptview.run"));
  m_close->setText(words.text("app.close"));
  m_plots->retext();
  m_runs.retext();
  showScript();
}

void ScriptDialog::restyle() {
  const auto& theme = m_desktop.theme;
  m_copy->setIcon(theme.icon(QStringLiteral("copy")));
  m_save->setIcon(theme.icon(QStringLiteral("download")));
  m_run->setIcon(theme.icon(QStringLiteral("play"), theme.tokens().onAccent));
  m_table->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  m_code->restyle();
  m_plots->restyle();
  retext();
}

void ScriptDialog::copy() {
  QGuiApplication::clipboard()->setText(m_model.script());
  m_copy->setText(m_desktop.words.text("app.error.copied"));
}

void ScriptDialog::save() {
  auto file = QFileDialog::getSaveFileName(this, m_desktop.words.text("scriptview.save"), QStringLiteral("atelier_run.py"),
                                           QStringLiteral("Python (*.py)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(QLatin1String(".py"), Qt::CaseInsensitive)) file += QStringLiteral(".py");
  saveTo(file);
}

bool ScriptDialog::saveTo(const QString& file) {
  const bool saved = saveWhole(file, m_model.script().toUtf8());
  const auto* id = saved ? "scriptview.saved" : "app.plot.save_failed";
  m_said->say({{id, {{"file", file.toStdString()}}}});
  return saved;
}

void ScriptDialog::runScript() {
  m_model.runScript(m_desktop.words.text("scriptview.job"), m_desktop.words.text("scriptview.python"));
}

void ScriptDialog::runNative() {
  m_model.runNative(m_desktop.words.text("scriptview.job_native"), m_desktop.words.text("scriptview.native"));
}

// What this window has started ends with it: nobody else would stop it.
void ScriptDialog::reject() {
  m_model.job().stop();
  QDialog::reject();
}

void ScriptDialog::closeEvent(QCloseEvent* event) {
  m_model.job().stop();
  QDialog::closeEvent(event);
}

}  // namespace atelier::app
