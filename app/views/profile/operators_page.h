// OperatorsPage: the tables of a trace: operators (also by the shapes of their inputs), modules, kernels, stages, transfers,
// idle times; sifted by words, linked with the selection. GUI thread.
#pragma once

#include "profile_page.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QStackedWidget;

namespace atelier::app {

class EmptyState;
class SegmentSwitch;
class TraceTableView;
struct TraceRows;

class OperatorsPage : public ProfilePage {
  Q_OBJECT
 public:
  enum Table { Operators, Modules, Kernels, Stages, Transfers, Idle };

  OperatorsPage(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  void setTable(Table table);
  Table table() const;
  void setByShapes(bool byShapes);
  QLineEdit& wordsField() { return *m_words; }
  TraceTableView& view() { return *m_view; }

 protected:
  void fill() override;

 private:
  void build();
  TraceRows rows() const;
  void showCount();

  SegmentSwitch* m_switch = nullptr;
  QLineEdit* m_words = nullptr;
  QCheckBox* m_shapes = nullptr;
  QLabel* m_count = nullptr;
  QStackedWidget* m_pages = nullptr;
  TraceTableView* m_view = nullptr;
  EmptyState* m_empty = nullptr;
};

}  // namespace atelier::app
