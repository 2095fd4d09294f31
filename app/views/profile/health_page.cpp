#include "health_page.h"

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <string>
#include <unordered_map>
#include <utility>

#include "app/models/profile_cells.h"
#include "app/models/profile_tables.h"
#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/plots/figure_plot.h"
#include "app/plots/profile_figures.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/theme.h"
#include "app/views/experiments/segment_switch.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "break_panel.h"
#include "core/trace/index.h"
#include "trace_table_view.h"

namespace atelier::app {

namespace {

constexpr int kTables = 3, kFlow = 220;

// Rows lead to the modules of the opened trace.
void linkModules(TraceRows& rows, const std::vector<wire::TensorStats>& stats, const trace::Trace& trace) {
  std::unordered_map<std::string, std::int32_t> modules;
  for (std::size_t i = 0; i < trace.modules.size(); ++i) modules.emplace(trace.modules[i].path, trace::idOf(i));
  for (std::size_t i = 0; i < stats.size(); ++i)
    if (const auto found = modules.find(stats[i].module); found != modules.end()) rows.rows[i].module = found->second;
}

}  // namespace

HealthPage::HealthPage(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : ProfilePage(desktop, selection, parent), m_watch(desktop.desk) {
  build();
  connect(&m_watch, &HealthWatch::changed, this, &HealthPage::refill);
  connect(m_switch, &SegmentSwitch::chosen, this, &HealthPage::showTable);
  connect(m_table, &TraceTableView::showAsked, this, &ProfilePage::showAsked);
  connect(m_flow, &FigurePlot::saveFailed, this, [this](const QString& file) {
    Q_EMIT said({{"app.plot.save_failed", {{"file", file.toStdString()}}}});
  });
}

void HealthPage::build() {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(m_split = new QSplitter(Qt::Horizontal, this));
  m_split->setChildrenCollapsible(false);
  m_split->addWidget(buildLeft());
  m_split->addWidget(buildRight());
  m_split->setSizes({3000, 2000});  // shares; what the reader chooses is remembered
  LayoutKeeper::keep(m_desktop.settings, m_split, QStringLiteral("profile/health"));
}

QWidget* HealthPage::buildLeft() {
  m_pages = new QStackedWidget(m_split);
  m_pages->addWidget(m_empty = new EmptyState(m_desktop.theme, m_pages));
  m_pages->addWidget(m_full = makePanel("panel", m_pages));
  auto* column = new QVBoxLayout(m_full);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  m_problemPanel = makePanel("problem", m_full);
  auto* inner = new QVBoxLayout(m_problemPanel);
  inner->setContentsMargins(16, 12, 16, 12);
  inner->addWidget(m_problem = makeLabel("body", m_problemPanel));
  column->addWidget(m_problemPanel);
  column->addWidget(m_state = makeLabel("soft", m_full));
  column->addWidget(m_switch = new SegmentSwitch(kTables, m_full), 0, Qt::AlignLeft);
  column->addWidget(m_table = new TraceTableView(m_desktop, m_selection, m_full), 1);
  return m_pages;
}

QWidget* HealthPage::buildRight() {
  auto* scroll = new QScrollArea(m_split);
  makeQuiet(*scroll);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* panel = makePanel("panel");
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  column->addWidget(m_flow = new FigurePlot(m_desktop.theme, m_desktop.words, panel), 1);
  column->addWidget(m_break = new BreakPanel(m_desktop, panel));
  scroll->setWidget(panel);
  return scroll;
}

// A run that goes, or went last, when the profile that is open says nothing.
bool HealthPage::isLive() const {
  const bool known = content() && content()->health.step >= 0;
  return m_watch.health().step >= 0 && (m_watch.live() || !known);
}

const wire::Health& HealthPage::health() const {
  static const wire::Health kNone{};
  if (isLive()) return m_watch.health();
  return content() ? content()->health : kNone;
}

const wire::Gradients& HealthPage::gradients() const {
  static const wire::Gradients kNone{};
  return isLive() ? m_watch.gradients() : kNone;
}

QString HealthPage::state() const {
  return m_state->text();
}

QString HealthPage::problem() const {
  return m_problemPanel->isHidden() ? QString() : m_problem->text();
}

void HealthPage::fill() {
  const auto& words = m_desktop.words;
  m_switch->setTexts({words.text("profileview.health.activations"), words.text("profileview.health.gradients"),
                      words.text("profileview.health.parameters")});
  m_empty->setTexts(words.text("profileview.no_health"), words.text("profileview.no_health.help"));
  m_flow->restyle();
  m_flow->setMinimumHeight(m_desktop.theme.px(kFlow));
  const auto& shown = health();
  const bool known = shown.step >= 0;
  m_pages->setCurrentWidget(known ? m_full : static_cast<QWidget*>(m_empty));
  m_flow->setVisible(known && !shown.parameters.empty());
  if (!m_flow->isHidden()) m_flow->setContent(gradientFlowFigure(shown, words));
  if (!known) return;
  showState();
  showTable();
}

void HealthPage::showState() {
  const auto& words = m_desktop.words;
  const auto& format = words.format();
  const auto& shown = health();
  const auto norm = wideText(shown.gradient_norm, format).toStdString();
  const char* id = !isLive()        ? "profileview.health.of_profile"
                   : m_watch.live() ? "profileview.health.live"
                                    : "profileview.health.of_last";
  m_state->setText(words.text(
      wire::Message{id, {{"step", format.integer(shown.step)}, {"norm", norm}, {"job", m_watch.label().toStdString()}}}));
  if (const auto& now = gradients(); now.step >= 0) {
    auto sentence = words.text(wire::Message{"profileview.health.updates", {{"step", format.integer(now.step)}}});
    if (now.noise_scale)
      sentence += QLatin1Char(' ') +
                  words.text(wire::Message{"profileview.health.noise", {{"noise", format.number(*now.noise_scale)}}});
    m_state->setText(m_state->text() + QLatin1Char(' ') + sentence);
  }
  const bool bad = !shown.first_bad_stage.empty() || !shown.first_bad_module.empty() || shown.first_bad_step >= 0;
  m_problemPanel->setVisible(bad);
  if (!bad) return;
  const auto module =
      shown.first_bad_module.empty() ? words.text("timeline.root_module").toStdString() : shown.first_bad_module;
  auto text = words.text(
      wire::Message{shown.first_bad_stage == "backward" ? "profileview.health.bad_backward" : "profileview.health.bad_forward",
                    {{"module", plainName(module).toStdString()}, {"step", format.integer(shown.first_bad_step)}}});
  if (!shown.first_bad_operator.empty())
    text += QLatin1Char(' ') + words.text(wire::Message{"profileview.health.bad_operator",
                                                        {{"operator", plainName(shown.first_bad_operator).toStdString()}}});
  m_problem->setText(text);
}

void HealthPage::showTable() {
  const auto& shown = health();
  const auto& stats = m_switch->current() == 0   ? shown.activations
                      : m_switch->current() == 1 ? shown.gradients
                                                 : shown.parameters;
  auto rows = healthRows(stats, m_desktop.words, m_switch->current() == 2 ? gradients() : wire::Gradients());
  if (content() && !isLive() && m_switch->current() < 2) linkModules(rows, stats, content()->trace);
  m_table->setRows(content(), std::move(rows));
  name(m_table, m_switch->button(m_switch->current())->text());
}

std::vector<ProfilePage::Picture> HealthPage::pictures() {
  std::vector<Picture> all;
  if (!m_flow->isHidden())
    all.push_back(Picture{QStringLiteral("gradients"), [this](const QString& file) { return m_flow->saveImage(file); }});
  return all;
}

}  // namespace atelier::app
