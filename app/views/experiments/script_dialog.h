// ScriptDialog: a spec as the PyTorch script that does the same: to be read, copied, saved, and run, its curves beside those of
// the native run. The two runs go one after the other, so they are no race, which is said. GUI thread.
#pragma once

#include <QDialog>

#include <nlohmann/json.hpp>
#include <vector>

#include "app/models/runs_table.h"
#include "app/models/script_model.h"
#include "app/shell/view.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QTableView;

namespace atelier::app {

class CodeView;
class JobBar;
class NoticeBar;
class PlotColumn;

class ScriptDialog : public QDialog {
  Q_OBJECT
 public:
  static void show(const Desktop& desktop, const nlohmann::json& spec, QWidget* parent);
  // Of a race's variants: A, B, …, one of which is shown.
  static void showVariants(const Desktop& desktop, const std::vector<nlohmann::json>& specs, QWidget* parent);

  ScriptDialog(const Desktop& desktop, std::vector<nlohmann::json> specs, QWidget* parent);
  ScriptModel& model() { return m_model; }
  bool saveTo(const QString& file);  // false, and told, when it can't be written

 protected:
  void closeEvent(QCloseEvent* event) override;
  void reject() override;

 private:
  QWidget* buildScript();
  QWidget* buildRuns();
  void showScript();
  void showRuns();
  void tick();
  void retext();
  void restyle();
  void save();
  void copy();
  void runScript();
  void runNative();

  const Desktop& m_desktop;
  std::vector<nlohmann::json> m_specs;
  ScriptModel m_model;
  RunsTable m_runs;
  QComboBox* m_variant = nullptr;
  CodeView* m_code = nullptr;
  QLabel *m_state = nullptr, *m_about = nullptr, *m_failure = nullptr;
  QPushButton *m_copy = nullptr, *m_save = nullptr, *m_run = nullptr, *m_native = nullptr, *m_close = nullptr;
  NoticeBar* m_said = nullptr;
  JobBar* m_bar = nullptr;
  PlotColumn* m_plots = nullptr;
  QTableView* m_table = nullptr;
  QWidget* m_side = nullptr;
  int m_ticks = 0;
};

}  // namespace atelier::app
