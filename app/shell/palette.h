// Palette: the command palette: a field and a list over the window, from the keyboard alone: type, arrows, Enter, Esc. It takes
// the focus and gives it back. What it offers is its model's; whoever hears opening() fills that anew. GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "app/models/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;

namespace atelier::app {

class Theme;
class Words;

class Palette : public QWidget {
  Q_OBJECT
 public:
  Palette(const Theme& theme, const Words& words, Settings& settings, QWidget* window);

  void open();
  void dismiss();
  PaletteModel& model() { return m_model; }

 Q_SIGNALS:
  void opening();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool takeKey(int key);
  void moveBy(int rows);
  void choose();
  void place();
  void restyle();
  void retext();
  void showCount();

  const Theme& m_theme;
  const Words& m_words;
  PaletteModel m_model;
  QLineEdit* m_field = nullptr;
  QListView* m_list = nullptr;
  QLabel* m_none = nullptr;
  QPointer<QWidget> m_before;  // had the focus
};

}  // namespace atelier::app
