// ChecklistView: what to try so that a training gets faster, in order, filled in by itself from the runs and races on record:
// the list on the left, the chosen item on the right with what was measured of it and what to do next. A race that is asked
// for here goes to the desk as any other, and its result comes back through the registry. GUI thread.
#pragma once

#include <functional>
#include <utility>

#include "app/models/checklist_book.h"
#include "app/models/checklist_texts.h"
#include "app/models/race_model.h"
#include "app/models/text_table.h"
#include "app/shell/view.h"
#include "checklist_panel.h"

class QAction;
class QLabel;
class QPushButton;
class QSplitter;
class QTableView;
class QVBoxLayout;

namespace atelier::app {

class NoticeBar;

class ChecklistView : public View {
  Q_OBJECT
 public:
  using FileChooser = std::function<QString(const QString& title, const QString& proposal)>;
  enum class Form { Markdown, Csv };

  explicit ChecklistView(const Desktop& desktop, QWidget* parent = nullptr);

  void shown() override;

  ChecklistBook& book() { return m_book; }
  RaceModel& race() { return m_race; }
  const TextTable& table() const { return m_table; }
  QTableView& list() { return *m_list; }
  ChecklistPanel& panel() { return *m_panel; }
  NoticeBar& notice() { return *m_notice; }
  QString summary() const;
  void choose(int row);
  // How a file is asked for: the desktop's dialog, unless a test answers.
  void setChooser(FileChooser file) { m_askFile = std::move(file); }
  // Told in the view, and false when it could not be written.
  bool exportTo(const QString& file, Form form);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildHead(QVBoxLayout& column);
  void buildBody(QVBoxLayout& column);
  void buildActions();
  void connectModels();
  void refresh();
  void showItem();
  void retext();
  void restyle();
  void takeSchema();
  ChecklistTexts texts() const;
  const lab::ChecklistEntry* current() const;
  ChecklistPanel::Means means(const lab::ChecklistEntry& entry) const;
  bool canOffer(const lab::ChecklistEntry& entry) const;
  nlohmann::json baseSpec(const lab::ChecklistEntry& entry) const;  // where a race or a fork of it begins

  void startRace();
  void fork();
  void openLab();
  void showEvidence();
  void openProfiler();
  void askAndExport(Form form);
  void copyImage();

  const Desktop& m_desktop;
  ChecklistBook m_book;
  RaceModel m_race;
  TextTable m_table;
  FileChooser m_askFile;
  QWidget* m_full = nullptr;
  QLabel *m_title = nullptr, *m_intro = nullptr, *m_summary = nullptr;
  QPushButton *m_refresh = nullptr, *m_export = nullptr;
  NoticeBar* m_notice = nullptr;
  QSplitter* m_body = nullptr;
  QTableView* m_list = nullptr;
  ChecklistPanel* m_panel = nullptr;
};

}  // namespace atelier::app
