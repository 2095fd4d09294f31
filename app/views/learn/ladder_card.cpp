#include "ladder_card.h"

#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/plots/figure_plot.h"
#include "app/plots/ladder_plot.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kHeight = 240;

// The foot of the ladder that a step belongs to; "" for a step on none.
std::string footOf(const lab::LabSession& session) {
  const auto& step = session.step();
  if (!step.experiment) return {};
  return step.experiment->climbs() ? step.experiment->ladder : step.id;
}

}  // namespace

LadderCard::LadderCard(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_plot = new FigurePlot(theme, model.words(), this));
  m_plot->setObjectName(QStringLiteral("learn.ladder"));
  connect(m_plot, &FigurePlot::saveFailed, this, [this](const QString& file) {
    m_model.inform(std::vector<wire::Message>(1, wire::Message{"app.plot.save_failed", {{"file", file.toStdString()}}}));
  });
  restyle();
}

void LadderCard::refresh() {
  const auto* session = m_model.session();
  const auto ladder = session ? session->ladder(footOf(*session)) : lab::Ladder();
  setVisible(ladder.anyRaced());
  if (!ladder.anyRaced()) return;
  auto figure = ladderFigure(ladder, m_model.words());
  name(m_plot, figure.title);
  m_plot->retext();
  m_plot->setContent(std::move(figure));
}

void LadderCard::restyle() {
  m_plot->setFixedHeight(m_theme.px(kHeight));
  m_plot->restyle();
}

}  // namespace atelier::app
