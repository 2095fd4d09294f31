// SettingsDialog: what can be preferred, in one window beside the work. Every change takes effect at once: there is nothing to
// confirm, and one button brings back how all was at first. The data folder alone changes with the next start, and says so.
// GUI thread.
#pragma once

#include <QDialog>
#include <QPair>
#include <QString>
#include <QVector>

#include <functional>
#include <utility>

#include "app/models/preferences.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace atelier::app {

struct Desktop;

class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  struct Field {
    const char* key;   // of Preferences; "home" is the data folder
    const char* text;  // catalog id of its label
  };
  using FolderChooser = std::function<QString(const QString& title, const QString& from)>;

  SettingsDialog(const Desktop& desktop, QWidget* parent);

  static const QVector<Field>& fields();
  void showField(const QString& key = {});  // with the focus in it
  // How a folder is asked for: the desktop's dialog, unless a test answers.
  void setFolderChooser(FolderChooser chooser) { m_chooseFolder = std::move(chooser); }

 private:
  struct Row {
    QString key;
    QLabel* label = nullptr;
    QWidget* field = nullptr;
    const char* text = nullptr;
  };
  void buildLook();
  void buildRuns();
  void buildClass();
  void buildHome();
  QGridLayout* section(const char* title);
  void addRow(QGridLayout* grid, const Field& field, QWidget* widget);
  void addNote(QGridLayout* grid, QLabel*& note);
  void refresh();
  void retext();
  void fillChoices();
  void showHome();
  void takeBudget();
  void chooseResults();
  void chooseHome(const QString& folder);

  const Desktop& m_desktop;
  Preferences m_preferences;
  FolderChooser m_chooseFolder;
  QVector<Row> m_rows;
  QVector<QPair<QLabel*, const char*>> m_headings;
  QComboBox *m_language = nullptr, *m_theme = nullptr, *m_textSize = nullptr;
  QCheckBox* m_motion = nullptr;
  QSpinBox* m_threads = nullptr;
  QLineEdit *m_budget = nullptr, *m_learner = nullptr, *m_results = nullptr, *m_home = nullptr;
  QLabel *m_runsNote = nullptr, *m_budgetError = nullptr, *m_classNote = nullptr, *m_homeNote = nullptr, *m_homeError = nullptr;
  QPushButton *m_chooseResults = nullptr, *m_noResults = nullptr, *m_openHome = nullptr, *m_chooseHome = nullptr,
              *m_usualHome = nullptr, *m_reset = nullptr, *m_close = nullptr;
  QWidget* m_content = nullptr;
};

}  // namespace atelier::app
