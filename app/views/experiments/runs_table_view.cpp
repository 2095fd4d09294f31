#include "runs_table_view.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSet>
#include <QSignalBlocker>

#include <algorithm>
#include <utility>

#include "app/models/runs_list_model.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kRow = 32, kLeast = 40, kSave = 500;
const auto kColumns = QStringLiteral("experiments/columns"), kWidths = QStringLiteral("experiments/widths"),
           kSort = QStringLiteral("experiments/sort");

int usualWidth(const QString& column) {
  if (column == QLatin1String(RunTexts::kRun)) return 212;
  if (column == QLatin1String(RunTexts::kDiffers)) return 180;
  if (column == QLatin1String("samples_per_second")) return 204;
  if (column == QLatin1String("created")) return 150;
  if (column == QLatin1String("model")) return 76;
  return 96;
}

}  // namespace

RunsTableView::RunsTableView(const Desktop& desktop, RunsListModel& model, const RunTexts& texts, QWidget* parent)
    : QTableView(parent), m_desktop(desktop), m_model(model), m_texts(texts) {
  recall();
  setModel(&m_model);
  build();
  m_saving.setSingleShot(true);
  connect(&m_saving, &QTimer::timeout, this, [this] { m_desktop.settings.set(kWidths, m_widths); });
  connect(&m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
    m_scrolled = verticalScrollBar()->value();
    m_at = currentIndex().data(RunsListModel::IdRole).toString();
    m_setting = true;
  });
  connect(&m_model, &QAbstractItemModel::modelReset, this, &RunsTableView::restore);
  connect(&m_desktop.theme, &Theme::changed, this, &RunsTableView::restyle);
  restyle();
}

void RunsTableView::build() {
  makeQuiet(*this);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollMode(ScrollPerPixel);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  auto* header = horizontalHeader();
  header->setSectionsMovable(true);
  header->setSectionsClickable(true);
  header->setSortIndicatorShown(true);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QHeaderView::sectionClicked, this, &RunsTableView::sortBy);
  connect(header, &QHeaderView::sectionResized, this, [this](int section, int, int width) { rememberWidth(section, width); });
  // Not within the drag itself: the header is still at it.
  connect(header, &QHeaderView::sectionMoved, this, [this] {
    if (!m_setting) QTimer::singleShot(0, this, &RunsTableView::takeMoved);
  });
  connect(header, &QWidget::customContextMenuRequested, this,
          [this, header](const QPoint& at) { showColumnsMenu(header->mapToGlobal(at)); });
}

void RunsTableView::recall() {
  const auto& settings = m_desktop.settings;
  m_widths = settings.value(kWidths).toMap();
  QStringList known, wanted;
  for (const auto& column : RunTexts::columns()) known << QString::fromStdString(column);
  const auto kept = settings.value(kColumns).toStringList();
  for (const auto& column : kept)
    if (known.contains(column) && !wanted.contains(column)) wanted << column;
  if (!wanted.isEmpty()) m_model.setColumns(wanted);
  const auto sort = settings.value(kSort).toStringList();
  if (sort.size() == 2 && known.contains(sort[0]))
    m_model.sortBy(sort[0], sort[1] == QLatin1String("up") ? Qt::AscendingOrder : Qt::DescendingOrder);
}

void RunsTableView::sortBy(int section) {
  const auto column = m_model.columns().value(section);
  // Of figures the greatest is looked for first, of words the alphabet's beginning.
  auto order =
      RunTexts::numeric(column.toStdString()) || column == QLatin1String("created") ? Qt::DescendingOrder : Qt::AscendingOrder;
  if (column == m_model.sortColumn())
    order = m_model.sortOrder() == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
  m_model.sortBy(column, order);
  showOrder();
  const auto direction = order == Qt::AscendingOrder ? QStringLiteral("up") : QStringLiteral("down");
  m_desktop.settings.set(kSort, QStringList{column, direction});
}

void RunsTableView::showOrder() {
  const QSignalBlocker quiet(horizontalHeader());
  horizontalHeader()->setSortIndicator(static_cast<int>(m_model.columns().indexOf(m_model.sortColumn())), m_model.sortOrder());
}

void RunsTableView::setColumns(const QStringList& columns) {
  m_model.setColumns(columns);
  m_desktop.settings.set(kColumns, columns);
  applyWidths();
  showOrder();
}

void RunsTableView::setColumnShown(const QString& column, bool shown) {
  auto columns = m_model.columns();
  columns.removeAll(column);
  if (shown) columns << column;
  setColumns(columns);
}

