// TraceTableView: a TraceTable on the screen: sorted by a click on a head, sifted by words, rows with bars. Its row and the
// selection of the trace follow one another. A table of the same columns keeps its order when it is filled anew. GUI thread.
#pragma once

#include <QTableView>

#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "app/models/trace_table.h"
#include "app/shell/view.h"

namespace atelier::app {

class TraceTableView : public QTableView {
  Q_OBJECT
 public:
  TraceTableView(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  // `content`: the trace that the rows' ids are of; nullptr: rows select nothing.
  void setRows(TraceDocument::ContentPtr content, TraceRows rows);
  void setWords(const QString& words) { m_sift.setWords(words); }
  const TraceTable& table() const { return m_table; }
  const TraceSift& sift() const { return m_sift; }

 Q_SIGNALS:
  void showAsked();  // a row was activated: what is selected is to be shown in the timeline

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void fitColumns();
  void select(const TraceRow& row);
  void follow();
  void restyle();

  const Desktop& m_desktop;
  TraceSelection& m_selection;
  TraceDocument::ContentPtr m_content;
  TraceTable m_table;
  TraceSift m_sift;
  QStringList m_head;
  bool m_setting = false;  // the row follows, or is being made
};

}  // namespace atelier::app
