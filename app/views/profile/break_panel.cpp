#include "break_panel.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "core/wire/faults.h"

namespace atelier::app {

namespace {

constexpr int kListHeight = 132;

}  // namespace

BreakPanel::BreakPanel(const Desktop& desktop, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_faults(wire::faultIds()) {
  setProperty("role", "card");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(6);
  column->addWidget(m_title = makeLabel("h2", this));
  column->addWidget(m_intro = makeLabel("soft", this));
  column->addWidget(m_list = new QListWidget(this), 1);
  m_list->setProperty("role", "list");
  m_list->setMinimumHeight(desktop.theme.px(kListHeight));
  for (std::size_t i = 0; i < m_faults.size(); ++i) m_list->addItem(QString());
  column->addWidget(m_help = makeLabel("soft", this));
  column->addWidget(m_break = makeButton("", this), 0, Qt::AlignLeft);
  connect(m_list, &QListWidget::currentRowChanged, this, &BreakPanel::showHelp);
  connect(m_break, &QPushButton::clicked, this, [this] {
    if (const auto fault = chosen(); !fault.empty()) Q_EMIT breakAsked(QString::fromStdString(fault));
  });
  connect(&desktop.words, &Words::changed, this, &BreakPanel::retext);
  m_list->setCurrentRow(0);
  retext();
}

std::string BreakPanel::chosen() const {
  const int row = m_list->currentRow();
  return row >= 0 && static_cast<std::size_t>(row) < m_faults.size() ? m_faults[static_cast<std::size_t>(row)] : std::string();
}

void BreakPanel::setCanRun(bool can) {
  m_break->setEnabled(can);
}

void BreakPanel::showHelp() {
  const auto fault = chosen();
  showText(m_help, fault.empty() ? QString() : m_desktop.words.text("fault." + fault + ".help"));
}

void BreakPanel::retext() {
  const auto& words = m_desktop.words;
  m_title->setText(words.text("profileview.break.title"));
  m_intro->setText(words.text("profileview.break.intro"));
  m_break->setText(words.text("profileview.break.run"));
  name(m_list, words.text("profileview.break.title"));
  for (std::size_t i = 0; i < m_faults.size(); ++i)
    m_list->item(static_cast<int>(i))->setText(words.text("fault." + m_faults[i] + ".label"));
  showHelp();
}

}  // namespace atelier::app
