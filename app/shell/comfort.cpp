#include "comfort.h"

#include <QEvent>
#include <QKeyEvent>
#include <QTimer>

#include <utility>

#include "actions.h"
#include "app/models/background.h"
#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "core/registry/home.h"
#include "layout_keeper.h"
#include "main_window.h"
#include "palette.h"
#include "palette_items.h"
#include "preferences_effect.h"
#include "settings_dialog.h"
#include "tour.h"

namespace atelier::app {

namespace {

std::vector<registry::RunRecord> recordedRuns(const std::filesystem::path& home) {
  std::error_code none;
  if (!std::filesystem::is_directory(home / "runs", none)) return {};
  auto registry = registry::Registry::open(home);
  if (!registry) return {};
  auto runs = (*registry)->list(Comfort::kMostRuns);
  return runs ? std::move(*runs) : std::vector<registry::RunRecord>();
}

}  // namespace

Comfort::Comfort(const Desktop& desktop, MainWindow& window)
    : QObject(&window),
      m_desktop(desktop),
      m_window(window),
      m_palette(new Palette(desktop.theme, desktop.words, desktop.settings, &window)),
      m_tour(new Tour(desktop, &window)) {
  new PreferencesEffect(desktop, this);
  new LayoutKeeper(desktop, window);
  const auto& words = desktop.words;
  makeAction(&window, words, "palette", {QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
             [this] { showPalette(); });
  makeAction(&window, words, "help", {QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)},
             [this] { showHelp(Help::Keys); });
  makeAction(&window, words, "settings", {QKeySequence(Qt::CTRL | Qt::Key_Comma)}, [this] { showSettings(); });
  makeAction(&window, words, "tour", {}, [this] { startTour(); });
  connect(m_palette, &Palette::opening, this, &Comfort::fillPalette);
  connect(&desktop.desk, &RunDesk::ended, this, [this] { m_stale = true; });
  window.installEventFilter(this);
  tellProblems();
}

void Comfort::tellProblems() {
  std::vector<wire::Message> problems;
  if (const auto& problem = m_desktop.settings.problem()) problems.push_back(*problem);
  const auto chosen = registry::chosenHome();
  if (!chosen.empty() && chosen != m_desktop.home && !qEnvironmentVariableIsSet("ATELIER_HOME"))
    problems.push_back({"home.passed_over", {{"folder", chosen.string()}, {"home", m_desktop.home.string()}}});
  if (!problems.empty()) m_desktop.learn.inform(problems);
}

void Comfort::showPalette() {
  m_palette->open();
}

void Comfort::showHelp(Help::Page page) {
  if (!m_help) {
    m_help = new Help(m_desktop, &m_window);
    connect(m_help, &Help::tourAsked, this, &Comfort::startTour);
  }
  m_help->showPage(page);
}

void Comfort::showSettings(const QString& key) {
  if (!m_settings) m_settings = new SettingsDialog(m_desktop, &m_window);
  m_settings->showField(key);
}

void Comfort::startTour() {
  m_window.showView("learn");
  m_tour->start();
}

void Comfort::fillPalette() {
  const auto& words = m_desktop.words;
  auto items = actionItems(m_window, words, QStringLiteral("palette"));
  items += labItems(m_desktop, [this] { m_window.showView("learn"); });
  for (const auto& field : SettingsDialog::fields()) {
    const auto key = QString::fromLatin1(field.key);
    items.append({QStringLiteral("setting:") + key, words.text(field.text), words.text("settings.title"), QString(),
                  [this, key] { showSettings(key); }});
  }
  m_palette->model().setItems(items);
  addRuns();
  loadRuns();
}

// Read when they are first wanted, and again after a measurement; never beside one.
void Comfort::loadRuns() {
  if (!m_stale || m_loading || m_desktop.desk.busy()) return;
  m_loading = true;
  m_stale = false;
  inBackground(
      this, [home = m_desktop.home] { return recordedRuns(home); },
      [this](std::vector<registry::RunRecord> runs) {
        m_loading = false;
        const bool first = m_runs.empty();
        m_runs = std::move(runs);
        if (first) addRuns();
      });
}

void Comfort::addRuns() {
  m_palette->model().addItems(runItems(m_runs, m_desktop.words, [this](const QString& id) { showRun(id); }));
}

void Comfort::showRun(const QString& id) {
  for (const auto& unit : allViews()) {
    auto* view = m_window.view(unit.id);
    if (!view || !view->showRun(id)) continue;
    m_window.showView(unit.id);
    return;
  }
}

bool Comfort::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && !std::exchange(m_shown, true) && m_desktop.settings.remembers() &&
      !Tour::seen(m_desktop))
    QTimer::singleShot(kBeforeTour, m_tour, &Tour::start);
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    // What lies on top goes first.
    if (m_palette->isVisible()) {
      m_palette->dismiss();
      return true;
    }
    if (m_tour->isVisible()) {
      m_tour->finish();
      return true;
    }
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace atelier::app