// The model takes the order over, so that what is exported has it too.
void RunsTableView::takeMoved() {
  auto* header = horizontalHeader();
  QStringList order;
  for (int place = 0; place < header->count(); ++place) order << m_model.columns().value(header->logicalIndex(place));
  if (order == m_model.columns()) return;
  {
    const QScopedValueRollback setting(m_setting, true);
    for (int section = 0; section < header->count(); ++section) header->moveSection(header->visualIndex(section), section);
  }
  setColumns(order);
}

void RunsTableView::applyWidths() {
  const QScopedValueRollback setting(m_setting, true);
  const auto& columns = m_model.columns();
  for (int section = 0; section < static_cast<int>(columns.size()); ++section) {
    const int width = m_widths.value(columns[section], usualWidth(columns[section])).toInt();
    setColumnWidth(section, m_desktop.theme.px(std::max(kLeast, width)));
  }
}

void RunsTableView::rememberWidth(int section, int width) {
  const auto column = m_model.columns().value(section);
  if (m_setting || column.isEmpty()) return;
  m_widths.insert(column, static_cast<int>(width / m_desktop.theme.scale()));
  m_saving.start(kSave);
}

void RunsTableView::addColumns(QMenu& menu, const std::vector<std::string>& columns) {
  for (const auto& column : columns) {
    const auto id = QString::fromStdString(column);
    auto* action = menu.addAction(m_texts.title(column).replace(QLatin1Char('&'), QLatin1String("&&")));
    action->setCheckable(true);
    action->setChecked(m_model.columns().contains(id));
    // One column must stay: without any there is no header to open this menu from.
    action->setEnabled(!action->isChecked() || m_model.columns().size() > 1);
    connect(action, &QAction::toggled, this, [this, id](bool shown) { setColumnShown(id, shown); });
  }
}

void RunsTableView::showColumnsMenu(const QPoint& at) {
  const auto& words = m_desktop.words;
  std::vector<std::string> common, spec;
  for (const auto& column : RunTexts::columns()) {
    const auto* info = registry::findField(column);
    (info && info->of_spec ? spec : common).push_back(column);
  }
  QMenu menu(this);
  addColumns(menu, common);
  menu.addSeparator();
  auto* keys = menu.addMenu(words.text("experiments.columns.spec"));
  addColumns(*keys, spec);
  menu.addSeparator();
  auto* usual = menu.addAction(words.text("experiments.columns.usual"));
  connect(usual, &QAction::triggered, this, [this] { setColumns(RunTexts::defaultColumns()); });
  menu.exec(at);
}

QString RunsTableView::current() const {
  const auto id = currentIndex().data(RunsListModel::IdRole).toString();
  return m_chosen.contains(id) ? id : m_chosen.value(0);
}

void RunsTableView::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
  QTableView::selectionChanged(selected, deselected);
  if (m_setting) return;
  QStringList now;
  QSet<QString> seen;
  const auto rows = selectionModel()->selectedRows();
  for (const auto& row : rows) seen.insert(row.data(RunsListModel::IdRole).toString());
  for (const auto& id : std::as_const(m_chosen))
    if (seen.remove(id)) now << id;
  for (const auto& row : rows)
    if (const auto id = row.data(RunsListModel::IdRole).toString(); seen.contains(id)) now << id;
  if (now == m_chosen) return;
  m_chosen = now;
  Q_EMIT chosenChanged();
}

void RunsTableView::choose(const QStringList& ids) {
  select(ids, ids.isEmpty() ? QString() : ids.last());
}

void RunsTableView::select(const QStringList& ids, const QString& at) {
  std::vector<int> rows;
  QStringList there;
  for (const auto& id : ids) {
    const int row = m_model.rowOf(id);
    if (row < 0) continue;
    there << id;
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  // Neighbours as one range: thousands of ranges would be compared with one another.
  QItemSelection selection;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last + 1) {
    last = first;
    while (last + 1 < rows.size() && rows[last + 1] == rows[last] + 1) ++last;
    selection.select(m_model.index(rows[first], 0), m_model.index(rows[last], m_model.columnCount() - 1));
  }
  {
    const QScopedValueRollback setting(m_setting, true);
    if (const int row = m_model.rowOf(at); row >= 0)
      selectionModel()->setCurrentIndex(m_model.index(row, 0), QItemSelectionModel::NoUpdate);
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
  }
  if (there == m_chosen) return;
  m_chosen = there;
  Q_EMIT chosenChanged();
}

void RunsTableView::restore() {
  m_setting = false;
  select(m_chosen, m_at);
  verticalScrollBar()->setValue(m_scrolled);
}

void RunsTableView::restyle() {
  verticalHeader()->setDefaultSectionSize(m_desktop.theme.px(kRow));
  verticalHeader()->setMinimumSectionSize(m_desktop.theme.px(kRow));
  horizontalHeader()->setMinimumSectionSize(m_desktop.theme.px(kLeast));
  applyWidths();
  showOrder();
}

}  // namespace atelier::app
