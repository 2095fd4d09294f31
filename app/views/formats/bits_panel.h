// BitsPanel: the value, how it is rounded, and what each format makes of it: a row a format with its bits, what they are worth
// and by how much that is off. GUI thread.
#pragma once

#include <QVector>
#include <QWidget>

#include "app/models/formats_model.h"
#include "app/shell/view.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace atelier::app {

class BitField;

class BitsPanel : public QWidget {
  Q_OBJECT
 public:
  BitsPanel(const Desktop& desktop, FormatsModel& model, QWidget* parent = nullptr);

  QLineEdit& valueField() { return *m_value; }
  QLineEdit& scaleField() { return *m_scale; }
  QComboBox& roundingBox() { return *m_rounding; }
  QCheckBox& saturateBox() { return *m_saturate; }
  BitField& bits(int row) { return *m_rows[row].bits; }
  QString said(int row) const;  // beside the bits
  QString problem() const;      // of what was typed, or ""

 private:
  struct Row {
    QLabel* name = nullptr;
    BitField* bits = nullptr;
    QLabel* said = nullptr;
  };
  void buildHead(QVBoxLayout& column);
  void buildRows(QVBoxLayout& column);
  void takeText();
  void takeScale();
  void tell(bool understood, const char* problem);
  void refresh();
  void retext();
  void restyle();

  const Desktop& m_desktop;
  FormatsModel& m_model;
  QLabel *m_valueName = nullptr, *m_scaleName = nullptr, *m_problem = nullptr, *m_legend = nullptr;
  QLineEdit *m_value = nullptr, *m_scale = nullptr;
  QComboBox* m_rounding = nullptr;
  QCheckBox* m_saturate = nullptr;
  QVector<Row> m_rows;
  bool m_typing = false;  // the text stays as it was typed
};

}  // namespace atelier::app
