#include "race_live.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/race_texts.h"
#include "app/models/words.h"
#include "app/plots/figure_plot.h"
#include "app/plots/plot_column.h"
#include "app/plots/verdict_plot.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "notice_bar.h"

namespace atelier::app {

namespace {

constexpr int kRow = 32, kHeader = 36, kVerdict = 240;

}  // namespace

RaceLive::RaceLive(const Desktop& desktop, RaceModel& model, QWidget* parent)
    : QWidget(parent),
      m_desktop(desktop),
      m_model(model),
      m_runs(desktop.theme, desktop.words.catalog(), desktop.words.format()) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  buildHead(*column);
  column->addWidget(m_said = new NoticeBar(desktop.theme, desktop.words, this));
  auto* holder = makePanel("plain", this);
  m_stack = new QStackedLayout(holder);
  m_stack->setContentsMargins(0, 0, 0, 0);
  column->addWidget(holder, 1);
  m_empty = new EmptyState(desktop.theme, holder);
  auto* scroll = new QScrollArea(holder);
  makeQuiet(*scroll);
  auto* body = makePanel("plain");
  auto* rows = new QVBoxLayout(body);
  rows->setContentsMargins(0, 0, 4, 0);
  rows->setSpacing(8);
  rows->addWidget(m_failure = makeLabel("bad", body));
  for (auto*& sentence : m_sentences) rows->addWidget(sentence = makeLabel("h2", body));
  rows->addWidget(m_verdict = new FigurePlot(desktop.theme, desktop.words, body));
  buildBusy(*rows);
  rows->addWidget(m_notices = makeLabel("soft", body));
  rows->addWidget(m_plots = new PlotColumn(desktop.theme, desktop.words.catalog(), desktop.words.format(), body), 1);
  buildTable(*rows);
  scroll->setWidget(body);
  m_full = scroll;
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_full);
  connect(&m_model, &RaceModel::changed, this, &RaceLive::showAll);
  connect(&m_model, &RaceModel::tick, this, &RaceLive::tick);
  connect(&desktop.words, &Words::changed, this, &RaceLive::retext);
  connect(&desktop.theme, &Theme::changed, this, &RaceLive::restyle);
  connect(m_verdict, &FigurePlot::saveFailed, this, &RaceLive::saveFailed);
  connect(m_plots, &PlotColumn::saveFailed, this, &RaceLive::saveFailed);
  restyle();
}

void RaceLive::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  m_pastMenu = new QMenu(this);
  m_forkMenu = new QMenu(this);
  row->addWidget(m_title = makeLabel("h2", this), 1);
  row->addWidget(m_past = makeMenuButton(m_pastMenu, "race.past", this));
  row->addWidget(m_fork = makeMenuButton(m_forkMenu, "race.fork", this));
  row->addWidget(m_report = makeButton("", this));
  m_report->setObjectName(QStringLiteral("race.report"));
  column.addLayout(row);
  connect(m_pastMenu, &QMenu::aboutToShow, this, &RaceLive::fillPast);
  connect(m_forkMenu, &QMenu::aboutToShow, this, &RaceLive::fillFork);
  connect(m_report, &QPushButton::clicked, this, &RaceLive::writeReport);
}

void RaceLive::buildBusy(QVBoxLayout& column) {
  m_busy = makePanel("notice");
  auto* row = new QHBoxLayout(m_busy);
  row->setContentsMargins(16, 12, 16, 12);
  row->addWidget(m_busyText = makeLabel("body", m_busy), 1);
  column.addWidget(m_busy);
}

void RaceLive::buildTable(QVBoxLayout& column) {
  column.addWidget(m_table = new QTableView(this));
  m_table->setModel(&m_runs);
  makeQuiet(*m_table);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(RunsTable::Run, QHeaderView::Stretch);
}

