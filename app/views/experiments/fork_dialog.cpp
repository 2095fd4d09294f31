#include "fork_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/models/run_desk.h"
#include "app/models/run_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "spec_form.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 720, kHeight = 640;

}  // namespace

ForkDialog::ForkDialog(const Desktop& desktop, const nlohmann::json& spec, const QString& from, QWidget* parent)
    : QDialog(parent), m_desktop(desktop), m_from(from) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 20, 20, 20);
  column->setSpacing(12);
  column->addWidget(m_title = makeLabel("h2", this));
  column->addWidget(m_form = new SpecForm(desktop, this), 1);
  column->addWidget(m_problem = makeLabel("bad", this));
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(m_cancel = makeButton("", this));
  row->addWidget(m_queue = makeButton("", this));
  row->addWidget(m_run = makeButton("primary", this));
  column->addLayout(row);
  m_form->setSpec(spec);
  if (!from.isEmpty()) m_form->setReference(spec);
  connect(m_form, &SpecForm::changed, this, &ForkDialog::check);
  connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(m_run, &QPushButton::clicked, this, [this] {
    if (submit(true)) accept();
  });
  connect(m_queue, &QPushButton::clicked, this, [this] {
    if (submit(false)) accept();
  });
  connect(&m_desktop.words, &Words::changed, this, &ForkDialog::retext);
  connect(&m_desktop.desk, &RunDesk::changed, this, &ForkDialog::retext);
  connect(&m_desktop.learn, &LearnModel::changed, this, &ForkDialog::check);  // the schema may have come
  retext();
  check();
  resize(desktop.theme.px(kWidth), desktop.theme.px(kHeight));
}

void ForkDialog::check() {
  const auto problem = m_form->problem();
  showText(m_problem, problem);
  for (auto* button : {m_run, m_queue}) button->setEnabled(problem.isEmpty());
}

QString ForkDialog::jobLabel(const nlohmann::json& spec) const {
  RunTexts texts(m_desktop.words);
  texts.setSchema(m_desktop.learn.schema());
  return texts.specTitle(spec);
}

bool ForkDialog::submit(bool first) {
  check();
  if (!m_run->isEnabled()) return false;
  Job job;
  job.command.verb = "run";
  job.command.spec = m_form->spec();
  job.label = jobLabel(job.command.spec);
  job.origin = QStringLiteral("experiments");
  const int id = m_desktop.desk.submit(std::move(job));
  if (first) m_desktop.desk.move(id, 0);
  return true;
}

void ForkDialog::retext() {
  const auto& words = m_desktop.words;
  const bool fork = !m_from.isEmpty();
  setWindowTitle(words.text(fork ? "experiments.fork.title" : "experiments.fork.new"));
  m_title->setText(fork ? words.text(wire::Message{"experiments.fork.from", {{"run", m_from.toStdString()}}})
                        : words.text("experiments.fork.new"));
  // While another job goes, "now" is next.
  m_run->setText(words.text(m_desktop.desk.busy() ? "experiments.fork.next" : "experiments.fork.run"));
  m_queue->setText(words.text("experiments.fork.queue"));
  m_cancel->setText(words.text("app.cancel"));
  check();
}

}  // namespace atelier::app
