#include "histogram_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include "app/models/formats_texts.h"
#include "app/models/preferences.h"
#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/experiments/segment_switch.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "fit_table.h"

namespace atelier::app {

namespace {

constexpr int kKinds = 3, kEmpty = 240, kTable = 500, kLongestLabel = 60;

}  // namespace

HistogramPanel::HistogramPanel(const Desktop& desktop, FormatsModel& model, HistogramSource& source, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(model), m_source(source), m_shares(desktop.theme) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  buildEmpty();
  column->addWidget(m_empty);
  column->addWidget(m_full = buildFull());
  connect(&m_source, &HistogramSource::changed, this, &HistogramPanel::refresh);
  connect(&m_source, &HistogramSource::jobChanged, this, &HistogramPanel::showJob);
  // The scale of int8 is the model's.
  connect(&m_model, &FormatsModel::changed, this, &HistogramPanel::showCounted);
  connect(m_switch, &SegmentSwitch::chosen, this, &HistogramPanel::showCounted);
  connect(&desktop.words, &Words::changed, this, &HistogramPanel::retext);
  connect(&desktop.theme, &Theme::changed, this, &HistogramPanel::restyle);
  restyle();
  retext();
}

void HistogramPanel::buildEmpty() {
  m_empty = new EmptyState(m_desktop.theme, this);
  m_empty->addBelow(m_command = makeLabel("key", m_empty));
  m_empty->addBelow(m_count = makeButton("primary", m_empty));
  m_command->setTextInteractionFlags(Qt::TextSelectableByMouse);
  connect(m_count, &QPushButton::clicked, this, &HistogramPanel::countRun);
}

QWidget* HistogramPanel::buildFull() {
  auto* full = makePanel("plain", this);
  auto* column = new QVBoxLayout(full);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_title = makeLabel("h2", full));
  row->addWidget(m_runs = new QComboBox(full));
  row->addStretch(1);
  row->addWidget(m_switch = new SegmentSwitch(kKinds, full));
  row->addWidget(m_again = makeButton("", full));
  column->addLayout(row);
  column->addWidget(m_state = makeLabel("soft", full));
  m_title->setWordWrap(false);
  m_runs->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  guardWheel(m_runs);
  m_switch->setCurrent(static_cast<int>(CountedKind::Gradients));
  auto* body = new QHBoxLayout;
  body->setSpacing(12);
  body->addWidget(m_plot = new RangePlot(m_desktop.theme, m_desktop.words, full), 3);
  auto* right = new QVBoxLayout;
  right->setSpacing(8);
  right->addWidget(m_table = new QTableView(full));
  right->addWidget(m_note = makeLabel("soft", full));
  right->addStretch(1);
  body->addLayout(right, 2);
  column->addLayout(body, 1);
  m_table->setModel(&m_shares);
  makeFitting(*m_table);
  connect(m_again, &QPushButton::clicked, this, &HistogramPanel::countRun);
  connect(m_runs, &QComboBox::activated, this, [this](int index) { m_source.choose(m_runs->itemData(index).toString()); });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) { m_plot->readBar(now.row()); });
  return full;
}

CountedKind HistogramPanel::kind() const {
  return static_cast<CountedKind>(m_switch->current());
}

void HistogramPanel::setKind(CountedKind kind) {
  m_switch->setCurrent(static_cast<int>(kind));
}

bool HistogramPanel::isEmpty() const {
  return m_source.histograms() == nullptr;
}

void HistogramPanel::countRun() {
  if (!m_source.idle()) return;
  m_source.count(Preferences(m_desktop.settings).runDefaults(), m_desktop.words.text("formats.job"));
}

void HistogramPanel::refresh() {
  const auto& words = m_desktop.words;
  m_empty->setTexts(words.text(m_source.loaded() ? "formats.empty" : "formats.looking"), words.text("formats.empty.help"));
  m_empty->setVisible(isEmpty());
  m_full->setVisible(!isEmpty());
  showRuns();
  showCounted();
}

void HistogramPanel::showRuns() {
  const QSignalBlocker quiet(m_runs);
  m_runs->clear();
  if (m_source.live())
    m_runs->addItem(m_desktop.words.text(wire::Message{
                        "formats.live", {{"job", plainName(m_source.liveLabel().toStdString(), kLongestLabel).toStdString()}}}),
                    QString());
  for (const auto& run : m_source.runs())
    m_runs->addItem(plainName(profiledRunText(run.run, m_desktop.words).toStdString(), kLongestLabel),
                    QString::fromStdString(run.run.id));
  const auto* shown = m_source.shown();
  m_runs->setCurrentIndex(m_runs->findData(shown ? QString::fromStdString(shown->run.id) : QString()));
}

void HistogramPanel::showCounted() {
  const auto* all = m_source.histograms();
  if (!all) return;
  const auto& words = m_desktop.words;
  const auto& format = words.format();
  const auto& histogram = histogramOf(*all, kind());
  m_plot->setContent(countedRanges(m_model, *all, kind(), words));
  m_shares.setTable(sharesHead(words), sharesRows(m_model, histogram, words));
  fit(*m_table, m_desktop.theme);
  m_state->setText(words.text(wire::Message{"formats.counted.state",
                                            {{"step", format.integer(m_source.step())},
                                             {"count", format.integer(histogram.count())},
                                             {"zeros", format.integer(histogram.zeros)},
                                             {"bad", format.integer(histogram.infinities + histogram.nans)}}}));
}

void HistogramPanel::showJob() {
  for (auto* button : {m_count, m_again}) button->setEnabled(m_source.idle());
}

void HistogramPanel::retext() {
  const auto& words = m_desktop.words;
  m_command->setText(HistogramSource::command());
  m_count->setText(words.text("formats.count"));
  m_again->setText(words.text("formats.count"));
  m_title->setText(words.text("formats.of_run"));
  name(m_runs, words.text("formats.of_run"));
  name(m_table, words.text("formats.shares"));
  m_note->setText(words.text("formats.shares.note"));
  m_switch->setTexts({words.text("formats.weights"), words.text("formats.activations"), words.text("formats.gradients")});
  showJob();
  refresh();
}

void HistogramPanel::restyle() {
  const auto& theme = m_desktop.theme;
  m_count->setIcon(theme.icon(QStringLiteral("play"), theme.tokens().onAccent));
  m_again->setIcon(theme.icon(QStringLiteral("play")));
  m_table->setMinimumWidth(theme.px(kTable));
  setMinimumHeight(theme.px(kEmpty));
  m_plot->restyle();
  fit(*m_table, m_desktop.theme);
}

}  // namespace atelier::app
