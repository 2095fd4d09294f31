#include "sweep_page.h"

#include <QHBoxLayout>

#include <algorithm>

#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "setup_column.h"
#include "spec_form.h"
#include "sweep_live.h"
#include "sweep_setup.h"

namespace atelier::app {

SweepPage::SweepPage(const Desktop& desktop, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(desktop.desk, desktop.home) {
  setProperty("role", "plain");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  m_setup = new SweepSetup(desktop, m_model);
  row->addWidget(m_side = new SetupColumn(desktop.theme, m_setup, this));
  row->addWidget(m_live = new SweepLive(desktop, m_model, this), 1);
  makeAction(this, desktop.words, "sweep.run", {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { m_setup->run(); });
  makeAction(this, desktop.words, "sweep.stop", {}, [this] { m_model.job().stop(); });
  makeAction(this, desktop.words, "sweep.add_axis", {}, [this] { m_setup->addAxis(); });
}

void SweepPage::setSpec(const nlohmann::json& spec) {
  m_setup->form().setSpec(spec);
  m_model.setSpec(m_setup->form().spec());
}

bool SweepPage::openSweep(const QString& id) {
  return m_live->open(id.toStdString());
}

void SweepPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_side->fit(width());
}

}  // namespace atelier::app
