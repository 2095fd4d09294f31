// AxisEditor: one axis of a sweep in the set-up: the key, and its values: ticked where they are few, typed as a list or a range
// where they are numbers. GUI thread.
#pragma once

#include <QVector>
#include <QWidget>

#include "app/models/sweep_model.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace atelier::app {

class Theme;
class Words;

class AxisEditor : public QWidget {
  Q_OBJECT
 public:
  AxisEditor(const Theme& theme, const Words& words, int place, QWidget* parent = nullptr);

  // What is being typed is not written over.
  void fill(const wire::Schema& schema, const AxisEdit& axis, bool removable);
  const AxisEdit& axis() const { return m_axis; }
  // Values to begin with: all choices, or half, once and twice the default.
  static AxisEdit proposal(const wire::Option& option);

 Q_SIGNALS:
  void changed();
  void removeAsked();

 private:
  void fillKeys(const wire::Schema& schema);
  void buildValues(const wire::Option& option);
  void tick();
  void showMistake(const wire::Option& option);

  const Theme& m_theme;
  const Words& m_words;
  AxisEdit m_axis;
  wire::Schema m_schema;
  std::string m_language, m_built;  // of what the lists hold
  QComboBox* m_key = nullptr;
  QLineEdit* m_typed = nullptr;
  QWidget* m_choices = nullptr;
  QGridLayout* m_grid = nullptr;
  QVector<QCheckBox*> m_ticks;
  QToolButton* m_remove = nullptr;
  QLabel *m_hint = nullptr, *m_mistake = nullptr;
};

}  // namespace atelier::app
