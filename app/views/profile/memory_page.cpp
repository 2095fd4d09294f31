#include "memory_page.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <cmath>

#include "app/models/profile_tables.h"
#include "app/models/words.h"
#include "app/plots/profile_figures.h"
#include "app/plots/time_plot.h"
#include "app/plots/trace_palette.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "trace_table_view.h"

namespace atelier::app {

namespace {

constexpr double kGround = 0.4;  // share of the ground in the plot's areas

PlotTexts textsOf(const Words& words) {
  PlotTexts texts;
  texts.title = words.text("app.plot.memory");
  texts.unit = words.text("app.plot.memory.unit");
  texts.budget = words.text("profileview.memory.peak");
  texts.timeAxis = words.text("profileview.memory.time");
  texts.copyImage = words.text("app.plot.copy");
  texts.saveImage = words.text("app.plot.save_image");
  texts.saveData = words.text("app.plot.save_data");
  texts.showAll = words.text("app.plot.show_all");
  texts.imageFiles = words.text("app.plot.image_files");
  texts.dataFiles = words.text("app.plot.data_files");
  texts.seconds = QStringLiteral("ms");
  texts.number = [&words](double value) { return QString::fromStdString(words.format().number(value)); };
  texts.language = QString::fromStdString(words.language());
  texts.reason = [&words](const std::string& id) { return words.text(id); };
  return texts;
}

}  // namespace

MemoryPage::MemoryPage(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : ProfilePage(desktop, selection, parent) {
  build();
  connect(m_tensors, &TraceTableView::showAsked, this, &ProfilePage::showAsked);
  connect(m_plot, &TimePlot::saveFailed, this, [this](const QString& file) {
    Q_EMIT said({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
  });
}

void MemoryPage::build() {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(m_pages = new QStackedWidget(this));
  m_pages->addWidget(m_empty = new EmptyState(m_desktop.theme, m_pages));
  m_pages->addWidget(m_split = new QSplitter(Qt::Vertical, m_pages));
  m_split->setChildrenCollapsible(false);
  auto* above = makePanel("panel", m_split);
  auto* rows = new QVBoxLayout(above);
  rows->setContentsMargins(12, 12, 12, 12);
  rows->setSpacing(6);
  rows->addWidget(m_plot = new TimePlot(m_desktop.theme, m_cursor, true, above), 1);
  rows->addWidget(m_legend = makeLabel("soft", above));
  rows->addWidget(m_figures = makeLabel("", above));
  m_legend->setTextFormat(Qt::RichText);
  m_plot->showTimeAxis(true);
  auto* below = makePanel("panel", m_split);
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(6);
  column->addWidget(m_title = makeLabel("h2", below));
  column->addWidget(m_tensors = new TraceTableView(m_desktop, m_selection, below), 1);
  m_split->addWidget(above);
  m_split->addWidget(below);
  m_split->setSizes({1000, 1000});  // halves; what the reader chooses is remembered
  LayoutKeeper::keep(m_desktop.settings, m_split, QStringLiteral("profile/memory"));
}

void MemoryPage::fill() {
  const auto& words = m_desktop.words;
  m_empty->setTexts(words.text("profileview.no_memory"), words.text("profileview.no_memory.help"));
  name(m_tensors, words.text("profileview.memory.tensors"));
  m_title->setText(words.text("profileview.memory.tensors"));
  m_plot->setTexts(textsOf(words));
  m_plot->restyle();
  const bool known = content() && !content()->report.memory.timeline.empty();
  m_pages->setCurrentWidget(known ? static_cast<QWidget*>(m_split) : m_empty);
  if (!known) return;
  showPlot();
  showFigures();
  m_tensors->setRows(content(), tensorRows(*content(), words));
}

void MemoryPage::showPlot() {
  // Another trace begins with all of it in view.
  if (m_shown != content()) {
    m_shown = content();
    m_cursor.set(std::nullopt);
    m_plot->setView(0, 1, true);
  }
  m_plot->setContent(memoryPlot(content()->report.memory, m_desktop.words));
  m_plot->setLabelWidth(m_plot->labelWidth());
  QStringList legend;
  const auto names = memoryLayers(m_desktop.words);
  for (int layer = 0; layer < names.size(); ++layer) {
    const auto color = mixed(m_desktop.theme.seriesColor(layer), m_desktop.theme.tokens().panel, kGround);
    legend << QStringLiteral("<span style=\"color:%1\">■</span>&nbsp;%2").arg(color.name(), names[layer].toHtmlEscaped());
  }
  m_legend->setText(legend.join(QStringLiteral(" &nbsp; ")));
}

void MemoryPage::showFigures() {
  const auto& words = m_desktop.words;
  const auto& format = words.format();
  const auto& memory = content()->report.memory;
  QStringList parts{words.text(wire::Message{"profileview.memory.at_peak", {{"bytes", format.bytes(memory.peak.total())}}})};
  parts << words.text(
      wire::Message{"profileview.memory.a_step",
                    {{"count", format.compact(memory.allocations_per_step)},
                     {"bytes", format.bytes(static_cast<std::int64_t>(std::llround(memory.allocated_bytes_per_step)))}}});
  if (memory.growth_per_step > 0)
    parts << words.text(wire::Message{"profileview.memory.growth", {{"bytes", format.bytes(memory.growth_per_step)}}});
  m_figures->setText(parts.join(QLatin1Char(' ')));
}

QString MemoryPage::figures() const {
  return m_figures->text();
}

std::vector<ProfilePage::Picture> MemoryPage::pictures() {
  std::vector<Picture> all;
  if (m_pages->currentWidget() == m_split)
    all.push_back(Picture{QStringLiteral("memory"), [this](const QString& file) { return m_plot->saveImage(file); }});
  return all;
}

}  // namespace atelier::app
