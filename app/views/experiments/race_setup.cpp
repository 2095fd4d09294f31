#include "race_setup.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "job_bar.h"
#include "spec_form.h"
#include "variant_card.h"

namespace atelier::app {

namespace {

int bounded(double value) {
  constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(value, low, high));
}

QSpinBox* spinOf(QWidget* parent, const char* objectName) {
  auto* spin = new QSpinBox(parent);
  spin->setObjectName(QLatin1String(objectName));
  spin->setKeyboardTracking(false);
  spin->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  guardWheel(spin);
  return spin;
}

}  // namespace

RaceSetup::RaceSetup(const Desktop& desktop, RaceModel& model, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(model) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("h2", this));
  buildCards(*column);
  column->addWidget(m_form = new SpecForm(desktop, this), 1);
  buildShared(*column);
  buildRun(*column);
  connect(&m_model, &RaceModel::setupChanged, this, &RaceSetup::refresh);
  connect(&m_model, &RaceModel::changed, this, &RaceSetup::refresh);
  connect(&desktop.learn, &LearnModel::changed, this, &RaceSetup::takeSchema);
  connect(&desktop.words, &Words::changed, this, &RaceSetup::refresh);
  connect(&desktop.theme, &Theme::changed, this, &RaceSetup::refresh);
  connect(m_form, &SpecForm::changed, this, [this] { m_model.setSpec(m_editing, m_form->spec()); });
  takeSchema();
}

void RaceSetup::buildCards(QVBoxLayout& column) {
  for (std::size_t i = 0; i < m_cards.size(); ++i) {
    auto* card = m_cards[i] = new VariantCard(m_desktop.theme, m_desktop.words, static_cast<int>(i), this);
    card->setObjectName(QStringLiteral("variant.%1").arg(i));
    column.addWidget(card);
    connect(card, &VariantCard::editAsked, this, [this, i] { edit(i); });
    connect(card, &VariantCard::removeAsked, this, [this, i] {
      // The variants behind it move up.
      if (m_editing >= i) m_editing = std::max<std::size_t>(1, m_editing) - (m_editing > 1 ? 1 : 0);
      m_shown = RaceModel::kMost;
      m_model.remove(i);
    });
  }
  column.addWidget(m_add = makeButton("link", this), 0, Qt::AlignLeft);
  m_add->setObjectName(QStringLiteral("race.add"));
  connect(m_add, &QPushButton::clicked, this, [this] {
    m_editing = std::min(m_model.specs().size(), RaceModel::kMost - 1);
    m_model.add();
  });
}

void RaceSetup::buildShared(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_stepsLabel = makeLabel("soft", this));
  row->addWidget(m_steps = spinOf(this, "race.steps"), 1);
  row->addWidget(m_blocksLabel = makeLabel("soft", this));
  row->addWidget(m_blocks = spinOf(this, "race.blocks"), 1);
  column.addLayout(row);
  column.addWidget(m_stop = new QCheckBox(this));
  m_stop->setObjectName(QStringLiteral("race.stop_when_decided"));
  for (auto* label : {m_stepsLabel, m_blocksLabel}) label->setWordWrap(false);
  connect(m_steps, &QSpinBox::valueChanged, this, [this](int value) { m_model.setShared("steps", value); });
  connect(m_blocks, &QSpinBox::valueChanged, this, [this](int value) { m_model.setShared("blocks", value); });
  connect(m_stop, &QCheckBox::toggled, this, [this](bool on) { m_model.setShared("stop_when_decided", on); });
}

void RaceSetup::buildRun(QVBoxLayout& column) {
  column.addWidget(m_mistakes = makeLabel("bad", this));
  column.addWidget(m_run = makeButton("primary", this), 0, Qt::AlignLeft);
  column.addWidget(m_bar = new JobBar(m_desktop, m_model.job(), this));
  m_run->setObjectName(QStringLiteral("race.run"));
  connect(m_run, &QPushButton::clicked, this, &RaceSetup::run);
}

void RaceSetup::takeSchema() {
  if (m_model.schema().options().size() != m_desktop.learn.schema().options().size())
    m_model.setSchema(m_desktop.learn.schema());
  refresh();
}

