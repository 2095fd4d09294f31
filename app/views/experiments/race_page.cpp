#include "race_page.h"

#include <QHBoxLayout>
#include <QScrollArea>

#include <algorithm>
#include <utility>

#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "race_live.h"
#include "race_setup.h"

namespace atelier::app {

namespace {

constexpr int kSetup = 460, kLeastSetup = 340, kTwoColumnsAbove = 2200;

}  // namespace

RacePage::RacePage(const Desktop& desktop, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(desktop.desk, desktop.home) {
  setProperty("role", "plain");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  row->addWidget(m_side = new QScrollArea(this));
  m_side->setWidgetResizable(true);
  m_side->setFrameShape(QFrame::NoFrame);
  m_side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_side->setFocusPolicy(Qt::NoFocus);
  m_side->setWidget(m_setup = new RaceSetup(desktop, m_model));
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
  // The curves get the room that a small window has.
  const int most = std::max(m_desktop.theme.px(kLeastSetup), width() * 2 / 5);
  m_side->setFixedWidth(std::min(m_desktop.theme.px(kSetup), most));
  m_live->setTwoColumns(width() > m_desktop.theme.px(kTwoColumnsAbove));
}

}  // namespace atelier::app
