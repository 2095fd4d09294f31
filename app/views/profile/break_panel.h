// BreakPanel: faults to make on purpose, so that one learns to find them: each starts a profile of a run that has it. GUI
// thread.
#pragma once

#include <QWidget>

#include <string>
#include <vector>

#include "app/shell/view.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace atelier::app {

class BreakPanel : public QWidget {
  Q_OBJECT
 public:
  explicit BreakPanel(const Desktop& desktop, QWidget* parent = nullptr);

  QListWidget& list() { return *m_list; }
  QPushButton* breakButton() const { return m_break; }
  void setCanRun(bool can);

 Q_SIGNALS:
  void breakAsked(const QString& fault);

 private:
  void showHelp();
  void retext();
  std::string chosen() const;

  const Desktop& m_desktop;
  std::vector<std::string> m_faults;
  QLabel *m_title = nullptr, *m_intro = nullptr, *m_help = nullptr;
  QListWidget* m_list = nullptr;
  QPushButton* m_break = nullptr;
};

}  // namespace atelier::app
