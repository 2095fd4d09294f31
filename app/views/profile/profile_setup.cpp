#include "profile_setup.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/models/learn_model.h"
#include "app/models/run_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/experiments/spec_form.h"
#include "app/views/learn/parts.h"
#include "core/wire/json_read.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 720, kHeight = 640, kMostSteps = 1000;

}  // namespace

ProfileSetup::ProfileSetup(const Desktop& desktop, const nlohmann::json& spec, QWidget* parent)
    : QDialog(parent), m_desktop(desktop) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 20, 20, 20);
  column->setSpacing(12);
  column->addWidget(m_title = makeLabel("h2", this));
  column->addWidget(m_form = new SpecForm(desktop, this), 1);
  buildSchedule(*column);
  column->addWidget(m_problem = makeLabel("bad", this));
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(m_cancel = makeButton("", this));
  row->addWidget(m_run = makeButton("primary", this));
  column->addLayout(row);
  m_form->setSpec(spec);
  connect(m_form, &SpecForm::changed, this, &ProfileSetup::check);
  connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(m_run, &QPushButton::clicked, this, [this] {
    check();
    if (!m_run->isEnabled()) return;
    Q_EMIT runAsked(job());
    accept();
  });
  connect(&desktop.words, &Words::changed, this, &ProfileSetup::retext);
  connect(&desktop.learn, &LearnModel::changed, this, &ProfileSetup::check);  // the schema may have come
  setSchedule(LookSchedule());
  retext();
  resize(desktop.theme.px(kWidth), desktop.theme.px(kHeight));
}

void ProfileSetup::buildSchedule(QVBoxLayout& column) {
  column.addWidget(m_looks = makeLabel("soft", this));
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  m_parts = {{nullptr, nullptr, &LookSchedule::wait, "profileview.setup.wait"},
             {nullptr, nullptr, &LookSchedule::warmup, "profileview.setup.warmup"},
             {nullptr, nullptr, &LookSchedule::active, "profileview.setup.active"},
             {nullptr, nullptr, &LookSchedule::repeat, "profileview.setup.repeat"}};
  for (auto& part : m_parts) {
    row->addWidget(part.label = makeLabel("soft", this));
    row->addWidget(part.spin = new QSpinBox(this), 1);
    part.label->setWordWrap(false);
    part.label->setBuddy(part.spin);
    // At least one step is looked at, once.
    const bool needed = part.value == &LookSchedule::active || part.value == &LookSchedule::repeat;
    part.spin->setRange(needed ? 1 : 0, kMostSteps);
    guardWheel(part.spin);
    connect(part.spin, &QSpinBox::valueChanged, this, &ProfileSetup::check);
  }
  column.addLayout(row);
}

void ProfileSetup::setSchedule(const LookSchedule& schedule) {
  for (const auto& part : m_parts)
    part.spin->setValue(static_cast<int>(std::min<std::int64_t>(schedule.*part.value, kMostSteps)));
}

LookSchedule ProfileSetup::schedule() const {
  LookSchedule schedule;
  for (const auto& part : m_parts) schedule.*part.value = part.spin->value();
  return schedule;
}

// The fields below the form say when it looks: the form's own key is for what they can't say.
Job ProfileSetup::job() const {
  auto spec = m_form->spec();
  const auto said = LookSchedule::read(wire::textAt(spec, "profile"));
  const bool own = saysWhen(spec) && !said;
  return profileJob(std::move(spec), own ? std::nullopt : std::optional(schedule()), label());
}

QString ProfileSetup::label() const {
  RunTexts texts(m_desktop.words);
  texts.setSchema(m_desktop.learn.schema());
  const auto what = texts.specTitle(m_form->spec());
  return m_desktop.words.text(wire::Message{"profileview.job", {{"what", what.toStdString()}}});
}

void ProfileSetup::check() {
  // What is typed in the form is taken over here; the fields have the last word.
  if (auto said = wire::textAt(m_form->spec(), "profile"); said != m_saidWhen) {
    m_saidWhen = std::move(said);
    if (const auto read = LookSchedule::read(m_saidWhen)) setSchedule(*read);
  }
  const auto problem = m_form->problem();
  showText(m_problem, problem);
  m_run->setEnabled(problem.isEmpty());
}

void ProfileSetup::retext() {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("action.profile.run"));
  m_title->setText(words.text("profileview.setup.title"));
  m_looks->setText(words.text("profileview.setup.looks"));
  for (const auto& part : m_parts) {
    part.label->setText(words.text(part.text));
    name(part.spin, part.label->text());
  }
  m_run->setText(words.text("profileview.setup.run"));
  m_cancel->setText(words.text("app.cancel"));
  check();
}

}  // namespace atelier::app
