// ComparePage: another trace beside the opened one, operator by operator in its module: where one gained or lost over the
// other. GUI thread.
#pragma once

#include <filesystem>
#include <optional>

#include "app/models/profiled_runs.h"
#include "core/trace/compare.h"
#include "profile_page.h"

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace atelier::app {

class EmptyState;
class TraceTableView;

class ComparePage : public ProfilePage {
  Q_OBJECT
 public:
  ComparePage(const Desktop& desktop, TraceSelection& selection, const ProfiledRuns& runs, QWidget* parent = nullptr);

  // A run's folder, or a trace file: what the opened one is compared with. It stays when another one is opened.
  void compareWith(const std::filesystem::path& where);
  const TraceDocument& other() const { return m_other; }
  bool comparing() const { return m_comparing || m_other.loading(); }
  const std::optional<trace::Comparison>& comparison() const { return m_comparison; }
  TraceTableView& view() { return *m_view; }
  QMenu& runsMenu() { return *m_menu; }
  QString verdict() const;  // the sentence above the table

 Q_SIGNALS:
  void fileAsked();  // a trace file is to be chosen

 protected:
  void fill() override;

 private:
  void build();
  void fillMenu();
  void compare();
  void showState();
  void showTable();

  const ProfiledRuns& m_runs;
  TraceDocument m_other;
  TraceDocument::ContentPtr m_compared;  // what the comparison is of
  std::optional<trace::Comparison> m_comparison;
  bool m_comparing = false;
  QMenu* m_menu = nullptr;
  QToolButton* m_choose = nullptr;
  QPushButton *m_file = nullptr, *m_cancel = nullptr;
  QLabel *m_with = nullptr, *m_verdict = nullptr;
  QLineEdit* m_words = nullptr;
  QStackedWidget* m_pages = nullptr;
  TraceTableView* m_view = nullptr;
  EmptyState* m_empty = nullptr;
};

}  // namespace atelier::app
