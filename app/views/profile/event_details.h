// EventDetails: what is known of the selected event, operator or module, as labelled values. GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>

#include "app/models/trace_document.h"
#include "app/models/trace_selection.h"
#include "app/shell/view.h"

class QGridLayout;
class QLabel;

namespace atelier::app {

class EventDetails : public QWidget {
  Q_OBJECT
 public:
  EventDetails(const Desktop& desktop, TraceSelection& selection, QWidget* parent = nullptr);

  void setContent(TraceDocument::ContentPtr content);
  QString text() const;  // all that it shows: "label: value", a line each

 private:
  void showFacts();

  const Desktop& m_desktop;
  TraceSelection& m_selection;
  TraceDocument::ContentPtr m_content;
  QStringList m_lines;
  QLabel *m_title = nullptr, *m_hint = nullptr;
  QWidget* m_body = nullptr;
  QGridLayout* m_grid = nullptr;
};

}  // namespace atelier::app
