// ProfileSetup: what is to be profiled: the spec as a form, and when the profiler looks. What can't run is said before
// anything is submitted. GUI thread.
#pragma once

#include <QDialog>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/profile_request.h"
#include "app/shell/view.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace atelier::app {

class SpecForm;

class ProfileSetup : public QDialog {
  Q_OBJECT
 public:
  // `spec`: where it begins; keys that the form doesn't know are told there.
  ProfileSetup(const Desktop& desktop, const nlohmann::json& spec, QWidget* parent = nullptr);

  SpecForm& form() { return *m_form; }
  QPushButton* runButton() const { return m_run; }
  // What runs when the button is pressed.
  Job job() const;
  void setSchedule(const LookSchedule& schedule);

 Q_SIGNALS:
  void runAsked(const atelier::app::Job& job);

 private:
  void buildSchedule(QVBoxLayout& column);
  void check();
  void retext();
  LookSchedule schedule() const;
  QString label() const;

  struct Part {
    QLabel* label = nullptr;
    QSpinBox* spin = nullptr;
    std::int64_t LookSchedule::*value = nullptr;
    const char* text = nullptr;
  };

  const Desktop& m_desktop;
  SpecForm* m_form = nullptr;
  std::vector<Part> m_parts;
  std::string m_saidWhen;  // by the form's own key, when it was last looked at
  QLabel *m_title = nullptr, *m_looks = nullptr, *m_problem = nullptr;
  QPushButton *m_run = nullptr, *m_cancel = nullptr;
};

}  // namespace atelier::app
