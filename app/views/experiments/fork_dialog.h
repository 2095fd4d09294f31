// ForkDialog: a new run from a spec with changes. What can't run is said before anything is submitted. GUI thread.
#pragma once

#include <QDialog>

#include <nlohmann/json.hpp>

#include "app/shell/view.h"

class QLabel;
class QPushButton;

namespace atelier::app {

class SpecForm;

class ForkDialog : public QDialog {
  Q_OBJECT
 public:
  // `from`: the name of the run that the spec is of, "" for a run from the defaults.
  ForkDialog(const Desktop& desktop, const nlohmann::json& spec, const QString& from, QWidget* parent = nullptr);

  // Submits what the form says; false, with the reason shown, when it can't run. `first`: before all that waits.
  bool submit(bool first);
  SpecForm& form() { return *m_form; }
  QPushButton* runButton() const { return m_run; }

 private:
  void check();
  void retext();
  QString jobLabel(const nlohmann::json& spec) const;

  const Desktop& m_desktop;
  QString m_from;
  SpecForm* m_form = nullptr;
  QLabel *m_title = nullptr, *m_problem = nullptr;
  QPushButton *m_run = nullptr, *m_queue = nullptr, *m_cancel = nullptr;
};

}  // namespace atelier::app