void RaceLive::showAll() {
  const auto series = m_model.series();
  m_plots->setSeries(series);
  m_runs.setSeries(series);
  m_table->setFixedHeight(m_desktop.theme.px(kHeader + kRow * static_cast<int>(series.size()) + 8));
  m_stack->setCurrentWidget(series.isEmpty() ? static_cast<QWidget*>(m_empty) : m_full);
  const bool over = m_model.job().idle() && !m_model.runIds().isEmpty();
  m_report->setEnabled(over);
  m_fork->setEnabled(!m_model.ranSpecs().empty());
  m_past->setEnabled(m_model.job().idle());
  m_title->setText(m_desktop.words.text(m_model.past() ? "racepage.past_title" : "racepage.title"));
  const auto& failure = m_model.failure();
  showText(m_failure, failure                 ? m_desktop.words.text(failure->messages)
                      : m_model.interrupted() ? m_desktop.words.text("racepage.interrupted")
                                              : QString());
  setRole(m_failure, failure ? QStringLiteral("bad") : QStringLiteral("warn"));
  showVerdict();
  showBusy();
  showNotices();
}

// The verdict is what one waits for, and cheap: each time. One of the plots of curves at a time, the table now and then.
void RaceLive::tick() {
  if (!isVisible()) return;
  showVerdict();
  showBusy();
  m_plots->refreshNext();
  if (++m_ticks % 4 == 0) m_runs.refresh();
}

// What went on while nobody looked.
void RaceLive::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showAll();
}

void RaceLive::showVerdict() {
  const RaceTexts texts(m_desktop.words);
  const auto& tracks = m_model.tracks();
  m_verdict->setContent(verdictFigure(tracks, m_desktop.words));
  m_verdict->setVisible(!tracks.empty());
  const auto& result = m_model.result();
  const auto comparisons = result ? result->comparisons() : std::vector<wire::Comparison>();
  for (std::size_t i = 0; i < m_sentences.size(); ++i) {
    QString sentence;
    std::string verdict;
    if (i < comparisons.size()) {
      sentence = texts.atEnd(comparisons[i], *result);
      verdict = comparisons[i].verdict;
    } else if (!result && i < tracks.size()) {
      sentence = texts.soFar(tracks[i].last);
      verdict = tracks[i].last.decided ? tracks[i].last.verdict : std::string();
    }
    showText(m_sentences[i], sentence);
    setRole(m_sentences[i], QLatin1String(RaceTexts::tone(verdict)));
  }
}

void RaceLive::showBusy() {
  const auto& words = m_desktop.words;
  QStringList lines;
  if (m_model.machineBusy()) lines << words.text("racepage.machine_busy");
  lines << RaceTexts(words).busy(m_model.busyReasons());
  if (lines.size() == 1 && m_model.machineBusy()) lines << words.text("racepage.too_short");
  m_busy->setVisible(!lines.isEmpty());
  m_busyText->setText(lines.join(QLatin1Char('\n')));
}

void RaceLive::showNotices() {
  const auto& words = m_desktop.words;
  QStringList lines;
  const auto& result = m_model.result();
  if (result && result->stopped_early)
    lines << words.text(wire::Message{"race.stopped_early",
                                      {{"pairs", words.format().integer(result->pairs + result->discarded_pairs)},
                                       {"planned", words.format().integer(result->planned_pairs)}}});
  for (const auto& message : m_model.notices()) lines << words.text(message);
  showText(m_notices, lines.join(QLatin1Char('\n')));
}

QStringList RaceLive::sentences() const {
  QStringList all;
  for (const auto* label : m_sentences)
    if (!label->text().isEmpty()) all << label->text();
  return all;
}

QString RaceLive::busyText() const {
  return m_busy->isHidden() ? QString() : m_busyText->text();
}

void RaceLive::retext() {
  const auto& words = m_desktop.words;
  m_empty->setTexts(words.text("racepage.empty"), words.text("racepage.empty_text"));
  m_past->setText(words.text("racepage.past"));
  m_fork->setText(words.text("racepage.fork"));
  m_report->setText(words.text("racepage.report"));
  name(m_table, words.text("app.table.name"));
  m_verdict->retext();
  m_plots->retext();
  m_runs.retext();
  showAll();
}

void RaceLive::restyle() {
  const auto& theme = m_desktop.theme;
  m_table->verticalHeader()->setDefaultSectionSize(theme.px(kRow));
  m_report->setIcon(theme.icon(QStringLiteral("download")));
  m_verdict->restyle();
  m_verdict->setFixedHeight(theme.px(kVerdict));
  m_plots->restyle();
  retext();
}

void RaceLive::setTwoColumns(bool two) {
  m_plots->setTwoColumns(two);
}

}  // namespace atelier::app
