// SweepLive: the sweep that goes, went, or was opened: the chosen figure as a map (two or three axes) or along the one axis,
// what each point costs against what it gives, and the points as a table. A point chosen in one is chosen in all. GUI thread.
#pragma once

#include <QSortFilterProxyModel>
#include <QWidget>

#include "app/models/sweep_model.h"
#include "app/models/sweep_table.h"
#include "app/shell/view.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QMenu;
class QStackedLayout;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace atelier::app {

class EmptyState;
class FigurePlot;
class HeatMap;
class NoticeBar;

class SweepLive : public QWidget {
  Q_OBJECT
 public:
  SweepLive(const Desktop& desktop, SweepModel& model, QWidget* parent = nullptr);

  // A sweep on record; false, and told, when that can't be.
  bool open(const std::string& id);
  // −1: none.
  void choose(int point);
  int chosen() const { return m_chosen; }
  HeatMap& map() { return *m_map; }
  FigurePlot& axis() { return *m_axis; }
  FigurePlot& pareto() { return *m_pareto; }
  QTableView& table() { return *m_table; }
  QString told() const;  // the sentences

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildHead(QVBoxLayout& column);
  void buildBody();
  void buildTable(QVBoxLayout& column);
  void showAll();
  void showFigures();
  void showSentences();
  void retext();
  void restyle();
  void fillPast();
  void fillExport();
  void forkChosen();
  void saveText(const char* title, const QString& filter, const QByteArray& text);
  void savePictures();
  void saveFailed(const QString& file);
  void takeSelection();
  SweepFigure figure() const;
  SweepFigure against() const;

  const Desktop& m_desktop;
  SweepModel& m_model;
  SweepTable m_points;
  QSortFilterProxyModel m_sorted;
  int m_chosen = -1;
  bool m_choosing = false;
  QStackedLayout* m_stack = nullptr;
  EmptyState* m_empty = nullptr;
  QWidget* m_full = nullptr;
  QLabel *m_title = nullptr, *m_failure = nullptr, *m_drift = nullptr, *m_sentences = nullptr, *m_figureLabel = nullptr,
         *m_againstLabel = nullptr;
  QComboBox *m_figure = nullptr, *m_against = nullptr;
  QToolButton *m_past = nullptr, *m_fork = nullptr, *m_export = nullptr;
  QMenu *m_pastMenu = nullptr, *m_exportMenu = nullptr;
  NoticeBar* m_said = nullptr;
  QBoxLayout* m_plots = nullptr;
  HeatMap* m_map = nullptr;
  FigurePlot *m_axis = nullptr, *m_pareto = nullptr;
  QTableView* m_table = nullptr;
};

}  // namespace atelier::app
