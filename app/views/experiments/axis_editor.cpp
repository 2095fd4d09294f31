#include "axis_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/sweep_axes.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kAbreast = 3;

std::vector<std::string> choicesOf(const wire::Option& option) {
  if (option.type == wire::OptionType::Boolean) return {"false", "true"};
  return option.choices;
}

bool ticked(const wire::Option& option) {
  return option.type == wire::OptionType::Choice || option.type == wire::OptionType::Boolean;
}

}  // namespace

AxisEditor::AxisEditor(const Theme& theme, const Words& words, int place, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(words) {
  setProperty("role", "card");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 8, 8);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->addWidget(m_key = new QComboBox(this), 1);
  row->addWidget(m_remove = new QToolButton(this));
  column->addLayout(row);
  column->addWidget(m_typed = new QLineEdit(this));
  column->addWidget(m_choices = makePanel("plain", this));
  m_grid = new QGridLayout(m_choices);
  m_grid->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_hint = makeLabel("soft", this));
  column->addWidget(m_mistake = makeLabel("bad", this));
  guardWheel(m_key);
  m_key->setObjectName(QStringLiteral("axis.%1.key").arg(place));
  m_typed->setObjectName(QStringLiteral("axis.%1.values").arg(place));
  m_remove->setFocusPolicy(Qt::StrongFocus);
  connect(m_key, &QComboBox::activated, this, [this](int index) {
    const auto* option = m_schema.find(m_key->itemData(index).toString().toStdString());
    if (!option) return;
    m_axis = proposal(*option);
    Q_EMIT changed();
  });
  connect(m_typed, &QLineEdit::textEdited, this, [this](const QString& text) {
    m_axis.typed = text.toStdString();
    Q_EMIT changed();
  });
  connect(m_remove, &QToolButton::clicked, this, &AxisEditor::removeAsked);
}

AxisEdit AxisEditor::proposal(const wire::Option& option) {
  AxisEdit axis{option.key, {}};
  const auto add = [&](const std::string& value) { axis.typed += (axis.typed.empty() ? "" : ", ") + value; };
  if (ticked(option)) {
    for (const auto& choice : choicesOf(option)) add(choice);
    return axis;
  }
  const auto* number = std::get_if<std::int64_t>(&option.fallback);
  const bool counts = option.type == wire::OptionType::Integer && number && *number >= 2;
  if (counts) add(std::to_string(*number / 2));
  add(wire::valueText(option, option.fallback));
  if (counts && static_cast<double>(*number) * 2 <= option.max) add(std::to_string(*number * 2));
  return axis;
}

void AxisEditor::fillKeys(const wire::Schema& schema) {
  m_schema = schema;
  m_language = m_words.language();
  m_key->clear();
  // The common ones first.
  for (const bool common : {true, false})
    for (const auto& option : schema.options()) {
      if (option.common != common || option.key == "stop_when_decided") continue;
      const auto label = m_words.text("option." + option.key + ".label");
      const auto key = QString::fromStdString(option.key);
      m_key->addItem(label == key ? key : label + QStringLiteral("  (") + key + QLatin1Char(')'), key);
    }
  m_built.clear();
}

void AxisEditor::fill(const wire::Schema& schema, const AxisEdit& axis, bool removable) {
  m_axis = axis;
  const QSignalBlocker quiet(m_key);
  if (m_schema.options().size() != schema.options().size() || m_language != m_words.language()) fillKeys(schema);
  m_key->setCurrentIndex(m_key->findData(QString::fromStdString(axis.key)));
  name(m_key, m_words.text("sweepview.axis.key"));
  m_remove->setVisible(removable);
  m_remove->setIcon(m_theme.icon(QStringLiteral("cross"), m_theme.tokens().soft));
  m_remove->setToolTip(m_words.text("sweepview.axis.remove"));
  name(m_remove, m_words.text("sweepview.axis.remove"));
  const auto* option = m_schema.find(axis.key);
  if (!option) return;
  if (m_built != axis.key) buildValues(*option);
  const bool few = ticked(*option);
  m_typed->setVisible(!few);
  m_choices->setVisible(few);
  const auto values = axisValues(*option, axis.typed);
  for (auto* tick : m_ticks) {
    const QSignalBlocker quietTick(tick);
    const auto word = tick->text().toStdString();
    tick->setChecked(values && std::find(values->begin(), values->end(), word) != values->end());
  }
  if (m_typed->text().toStdString() != axis.typed) m_typed->setText(QString::fromStdString(axis.typed));
  name(m_typed, m_words.text("sweepview.axis.values"));
  showMistake(*option);
}

void AxisEditor::buildValues(const wire::Option& option) {
  m_built = option.key;
  clearLayout(m_grid);
  m_ticks.clear();
  if (!ticked(option)) return;
  for (const auto& choice : choicesOf(option)) {
    auto* tick = new QCheckBox(QString::fromStdString(choice), m_choices);
    tick->setObjectName(QString::fromStdString("tick." + option.key + "." + choice));
    const auto at = static_cast<int>(m_ticks.size());
    m_grid->addWidget(tick, at / kAbreast, at % kAbreast);
    m_ticks.append(tick);
    connect(tick, &QCheckBox::toggled, this, &AxisEditor::tick);
  }
}

void AxisEditor::tick() {
  QStringList words;
  for (const auto* tick : m_ticks)
    if (tick->isChecked()) words << tick->text();
  m_axis.typed = words.join(QStringLiteral(", ")).toStdString();
  Q_EMIT changed();
}

void AxisEditor::showMistake(const wire::Option& option) {
  const auto values = axisValues(option, m_axis.typed);
  showText(m_mistake, values ? QString() : m_words.text(values.error().messages));
  const bool number = option.type == wire::OptionType::Integer || option.type == wire::OptionType::Number;
  showText(m_hint, number ? m_words.text("sweepview.axis.hint") : QString());
}

}  // namespace atelier::app
