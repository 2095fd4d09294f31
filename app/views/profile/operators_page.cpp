#include "operators_page.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

#include "app/models/profile_tables.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "app/views/experiments/segment_switch.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "trace_table_view.h"

namespace atelier::app {

namespace {

constexpr int kTables = 6;
constexpr std::array<const char*, kTables> kTitles{"profileview.table.operators", "profileview.table.modules",
                                                   "profileview.table.kernels",   "profileview.table.stages",
                                                   "profileview.table.transfers", "profileview.table.idle"};
constexpr std::array<const char*, kTables> kEmpty{"profileview.no_operators", "profileview.no_modules",
                                                  "profileview.no_kernels",   "profileview.no_steps",
                                                  "profileview.no_transfers", "profileview.no_idle"};
const auto kShown = QStringLiteral("profile/table");
const auto kShapes = QStringLiteral("profile/shapes");

}  // namespace

OperatorsPage::OperatorsPage(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : ProfilePage(desktop, selection, parent) {
  build();
  setTable(static_cast<Table>(std::clamp(desktop.settings.value(kShown, 0).toInt(), 0, kTables - 1)));
  m_shapes->setChecked(desktop.settings.value(kShapes, false).toBool());
  connect(m_switch, &SegmentSwitch::chosen, this, [this](int table) {
    m_desktop.settings.set(kShown, table);
    refill();
  });
  connect(m_shapes, &QCheckBox::toggled, this, [this](bool byShapes) {
    m_desktop.settings.set(kShapes, byShapes);
    refill();
  });
  connect(m_words, &QLineEdit::textChanged, this, [this](const QString& words) {
    m_view->setWords(words);
    showCount();
  });
  connect(m_view, &TraceTableView::showAsked, this, &ProfilePage::showAsked);
  makeAction(this, desktop.words, "profile.sift", {QKeySequence(QKeySequence::Find)}, [this] {
    m_words->setFocus(Qt::ShortcutFocusReason);
    m_words->selectAll();
  });
}

void OperatorsPage::build() {
  auto* panel = makePanel("panel", this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(panel);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_switch = new SegmentSwitch(kTables, panel));
  row->addWidget(m_words = new QLineEdit(panel), 1);
  row->addWidget(m_shapes = new QCheckBox(panel));
  row->addWidget(m_count = makeLabel("soft", panel));
  m_count->setWordWrap(false);
  m_words->setClearButtonEnabled(true);
  column->addLayout(row);
  column->addWidget(m_pages = new QStackedWidget(panel), 1);
  m_pages->addWidget(m_view = new TraceTableView(m_desktop, m_selection, m_pages));
  m_pages->addWidget(m_empty = new EmptyState(m_desktop.theme, m_pages));
}

void OperatorsPage::setTable(Table table) {
  m_switch->setCurrent(table);
}

OperatorsPage::Table OperatorsPage::table() const {
  return static_cast<Table>(m_switch->current());
}

void OperatorsPage::setByShapes(bool byShapes) {
  m_shapes->setChecked(byShapes);
}

TraceRows OperatorsPage::rows() const {
  const auto& words = m_desktop.words;
  switch (table()) {
    case Modules:
      return moduleRows(*content(), words);
    case Kernels:
      return kernelRows(*content(), words);
    case Stages:
      return content()->report.breakdown.steps > 0 ? stageRows(*content(), words) : TraceRows();
    case Transfers:
      return transferRows(*content(), words);
    case Idle:
      return idleRows(*content(), words);
    case Operators:
      break;
  }
  return operatorRows(*content(), m_shapes->isChecked(), words);
}

void OperatorsPage::fill() {
  const auto& words = m_desktop.words;
  QStringList titles;
  for (const char* title : kTitles) titles << words.text(title);
  m_switch->setTexts(titles);
  m_words->setPlaceholderText(words.text("profileview.sift"));
  name(m_words, words.text("profileview.sift"));
  m_shapes->setText(words.text("profileview.by_shapes"));
  m_shapes->setVisible(table() == Operators);
  name(m_view, titles.value(table()));
  if (content()) m_view->setRows(content(), rows());
  const bool none = m_view->table().rowCount() == 0;
  m_pages->setCurrentWidget(none ? static_cast<QWidget*>(m_empty) : m_view);
  m_empty->setTexts(words.text(kEmpty[static_cast<std::size_t>(table())]), QString());
  showCount();
}

void OperatorsPage::showCount() {
  const auto& format = m_desktop.words.format();
  const auto left = m_view->table().content().leftOut;
  const auto shown = static_cast<std::int64_t>(m_view->sift().rowCount());
  showText(m_count, left > 0 ? m_desktop.words.text(wire::Message{"profileview.rows_longest",
                                                                  {{"count", format.integer(shown)},
                                                                   {"left", format.integer(static_cast<std::int64_t>(left))}}})
                             : m_desktop.words.text(wire::Message{"profileview.rows", {{"count", format.integer(shown)}}}));
}

}  // namespace atelier::app
