// ClassView: what a class has left in one folder: learners × labs on the left, one lab over all of them on the right. It is
// given a folder (chosen, or dropped on it) and never writes into it. Before an audience names are hidden until asked for.
// GUI thread.
#pragma once

#include <functional>
#include <optional>

#include "app/models/class_book.h"
#include "app/models/class_table.h"
#include "app/shell/view.h"

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QSplitter;
class QStackedLayout;
class QTableView;
class QVBoxLayout;

namespace atelier::app {

class ClassLabPanel;
class EmptyState;

class ClassView : public View {
  Q_OBJECT
 public:
  using PathChooser = std::function<QString(const QString& title, const QString& proposal)>;
  enum class Form { Csv, Markdown, Json };

  ClassView(const Desktop& desktop, QWidget* parent = nullptr);

  void setPresenting(bool presenting) override;
  ClassBook& book() { return m_book; }
  // How folders and files are asked for: the desktop's dialogs, unless a test answers.
  void setChoosers(PathChooser folder, PathChooser file);
  // False when it could not be written; both are told in the view.
  bool exportTo(const QString& file, Form form);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildHead(QVBoxLayout& column);
  void buildBody(QVBoxLayout& column);
  void buildEmpty();
  void buildTable();
  void buildActions();
  void refresh();
  void retext();
  void restyle();
  void showState();
  void showLeftOut();
  void chooseFolder();
  void askAndExport(Form form);
  void copyImage();
  void tell(const QString& sentence, bool bad);

  const Desktop& m_desktop;
  ClassBook m_book;
  ClassTable m_model;
  QSortFilterProxyModel* m_sorted = nullptr;
  PathChooser m_askFolder, m_askFile;
  std::optional<bool> m_hiddenBefore;  // names, before presenter mode
  QStackedLayout* m_stack = nullptr;
  QSplitter* m_body = nullptr;
  QTableView* m_table = nullptr;
  ClassLabPanel* m_lab = nullptr;
  EmptyState* m_empty = nullptr;
  QWidget *m_full = nullptr, *m_notice = nullptr;
  QLabel *m_title = nullptr, *m_state = nullptr, *m_said = nullptr, *m_leftOut = nullptr;
  QPushButton *m_choose = nullptr, *m_refresh = nullptr, *m_export = nullptr, *m_names = nullptr, *m_emptyChoose = nullptr;
};

}  // namespace atelier::app
