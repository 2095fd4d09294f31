// KnobWidget: the form of a step's knobs, built from the engine's schema. It is rebuilt only when other knobs are to be shown,
// so that a field never loses its focus while the learner types. GUI thread.
#pragma once

#include <QWidget>

#include "app/models/knob_form.h"

class QGridLayout;

namespace atelier::app {

class LearnModel;
class Theme;

class KnobWidget : public QWidget {
  Q_OBJECT
 public:
  KnobWidget(const Theme& theme, LearnModel& model, QWidget* parent = nullptr);
  void refresh();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Field {
    QWidget *caption = nullptr, *field = nullptr;
  };
  void arrange();  // one or two fields a row, by the width at hand
  void place();
  void build(const QVector<Knob>& knobs);
  QWidget* editor(const Knob& knob);
  QWidget* choice(const Knob& knob);
  QWidget* integer(const Knob& knob);
  QWidget* number(const Knob& knob);
  QWidget* boolean(const Knob& knob);
  QWidget* line(const Knob& knob);
  QString optionText(const wire::Option& option, const char* part) const;

  const Theme& m_theme;
  LearnModel& m_model;
  QGridLayout* m_grid = nullptr;
  QVector<Knob> m_shown;
  QVector<Field> m_fields;
  int m_columns = 2;
  std::string m_step, m_language;
};

}  // namespace atelier::app
