#include "knob_widget.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>
#include <limits>

#include "app/models/learn_model.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kDecimals = 6, kTwoColumns = 440;

// Shows 0.001 as it is, not as 0.001000.
class NumberSpin : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;
  QString textFromValue(double value) const override {
    auto text = locale().toString(value, 'f', decimals());
    const auto point = locale().decimalPoint();
    if (!text.contains(point)) return text;
    while (text.endsWith(locale().zeroDigit())) text.chop(1);
    if (text.endsWith(point)) text.chop(point.size());
    return text;
  }
};

int bounded(double value) {
  constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(value, low, high));
}

}  // namespace

KnobWidget::KnobWidget(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_grid(new QGridLayout(this)) {
  setProperty("role", "plain");
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(12);
  m_grid->setVerticalSpacing(8);
}

void KnobWidget::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void KnobWidget::arrange() {
  const int columns = width() >= m_theme.px(kTwoColumns) ? 2 : 1;
  if (columns == m_columns) return;
  m_columns = columns;
  place();
}

void KnobWidget::place() {
  for (int i = 0; i < m_fields.size(); ++i) {
    m_grid->addWidget(m_fields[i].caption, i / m_columns, 2 * (i % m_columns));
    m_grid->addWidget(m_fields[i].field, i / m_columns, 2 * (i % m_columns) + 1);
  }
  m_grid->setColumnStretch(1, 1);
  m_grid->setColumnStretch(3, m_columns == 2 ? 1 : 0);
}

void KnobWidget::refresh() {
  const auto* session = m_model.session();
  const auto knobs = session ? KnobForm::of(*session, m_model.schema()) : QVector<Knob>();
  setVisible(!knobs.isEmpty());
  setEnabled(!m_model.running());
  const auto step = session ? session->lab().id + "/" + session->step().id : std::string();
  if (knobs == m_shown && step == m_step && m_language == m_model.language()) return;
  m_step = step;
  m_language = m_model.language();
  build(knobs);
}

QString KnobWidget::optionText(const wire::Option& option, const char* part) const {
  const auto id = "option." + option.key + "." + part;
  return m_model.catalog().has(id) ? m_model.text(id) : QString::fromStdString(option.key);
}

void KnobWidget::build(const QVector<Knob>& knobs) {
  m_shown = knobs;
  clearLayout(m_grid);
  m_fields.clear();
  for (const auto& knob : knobs) {
    auto label = optionText(knob.option, "label");
    if (knob.variantB) label += QStringLiteral(" (B)");
    auto* caption = makeLabel("soft", this);
    caption->setText(label);
    auto* field = editor(knob);
    field->setLocale(QLocale(QString::fromStdString(m_language)));
    field->setToolTip(optionText(knob.option, "help"));
    caption->setToolTip(field->toolTip());
    caption->setBuddy(field);
    name(field, label);
    field->setAccessibleDescription(field->toolTip());
    m_fields.append({caption, field});
  }
  place();
}

QWidget* KnobWidget::editor(const Knob& knob) {
  switch (knob.option.type) {
    case wire::OptionType::Choice:
      return choice(knob);
    case wire::OptionType::Integer:
      return integer(knob);
    case wire::OptionType::Number:
      return number(knob);
    case wire::OptionType::Boolean:
      return boolean(knob);
    default:
      return line(knob);
  }
}

QWidget* KnobWidget::choice(const Knob& knob) {
  auto* box = new QComboBox(this);
  for (const auto& value : knob.option.choices) box->addItem(QString::fromStdString(value));
  guardWheel(box);
  box->setCurrentText(QString::fromStdString(std::get<std::string>(knob.value)));
  connect(box, &QComboBox::currentTextChanged, this, [this, key = knob.option.key, b = knob.variantB](const QString& text) {
    m_model.setKnob(key, text.toStdString(), b);
  });
  return box;
}

QWidget* KnobWidget::integer(const Knob& knob) {
  auto* spin = new QSpinBox(this);
  spin->setRange(bounded(knob.option.min), bounded(knob.option.max));
  spin->setValue(bounded(static_cast<double>(std::get<std::int64_t>(knob.value))));
  guardWheel(spin);
  spin->setKeyboardTracking(false);
  spin->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  connect(spin, &QSpinBox::valueChanged, this,
          [this, key = knob.option.key, b = knob.variantB](int value) { m_model.setKnob(key, value, b); });
  return spin;
}

QWidget* KnobWidget::number(const Knob& knob) {
  auto* spin = new NumberSpin(this);
  spin->setDecimals(kDecimals);
  spin->setRange(knob.option.min, knob.option.max);
  spin->setValue(std::get<double>(knob.value));
  guardWheel(spin);
  spin->setKeyboardTracking(false);
  spin->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  connect(spin, &QDoubleSpinBox::valueChanged, this,
          [this, key = knob.option.key, b = knob.variantB](double value) { m_model.setKnob(key, value, b); });
  return spin;
}

QWidget* KnobWidget::boolean(const Knob& knob) {
  auto* box = new QCheckBox(this);
  box->setChecked(std::get<bool>(knob.value));
  connect(box, &QCheckBox::toggled, this,
          [this, key = knob.option.key, b = knob.variantB](bool on) { m_model.setKnob(key, on, b); });
  return box;
}

QWidget* KnobWidget::line(const Knob& knob) {
  auto* field = new QLineEdit(QString::fromStdString(wire::valueText(knob.option, knob.value)), this);
  connect(field, &QLineEdit::editingFinished, this,
          [this, field, option = knob.option, b = knob.variantB, before = knob.value] {
            const auto value = wire::readText(option, field->text().trimmed().toStdString());
            if (value) m_model.setKnob(option.key, wire::valueJson(*value), b);
            else field->setText(QString::fromStdString(wire::valueText(option, before)));
          });
  return field;
}

}  // namespace atelier::app
