// Comfort: what is at hand wherever one is in the window: the command palette, help, settings, the first tour; and what was
// preferred or left standing, in effect from the start. It makes the actions for them; the window only holds it. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <vector>

#include "core/registry/registry.h"
#include "help.h"

namespace atelier::app {

class MainWindow;
class Palette;
class SettingsDialog;
class Tour;

class Comfort : public QObject {
  Q_OBJECT
 public:
  static constexpr int kBeforeTour = 800;  // milliseconds in which a first window comes to rest
  static constexpr int kMostRuns = 200;    // recorded runs that the palette finds

  // REQUIRES: the window has its views.
  Comfort(const Desktop& desktop, MainWindow& window);

  void showPalette();
  void showHelp(Help::Page page);
  void showSettings(const QString& key = {});
  void startTour();
  Palette& palette() { return *m_palette; }
  Tour& tour() { return *m_tour; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void tellProblems();
  void fillPalette();
  void loadRuns();
  void showRun(const QString& id);
  void addRuns();

  const Desktop& m_desktop;
  MainWindow& m_window;
  Palette* m_palette = nullptr;
  Tour* m_tour = nullptr;
  Help* m_help = nullptr;
  SettingsDialog* m_settings = nullptr;
  std::vector<registry::RunRecord> m_runs;
  bool m_stale = true, m_loading = false, m_shown = false;
};

}  // namespace atelier::app
