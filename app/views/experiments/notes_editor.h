// NotesEditor: name, tags, note and pin of one run, kept as they are typed. GUI thread.
#pragma once

#include <QWidget>

#include <string>

#include "app/models/run_library.h"
#include "app/shell/view.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace atelier::app {

class NotesEditor : public QWidget {
  Q_OBJECT
 public:
  NotesEditor(const Desktop& desktop, RunLibrary& library, QWidget* parent = nullptr);

  // Null: no run, nothing to edit. Of the same run only what is not what was typed is shown anew.
  void showRun(const RunPtr& run);
  void takeFocus();
  void retext();

 private:
  void edit();
  void restyle();

  const Desktop& m_desktop;
  RunLibrary& m_library;
  std::string m_run;
  bool m_filling = false;
  QLabel *m_about = nullptr, *m_nameCaption = nullptr, *m_tagsCaption = nullptr, *m_noteCaption = nullptr, *m_kept = nullptr;
  QLineEdit *m_name = nullptr, *m_tags = nullptr;
  QPlainTextEdit* m_note = nullptr;
  QCheckBox* m_pin = nullptr;
};

}  // namespace atelier::app
