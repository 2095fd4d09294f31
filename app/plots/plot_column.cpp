#include "plot_column.h"

#include <QGridLayout>

#include <algorithm>
#include <utility>

#include "app/shell/theme.h"
#include "core/wire/catalog.h"
#include "core/wire/format.h"
#include "time_plot.h"

namespace atelier::app {

namespace {

constexpr std::array<PlotKind, PlotColumn::kPlots> kKinds{PlotKind::Throughput, PlotKind::Memory,   PlotKind::Cpu,
                                                          PlotKind::Loss,       PlotKind::Accuracy, PlotKind::Waiting,
                                                          PlotKind::Queue,      PlotKind::LossScale};
constexpr std::array<const char*, PlotColumn::kPlots> kNames{"throughput", "memory",  "cpu",   "loss",
                                                             "accuracy",   "waiting", "queue", "loss_scale"};

}  // namespace

PlotColumn::PlotColumn(const Theme& theme, const wire::Catalog& catalog, const wire::Format& format, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_catalog(catalog), m_format(format), m_grid(new QGridLayout(this)) {
  setProperty("role", "plain");
  m_grid->setContentsMargins(0, 0, 0, 0);
  for (std::size_t i = 0; i < m_plots.size(); ++i) {
    m_plots[i] = new TimePlot(theme, m_cursor, true, this);
    connect(m_plots[i], &TimePlot::saveFailed, this, &PlotColumn::saveFailed);
    connect(m_plots[i], &TimePlot::viewChanged, this, [this, i](double from, double to, bool following) {
      for (std::size_t other = 0; other < m_plots.size(); ++other)
        if (other != i) m_plots[other]->setView(from, to, following);
    });
  }
  for (auto* plot : m_plots) plot->hide();
  retext();
  arrange();
}

void PlotColumn::setSeries(const QVector<const RunSeries*>& runs) {
  // The same runs going on keep the view that the reader has chosen.
  if (runs == m_runs) {
    refresh();
    return;
  }
  m_runs = runs;
  m_cursor.set(std::nullopt);
  for (auto* plot : m_plots) plot->setView(0, 1, true);
  refresh();
}

bool PlotColumn::showWorthy() {
  bool others = false;
  for (std::size_t i = 0; i < m_plots.size(); ++i) {
    const bool worth = worthAPlot(kKinds[i], m_runs);
    if (std::exchange(m_worth[i], worth) == worth) continue;
    m_plots[i]->setVisible(worth);
    others = true;
  }
  return others;
}

void PlotColumn::refresh() {
  if (showWorthy()) arrange();
  int room = 0;
  for (std::size_t i = 0; i < m_plots.size(); ++i) {
    if (m_plots[i]->isHidden()) continue;
    m_plots[i]->setContent(plotContent(kKinds[i], m_runs, m_phases));
    room = std::max(room, m_plots[i]->labelWidth());
  }
  for (auto* plot : m_plots) plot->setLabelWidth(room);
}

void PlotColumn::refreshNext() {
  // A run may begin to tell of something while it goes.
  if (showWorthy()) {
    arrange();
    return refresh();
  }
  do m_next = (m_next + 1) % m_plots.size();
  while (m_plots[m_next]->isHidden());
  auto* next = m_plots[m_next];
  next->setContent(plotContent(kKinds[m_next], m_runs, m_phases));
  int room = 0;
  for (const auto* plot : m_plots) room = std::max(room, plot->labelWidth());
  next->setLabelWidth(room);
}

void PlotColumn::retext() {
  const auto text = [this](const std::string& id) { return QString::fromStdString(m_catalog.text(id)); };
  m_phases.clear();
  for (const char* phase : {"weights", "optimizer", "gradients", "activations", "other"})
    m_phases << text(std::string("app.memory.") + phase);
  for (std::size_t i = 0; i < m_plots.size(); ++i) {
    PlotTexts texts;
    texts.title = text(std::string("app.plot.") + kNames[i]);
    texts.unit = text(std::string("app.plot.") + kNames[i] + ".unit");
    texts.budget = text("app.plot.budget");
    texts.timeAxis = text("app.plot.time");
    texts.copyImage = text("app.plot.copy");
    texts.saveImage = text("app.plot.save_image");
    texts.saveData = text("app.plot.save_data");
    texts.showAll = text("app.plot.show_all");
    texts.imageFiles = text("app.plot.image_files");
    texts.dataFiles = text("app.plot.data_files");
    texts.seconds = QStringLiteral("s");
    texts.number = [this](double value) { return QString::fromStdString(m_format.number(value)); };
    texts.language = QString::fromStdString(m_catalog.language());
    texts.reason = text;
    m_plots[i]->setTexts(texts);
  }
  refresh();
}

void PlotColumn::restyle() {
  m_grid->setSpacing(m_theme.px(8));
  for (auto* plot : m_plots) plot->restyle();
  refresh();
}

void PlotColumn::setMark(const QString& mark) {
  for (auto* plot : m_plots) plot->setMark(mark);
}

void PlotColumn::setTwoColumns(bool two) {
  if (two == m_two) return;
  m_two = two;
  arrange();
}

void PlotColumn::labelTime() {
  const std::size_t columns = m_two ? 2 : 1;
  std::array<TimePlot*, 2> lowest{};
  std::size_t shown = 0;
  for (std::size_t i = 0; i < m_plots.size(); ++i)
    if (m_worth[i]) lowest[shown++ % columns] = m_plots[i];
  for (auto* plot : m_plots) plot->showTimeAxis(plot == lowest[0] || plot == lowest[1]);
}

void PlotColumn::arrange() {
  // Those that are hidden come last: no place is left free for them.
  const int columns = m_two ? 2 : 1;
  int at = 0;
  for (const bool worth : {true, false})
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
      if (m_worth[i] != worth) continue;
      m_grid->addWidget(m_plots[i], at / columns, at % columns);
      ++at;
    }
  m_grid->setColumnStretch(0, 1);
  m_grid->setColumnStretch(1, m_two ? 1 : 0);
  labelTime();
}

}  // namespace atelier::app
