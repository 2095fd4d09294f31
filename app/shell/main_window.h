// MainWindow: navigation only. Header with the views' tabs, the machine, language, theme and presenter mode; below it the
// views. It owns no logic and no process: models and theme are handed in and outlive it. Closing while a run goes asks once,
// then waits until the run has ended and left its record.
// GUI thread.
#pragma once

#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QStackedWidget>
#include <QString>
#include <QToolButton>
#include <QVector>

#include "app/models/learn_model.h"
#include "app/shell/theme.h"

class QShortcut;

namespace atelier::app {

class LearnView;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  struct Parts {
    Theme& theme;
    LearnModel& learn;
    QString settings;  // INI file for geometry, theme and language, restored here; "" remembers nothing
  };
  explicit MainWindow(Parts parts);

  void setPresenting(bool presenting);
  bool presenting() const { return m_presenting; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* buildHeader();
  void buildShortcuts();
  void retext();
  void restyle();
  void showMachine();
  void toggleLanguage();
  void toggleTheme();
  void restore();
  void remember() const;
  bool mayClose();
  void closeOnceEnded();

  Theme& m_theme;
  LearnModel& m_learn;
  QString m_settings;
  bool m_presenting = false;
  bool m_closing = false, m_waited = false;  // a run is being stopped first; that took too long
  LearnView* m_view = nullptr;
  QStackedWidget* m_views = nullptr;
  QWidget* m_header = nullptr;
  QLabel* m_brand = nullptr;
  QLabel* m_machine = nullptr;
  QToolButton* m_learnTab = nullptr;
  QToolButton* m_language = nullptr;
  QToolButton* m_mode = nullptr;
  QPushButton* m_present = nullptr;
  QVector<QShortcut*> m_pageKeys;  // presenter mode only
};

}  // namespace atelier::app
