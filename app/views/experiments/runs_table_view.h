// RunsTableView: the list of runs as a table. Its columns are chosen in a menu, moved by dragging, sorted by a click; that,
// and their widths, is remembered. Rows have one fixed height, so that ten thousand of them cost nothing. A reset of the model
// (another filter, a fresh list) keeps the chosen runs and the place. GUI thread.
#pragma once

#include <QStringList>
#include <QTableView>
#include <QTimer>
#include <QVariantMap>

#include <string>
#include <vector>

#include "app/shell/view.h"

class QMenu;

namespace atelier::app {

class RunTexts;
class RunsListModel;

class RunsTableView : public QTableView {
  Q_OBJECT
 public:
  RunsTableView(const Desktop& desktop, RunsListModel& model, const RunTexts& texts, QWidget* parent = nullptr);

  // The ids of the chosen runs, in the order in which they were chosen.
  const QStringList& chosen() const { return m_chosen; }
  // The run that the keyboard is at, when it is chosen; else the first chosen.
  QString current() const;
  void choose(const QStringList& ids);
  void showColumnsMenu(const QPoint& at);
  void setColumnShown(const QString& column, bool shown);

 Q_SIGNALS:
  void chosenChanged();

 protected:
  void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;

 private:
  void build();
  void sortBy(int section);
  void showOrder();
  void setColumns(const QStringList& columns);
  void takeMoved();
  void applyWidths();
  void rememberWidth(int section, int width);
  void select(const QStringList& ids, const QString& at);
  void restore();  // the selection and the place, after a reset
  void recall();   // what was remembered
  void restyle();
  void addColumns(QMenu& menu, const std::vector<std::string>& columns);

  const Desktop& m_desktop;
  RunsListModel& m_model;
  const RunTexts& m_texts;
  QStringList m_chosen;
  QVariantMap m_widths;  // column → pixels at scale 1
  QTimer m_saving;
  QString m_at;  // where the keyboard was before a reset
  int m_scrolled = 0;
  bool m_setting = false;  // this object changes widths, order or selection
};

}  // namespace atelier::app
