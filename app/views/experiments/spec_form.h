// SpecForm: a spec as a form, built from the engine's schema: the common keys by group, the others behind "More", a search over
// all. What was changed is marked and can be set back; a mistake is named where it was typed; changes can be undone. Against a
// reference (another variant, the run that is forked) it marks what differs from that. It scrolls by itself. Before the engine
// has described what it can do, it says so and keeps the spec. GUI thread.
#pragma once

#include <QWidget>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/models/spec_edit.h"
#include "app/shell/view.h"

class QAction;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace atelier::app {

class SpecRow;

class SpecForm : public QWidget {
  Q_OBJECT
 public:
  explicit SpecForm(const Desktop& desktop, QWidget* parent = nullptr);

  void setSpec(const nlohmann::json& spec);
  // What is marked is what differs from it; not an object: from the defaults.
  void setReference(const nlohmann::json& spec);
  // Only keys that differ from the defaults. A value that is a mistake stands as typed, so that the engine refuses it.
  nlohmann::json spec() const { return m_edit.spec(); }
  // What is wrong with it, in the order of the keys; empty: it can be run.
  std::vector<wire::Message> mistakes() const { return m_edit.mistakes(); }
  // Why it can't be run, in a sentence, also when the engine's options aren't known; empty: it can.
  QString problem() const;
  void undo();
  void redo();

 Q_SIGNALS:
  void changed();

 private:
  struct Group {
    QLabel* title = nullptr;
    std::vector<SpecRow*> rows;
    std::string name;
  };
  void buildHead(QVBoxLayout& column);
  void takeSchema();
  void build();
  void addRow(Group& group, const wire::Option& option);
  void refresh();
  void sift();  // which rows are shown
  void told();
  void retext();

  const Theme& m_theme;
  Words& m_words;
  LearnModel& m_learn;
  SpecEdit m_edit;
  bool m_againstReference = false;
  std::vector<Group> m_groups;
  QLineEdit* m_search = nullptr;
  QPushButton *m_more = nullptr, *m_resetAll = nullptr, *m_drop = nullptr;
  QLabel *m_waiting = nullptr, *m_strays = nullptr, *m_nothing = nullptr;
  QWidget *m_strayPanel = nullptr, *m_body = nullptr;
  QVBoxLayout* m_rows = nullptr;
  QAction *m_undo = nullptr, *m_redo = nullptr;
};

}  // namespace atelier::app