void RaceSetup::edit(std::size_t variant) {
  if (variant >= m_model.specs().size()) return;
  m_editing = variant;
  refresh();
}

QString RaceSetup::variants() const {
  QStringList letters;
  for (std::size_t i = 0; i < m_model.specs().size(); ++i) letters << QString(QLatin1Char(static_cast<char>('A' + i)));
  return letters.join(QStringLiteral(" / "));
}

void RaceSetup::run() {
  const auto label = m_desktop.words.text(wire::Message{"racepage.label", {{"variants", variants().toStdString()}}});
  m_model.run(label);
}

void RaceSetup::refresh() {
  const auto& words = m_desktop.words;
  const bool idle = m_model.job().idle();
  m_editing = std::min(m_editing, m_model.specs().size() - 1);
  m_title->setText(words.text("racepage.setup"));
  showCards();
  showShared();
  showForm();
  const bool schema = !m_model.schema().options().empty();
  const auto mistakes = schema ? m_model.mistakes() : std::vector<wire::Message>();
  showText(m_mistakes, words.text(mistakes));
  m_run->setText(words.text(wire::Message{"racepage.run", {{"variants", variants().toStdString()}}}));
  m_run->setIcon(m_desktop.theme.icon(QStringLiteral("play"), m_desktop.theme.tokens().onAccent));
  m_run->setVisible(idle);
  m_run->setEnabled(m_model.canRun());
}

void RaceSetup::showCards() {
  const auto& words = m_desktop.words;
  const auto& schema = m_model.schema();
  const auto count = m_model.specs().size();
  for (std::size_t i = 0; i < m_cards.size(); ++i) {
    m_cards[i]->setVisible(i < count);
    if (i >= count) continue;
    const auto own = i == 0 ? specDifference(schema, nlohmann::json::object(), m_model.specs().front()) : m_model.difference(i);
    auto text = QString::fromStdString(specWords(schema, own));
    if (text.isEmpty()) text = words.text(i == 0 ? "racepage.defaults" : "racepage.like_a");
    m_cards[i]->fill(text, i == m_editing, i > 0 && count > RaceModel::kFewest);
  }
  m_add->setText(words.text("racepage.add"));
  m_add->setEnabled(count < RaceModel::kMost);
}

void RaceSetup::showShared() {
  const auto& words = m_desktop.words;
  const auto show = [&](QSpinBox* spin, QLabel* label, const char* key) {
    const auto* option = m_model.schema().find(key);
    spin->setVisible(option != nullptr);
    label->setVisible(option != nullptr);
    if (!option) return;
    const QSignalBlocker quiet(spin);
    spin->setRange(bounded(option->min), bounded(option->max));
    const auto value = m_model.shared(key);
    if (const auto* number = std::get_if<std::int64_t>(&value)) spin->setValue(bounded(static_cast<double>(*number)));
    spin->setLocale(QLocale(QString::fromStdString(words.language())));
    label->setText(words.text(std::string("option.") + key + ".label"));
    label->setBuddy(spin);
    name(spin, label->text());
    spin->setToolTip(words.text(std::string("option.") + key + ".help"));
  };
  show(m_steps, m_stepsLabel, "steps");
  show(m_blocks, m_blocksLabel, "blocks");
  const QSignalBlocker quiet(m_stop);
  const bool known = m_model.schema().find("stop_when_decided") != nullptr;
  m_stop->setVisible(known);
  m_stop->setText(words.text("option.stop_when_decided.label"));
  m_stop->setToolTip(words.text("option.stop_when_decided.help"));
  if (!known) return;
  const auto value = m_model.shared("stop_when_decided");
  const auto* on = std::get_if<bool>(&value);
  m_stop->setChecked(on && *on);
}

void RaceSetup::showForm() {
  const auto& spec = m_model.specs()[m_editing];
  const bool another = m_shown != m_editing;
  m_shown = m_editing;
  m_form->setReference(m_editing == 0 ? nlohmann::json() : m_model.specs().front());
  // What is being typed is not read back: only what was changed elsewhere.
  if (another || !specDifference(m_model.schema(), m_form->spec(), spec).empty()) m_form->setSpec(spec);
}

}  // namespace atelier::app
