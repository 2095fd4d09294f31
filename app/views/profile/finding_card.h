// FindingCard: one finding of the diagnosis: how grave it is (by a sign and a word), what it is, why it matters, what shows it,
// what it costs of a step, what to do and what that is predicted to bring. GUI thread.
#pragma once

#include <QWidget>

#include <cstdint>
#include <string>
#include <vector>

#include "app/shell/view.h"
#include "core/trace/diagnosis_text.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace atelier::app {

class ShareBar;

class FindingCard : public QWidget {
  Q_OBJECT
 public:
  // `showable`: its operators or modules are in the trace; `known`: the spec that it would change is.
  FindingCard(const Desktop& desktop, trace::Finding finding, bool showable, bool known, QWidget* parent = nullptr);

  const trace::Finding& finding() const { return m_finding; }
  QPushButton* applyButton() const { return m_apply; }  // hidden: nothing can be set
  QPushButton* showButton() const { return m_show; }
  void setCanApply(bool can);  // false while something races, and once the change is made

 Q_SIGNALS:
  void applyAsked();
  void showAsked();

 private:
  void build(QVBoxLayout& column);
  void addCost(QVBoxLayout& column);
  void addButtons(QVBoxLayout& column, bool showable, bool known);
  void fill();
  QString said(trace::FindingPart part) const;

  const Desktop& m_desktop;
  trace::Finding m_finding;
  QLabel *m_sign = nullptr, *m_severity = nullptr, *m_title = nullptr, *m_why = nullptr, *m_evidence = nullptr,
         *m_cost = nullptr, *m_fix = nullptr, *m_gain = nullptr;
  ShareBar* m_bar = nullptr;
  QPushButton *m_apply = nullptr, *m_show = nullptr;
};

// What of a trace a finding speaks of: an example, else an operator, else a module; −1: none.
struct FindingPlace {
  std::int32_t event = -1, name = -1, module = -1;
  bool any() const { return event >= 0 || name >= 0 || module >= 0; }
};
FindingPlace placeOf(const trace::Trace& trace, const trace::Finding& finding);

}  // namespace atelier::app
