#include "experiments_view.h"

#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "app/models/preferences.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "core/registry/run_id.h"
#include "race_page.h"
#include "runs_page.h"
#include "segment_switch.h"
#include "sweep_page.h"

namespace atelier::app {

namespace {

constexpr int kPages = 3;
const auto kPage = QStringLiteral("experiments/page");

}  // namespace

ExperimentsView::ExperimentsView(const Desktop& desktop, QWidget* parent)
    : View(parent), m_desktop(desktop), m_switch(new SegmentSwitch(kPages, this)), m_pages(new QStackedWidget(this)) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  column->addWidget(m_switch, 0, Qt::AlignLeft);
  column->addWidget(m_pages, 1);
  m_pages->addWidget(m_runs = new RunsPage(desktop, m_pages));
  m_pages->addWidget(m_race = new RacePage(desktop, m_pages));
  m_pages->addWidget(m_sweep = new SweepPage(desktop, m_pages));
  connect(m_switch, &SegmentSwitch::chosen, this, [this](int page) {
    m_pages->setCurrentIndex(page);
    m_desktop.settings.set(kPage, page);
  });
  connect(m_runs, &RunsPage::raceAsked, this, [this](const RaceRequest& request) {
    m_race->setSpecs(request.specs);
    setPage(Race);
  });
  connect(m_runs, &RunsPage::profileAsked, this, [this](const QString& run) {
    if (showElsewhere) showElsewhere("profile", run);
  });
  // What a person chose for all runs is where a new race or sweep begins.
  if (const auto defaults = Preferences(desktop.settings).runDefaults(); !defaults.empty()) {
    m_race->setSpecs({defaults});
    m_sweep->setSpec(defaults);
  }
  const auto key = [](Qt::Key digit) { return QList<QKeySequence>{QKeySequence(Qt::CTRL | Qt::SHIFT | digit)}; };
  makeAction(this, desktop.words, "experiments.runs", key(Qt::Key_1), [this] { setPage(Runs); });
  makeAction(this, desktop.words, "experiments.race", key(Qt::Key_2), [this] { setPage(Race); });
  makeAction(this, desktop.words, "experiments.sweep", key(Qt::Key_3), [this] { setPage(Sweep); });
  connect(&desktop.words, &Words::changed, this, &ExperimentsView::retext);
  retext();
  setPage(static_cast<Page>(std::clamp(desktop.settings.value(kPage, 0).toInt(), 0, kPages - 1)));
}

void ExperimentsView::setPage(Page page) {
  m_switch->setCurrent(page);
}

ExperimentsView::Page ExperimentsView::page() const {
  return static_cast<Page>(m_switch->current());
}

void ExperimentsView::page(int direction) {
  m_switch->setCurrent(m_switch->current() + direction);
}

bool ExperimentsView::showRun(const QString& id) {
  if (isRace(id)) {
    setPage(Race);
    m_race->openRace(id);  // what is wrong with it is told there
    return true;
  }
  if (page() == Race && m_race->openRace(id)) return true;
  if (page() == Sweep && m_sweep->openSweep(id)) return true;
  setPage(Runs);
  m_runs->showRun(id);
  return true;
}

bool ExperimentsView::isRace(const QString& id) const {
  const auto race = id.toStdString();
  std::error_code none;
  return registry::validId(race) && std::filesystem::is_regular_file(m_desktop.home / "races" / (race + ".json"), none);
}

bool ExperimentsView::showPage(const std::string& name) {
  constexpr std::array<const char*, kPages> kNames{"runs", "race", "sweep"};
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return false;
  setPage(static_cast<Page>(found - kNames.begin()));
  return true;
}

void ExperimentsView::retext() {
  const auto& words = m_desktop.words;
  m_switch->setTexts(
      {words.text("experiments.tab.runs"), words.text("experiments.tab.race"), words.text("experiments.tab.sweep")});
}

ViewUnit view_experiments() {
  return {"experiments", 20, "flask",
          [](const Desktop& desktop, QWidget* parent) -> View* { return new ExperimentsView(desktop, parent); }};
}

}  // namespace atelier::app
