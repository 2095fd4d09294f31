#include "run_controls.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/models/learn_texts.h"
#include "parts.h"
#include "run_bar.h"

namespace atelier::app {

RunControls::RunControls(const Theme& theme, LearnModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setObjectName(QStringLiteral("row"));
  row->addWidget(m_run = makeButton("", this));
  row->addStretch(1);
  column->addLayout(row);
  column->addWidget(m_bar = new RunBar(theme, model, this));
  column->addWidget(m_state = makeLabel("soft", this));
  connect(m_run, &QPushButton::clicked, &m_model, &LearnModel::start);
}

void RunControls::offer(QAction* action) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::StrongFocus);
  findChild<QHBoxLayout*>(QStringLiteral("row"))->addWidget(button);
}

QString RunControls::verb(const LearnModel& model) {
  const auto& step = model.session()->step();
  const bool again = model.session()->progress(step.id).outcome.has_value();
  if (step.experiment->verb == "race") return model.text(again ? "app.run.race_again" : "app.run.race");
  if (step.experiment->verb == "profile") return model.text(again ? "app.run.profile_again" : "app.run.profile");
  if (step.experiment->verb == "max-batch") return model.text(again ? "app.run.search_again" : "app.run.search");
  return model.text(again ? "app.run.run_again" : "app.run.run");
}

bool RunControls::runsHere() const {
  const auto* running = m_model.runningStep();
  return running && running->id == m_model.session()->step().id;
}

QString RunControls::waiting() const {
  const auto* session = m_model.session();
  if (const auto why = session->obstacle(session->step().id))
    return QString::fromStdString(lab::localText(*why, m_model.catalog()));
  if (m_model.schemaError()) return QString();
  if (m_model.schema().options().empty()) return m_model.text("app.run.no_schema");
  const auto time = m_model.format().duration(session->step().experiment->seconds);
  return m_model.text(wire::Message{"app.run.about", {{"time", time}}});
}

QString RunControls::going() const {
  using State = LearnModel::RunState;
  const auto& phase = m_model.progress().phase();
  std::string id = "app.phase.starting";
  if (m_model.runState() == State::Stopping) id = "app.phase.stopping";
  else if (m_model.runState() == State::Paused) id = "app.phase.paused";
  else if (!phase.isEmpty()) id = "app.phase." + phase.toStdString();
  else if (m_model.runningStep()->experiment->verb == "max-batch") id = "app.phase.searching";
  auto line = m_model.text(id);
  if (const auto& race = m_model.raceSoFar())
    line += QStringLiteral("  ") + LearnTexts(m_model.catalog(), m_model.format()).raceSoFar(*race);
  return line;
}

// The button goes when the bar comes, and the focus goes with it.
void RunControls::swap(bool running) {
  const bool focus = m_run->hasFocus() || m_bar->holdsFocus();
  m_bar->setVisible(running);
  m_bar->refresh();
  if (focus && running) m_bar->stopButton()->setFocus(Qt::OtherFocusReason);
  m_run->setVisible(!running);
  if (focus && !running) m_run->setFocus(Qt::OtherFocusReason);
}

void RunControls::refresh() {
  const auto* session = m_model.session();
  const bool has = session && session->step().experiment;
  setVisible(has);
  if (!has) return;
  m_run->setText(verb(m_model));
  m_run->setEnabled(m_model.canStart());
  swap(runsHere());
  tick();
}

void RunControls::tick() {
  if (!isVisibleTo(parentWidget())) return;
  const bool here = runsHere();
  if (here) m_bar->tick();
  showText(m_state, here ? going() : waiting());
}

}  // namespace atelier::app
