#include "run_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "parts.h"
#include "run_bar.h"

namespace atelier::app {

RunStrip::RunStrip(const Theme& theme, LearnModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
  setProperty("role", "card");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_title = makeLabel("h2", this), 1);
  row->addWidget(m_show = makeButton("link", this), 0, Qt::AlignTop);
  column->addLayout(row);
  column->addWidget(m_bar = new RunBar(theme, model, this));
  connect(m_show, &QPushButton::clicked, this, &RunStrip::goThere);
  hide();
}

void RunStrip::refresh() {
  const auto* running = m_model.runningStep();
  const bool elsewhere = running && running->id != m_model.session()->step().id;
  setVisible(elsewhere);
  if (!elsewhere) return;
  m_title->setText(m_model.text(wire::Message{"app.strip.running", {{"title", running->title}}}));
  m_show->setText(m_model.text("app.strip.show"));
  m_bar->refresh();
}

void RunStrip::tick() {
  if (isVisibleTo(parentWidget())) m_bar->tick();
}

void RunStrip::goThere() {
  const auto* running = m_model.runningStep();
  if (!running) return;
  const auto& steps = m_model.session()->lab().steps;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].id == running->id) {
      m_model.goTo(static_cast<int>(i));
      return;
    }
}

}  // namespace atelier::app
