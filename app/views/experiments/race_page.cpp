#include "race_page.h"

#include <QHBoxLayout>

#include <algorithm>
#include <utility>

#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "race_live.h"
#include "race_setup.h"
#include "setup_column.h"

namespace atelier::app {

namespace {

constexpr int kTwoColumnsAbove = 2200;

}  // namespace

RacePage::RacePage(const Desktop& desktop, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(desktop.desk, desktop.home) {
  setProperty("role", "plain");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  m_setup = new RaceSetup(desktop, m_model);
  row->addWidget(m_side = new SetupColumn(desktop.theme, m_setup, this));
  row->addWidget(m_live = new RaceLive(desktop, m_model, this), 1);
  makeAction(this, desktop.words, "race.run", {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { m_setup->run(); });
  makeAction(this, desktop.words, "race.stop", {}, [this] { m_model.job().stop(); });
  makeAction(this, desktop.words, "race.add", {}, [this] { m_model.add(); });
}

void RacePage::setSpecs(std::vector<nlohmann::json> specs) {
  m_model.setSpecs(std::move(specs));
  m_setup->edit(1);
}

bool RacePage::openRace(const QString& id) {
  return m_live->open(id.toStdString());
}

void RacePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_side->fit(width());
  m_live->setTwoColumns(width() > m_desktop.theme.px(kTwoColumnsAbove));
}

}  // namespace atelier::app
