#include "bits_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "app/models/formats_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "bit_field.h"
#include "core/wire/number.h"

namespace atelier::app {

namespace {

constexpr int kValue = 150, kScale = 70, kSaid = 170;

// What can be typed in again and is the same number.
QString asTyped(double value, const std::string& language) {
  auto text = QString::fromStdString(wire::numberText(value));
  return language == "fr" ? text.replace(QLatin1Char('.'), QLatin1Char(',')) : text;
}

}  // namespace

BitsPanel::BitsPanel(const Desktop& desktop, FormatsModel& model, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(model) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  buildHead(*column);
  column->addWidget(m_problem = makeLabel("bad", this));
  buildRows(*column);
  column->addWidget(m_legend = makeLabel("soft", this));
  column->addStretch(1);
  m_problem->hide();
  connect(&m_model, &FormatsModel::changed, this, &BitsPanel::refresh);
  connect(&desktop.words, &Words::changed, this, &BitsPanel::retext);
  connect(&desktop.theme, &Theme::changed, this, &BitsPanel::restyle);
  restyle();
  retext();
}

void BitsPanel::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_valueName = makeLabel("h2", this));
  row->addWidget(m_value = new QLineEdit(this));
  row->addWidget(m_rounding = new QComboBox(this));
  row->addWidget(m_saturate = new QCheckBox(this));
  row->addStretch(1);
  row->addWidget(m_scaleName = makeLabel("soft", this));
  row->addWidget(m_scale = new QLineEdit(this));
  column.addLayout(row);
  for (auto* label : {m_valueName, m_scaleName}) label->setWordWrap(false);
  m_valueName->setBuddy(m_value);
  m_scaleName->setBuddy(m_scale);
  m_rounding->addItems({QString(), QString()});
  guardWheel(m_rounding);
  connect(m_value, &QLineEdit::textEdited, this, &BitsPanel::takeText);
  connect(m_scale, &QLineEdit::textEdited, this, &BitsPanel::takeScale);
  connect(m_rounding, &QComboBox::currentIndexChanged, this,
          [this](int index) { m_model.setRounding(index == 1 ? wire::Rounding::TowardZero : wire::Rounding::NearestEven); });
  connect(m_saturate, &QCheckBox::toggled, &m_model, &FormatsModel::setSaturate);
}

void BitsPanel::buildRows(QVBoxLayout& column) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 3);
  grid->setColumnStretch(2, 2);
  for (int i = 0; i < FormatsModel::kRows; ++i) {
    const Row row{makeLabel("soft", this), new BitField(m_desktop.theme, m_desktop.words, this), makeLabel("soft", this)};
    row.name->setWordWrap(false);
    row.name->setBuddy(row.bits);
    grid->addWidget(row.name, i, 0);
    grid->addWidget(row.bits, i, 1);
    grid->addWidget(row.said, i, 2);
    connect(row.bits, &BitField::flipped, this, [this, i](int bit) { m_model.flip(i, bit); });
    connect(row.bits, &BitField::walked, this, [this, i](bool upwards) { m_model.walk(i, upwards); });
    m_rows.append(row);
  }
  column.addLayout(grid);
}

void BitsPanel::takeText() {
  const QScopedValueRollback typing(m_typing, true);
  const auto text = m_value->text();
  tell(m_model.type(text, m_desktop.words.language()) || text.isEmpty(), "formats.not_a_number");
}

void BitsPanel::takeScale() {
  const QScopedValueRollback typing(m_typing, true);
  const auto text = m_scale->text();
  tell(m_model.typeScale(text, m_desktop.words.language()) || text.isEmpty(), "formats.not_a_scale");
}

void BitsPanel::tell(bool understood, const char* problem) {
  showText(m_problem, understood ? QString() : m_desktop.words.text(problem));
}

QString BitsPanel::said(int row) const {
  return m_rows[row].said->text();
}

QString BitsPanel::problem() const {
  return m_problem->isHidden() ? QString() : m_problem->text();
}

void BitsPanel::refresh() {
  const auto& words = m_desktop.words;
  if (!m_typing) {
    m_value->setText(asTyped(m_model.value(), words.language()));
    m_scale->setText(asTyped(m_model.scale(), words.language()));
    m_problem->hide();
  }
  for (int i = 0; i < FormatsModel::kRows; ++i) {
    const auto& row = m_model.rows()[static_cast<std::size_t>(i)];
    const auto text = rowText(m_model, i, words);
    m_rows[i].bits->setCode(row.format, row.encoded.bits);
    m_rows[i].said->setText(text.all());
    setRole(m_rows[i].said, text.warning ? QStringLiteral("warn") : QStringLiteral("soft"));
  }
}

void BitsPanel::retext() {
  const auto& words = m_desktop.words;
  m_valueName->setText(words.text("formats.value"));
  m_value->setPlaceholderText(words.text("formats.value.example"));
  m_value->setToolTip(words.text("formats.value.help"));
  name(m_value, words.text("formats.value"));
  m_scaleName->setText(words.text("formats.scale"));
  m_scale->setToolTip(words.text("formats.scale.help"));
  name(m_scale, words.text("formats.scale"));
  {
    const QSignalBlocker quiet(m_rounding);
    m_rounding->setItemText(0, words.text("formats.nearest"));
    m_rounding->setItemText(1, words.text("formats.toward_zero"));
  }
  name(m_rounding, words.text("formats.rounding"));
  m_saturate->setText(words.text("formats.saturate"));
  m_saturate->setToolTip(words.text("formats.saturate.help"));
  m_legend->setText(words.text("formats.legend"));
  for (int i = 0; i < FormatsModel::kRows; ++i)
    m_rows[i].name->setText(formatName(m_model.rows()[static_cast<std::size_t>(i)].format));
  refresh();
}

void BitsPanel::restyle() {
  const auto& theme = m_desktop.theme;
  m_value->setFixedWidth(theme.px(kValue));
  m_scale->setFixedWidth(theme.px(kScale));
  for (const auto& row : m_rows) {
    row.bits->restyle();
    row.said->setMinimumWidth(theme.px(kSaid));
  }
}

}  // namespace atelier::app
