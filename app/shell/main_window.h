// MainWindow: navigation only. Header with the views' tabs, the machine, language, theme and presenter mode; below it the
// views, as allViews() names them. It owns no logic and no process: models and theme are handed in and outlive it. Closing
// while a run goes asks once, then waits until the run has ended and left its record.
// GUI thread.
#pragma once

#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QStackedWidget>
#include <QString>
#include <QToolButton>
#include <QVector>

#include "view.h"

class QHBoxLayout;

namespace atelier::app {

class Presenter;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // `desktop` outlives the window.
  explicit MainWindow(const Desktop& desktop);

  void setPresenting(bool presenting);
  bool presenting() const { return m_presenting; }
  // A view, or a page of one, by name; false when there is none.
  bool showView(const std::string& id);
  View* view(const std::string& id) const;
  View* current() const;
  Presenter& presenter() const { return *m_presenter; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Tab {
    std::string id;
    QToolButton* button = nullptr;
    View* view = nullptr;
  };
  QWidget* buildHeader();
  void buildViews(QHBoxLayout& row);
  void buildActions();
  void retext();
  void restyle();
  void showMachine();
  void toggleLanguage();
  void toggleTheme();
  void showTab(const Tab& tab);
  void restore();
  bool mayClose();
  void closeOnceEnded();

  const Desktop& m_desktop;
  bool m_presenting = false;
  bool m_closing = false, m_waited = false;  // a run is being stopped first; that took too long
  QVector<Tab> m_tabs;
  QStackedWidget* m_views = nullptr;
  QWidget* m_header = nullptr;
  QLabel *m_brand = nullptr, *m_machine = nullptr;
  QToolButton *m_language = nullptr, *m_mode = nullptr;
  QPushButton* m_present = nullptr;
  QVector<QAction*> m_pageKeys;  // presenter mode only
  Presenter* m_presenter = nullptr;
};

}  // namespace atelier::app
