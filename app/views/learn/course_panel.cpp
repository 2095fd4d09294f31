#include "course_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/learn_model.h"
#include "app/shell/theme.h"
#include "parts.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 248, kSign = 14;

// Puts the sign of a lab's state before its title; a planned lab is grey.
class CourseDelegate : public QStyledItemDelegate {
 public:
  CourseDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const auto& tokens = m_theme.tokens();
    const int size = m_theme.px(kSign);
    const int state = index.data(CourseModel::StateRole).toInt();
    if (state == CourseModel::HalfDay) return;
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->decorationSize = QSize(size, size);
    if (state == CourseModel::Done) option->icon = QIcon(m_theme.pixmap(QStringLiteral("check"), tokens.good, size));
    else if (index.data(CourseModel::CurrentRole).toBool())
      option->icon = QIcon(m_theme.pixmap(QStringLiteral("dot"), tokens.accent, size));
    if (state == CourseModel::Planned) option->palette.setColor(QPalette::Text, tokens.soft);
  }

 private:
  const Theme& m_theme;
};

}  // namespace

CoursePanel::CoursePanel(const Theme& theme, LearnModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 16, 12, 12);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("overline", this));
  column->addWidget(m_tree = new QTreeView(this), 1);
  column->addWidget(m_reset = makeButton("link", this), 0, Qt::AlignLeft);
  column->addWidget(m_bar = new QProgressBar(this));
  m_bar->setTextVisible(false);
  m_tree->setModel(&m_course);
  m_tree->setItemDelegate(new CourseDelegate(theme, m_tree));
  m_tree->setHeaderHidden(true);
  m_tree->setUniformRowHeights(true);
  m_tree->setExpandsOnDoubleClick(false);
  m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(m_tree, &QTreeView::clicked, this, &CoursePanel::open);
  // Not `activated`: a double click would be told twice.
  m_tree->installEventFilter(this);
  connect(m_reset, &QPushButton::clicked, this, &CoursePanel::askReset);
  retext();
  restyle();
}

void CoursePanel::restyle() {
  setFixedWidth(m_theme.px(kWidth));
  m_tree->setIndentation(m_theme.px(16));
  m_reset->setIcon(m_theme.icon(QStringLiteral("reset"), m_theme.tokens().accent));
  m_tree->viewport()->update();
}

void CoursePanel::retext() {
  std::vector<bool> unfolded;
  for (int half = 0; half < m_course.rowCount(); ++half) unfolded.push_back(m_tree->isExpanded(m_course.index(half, 0)));
  m_course.setPlannedText(m_model.text("app.course.planned"));
  m_course.setCourse(m_model.course());
  m_reset->setText(m_model.text("app.course.reset"));
  name(m_tree, m_model.text("app.course.name"));
  name(m_bar, m_model.text("app.course.progress"));
  for (int half = 0; half < m_course.rowCount(); ++half)
    m_tree->setExpanded(m_course.index(half, 0),
                        half < static_cast<int>(unfolded.size()) && unfolded[static_cast<std::size_t>(half)]);
  const auto current = m_course.indexOf(m_selected);
  // A current row that is folded away would unfold its half-day.
  if (current.isValid() && m_tree->isExpanded(current.parent())) m_tree->setCurrentIndex(current);
  refresh();
}

void CoursePanel::refresh() {
  const auto* session = m_model.session();
  m_course.setProgress(m_model.doneLabs(), session ? session->lab().id : std::string());
  const auto done = m_model.format().integer(m_course.doneCount()), all = m_model.format().integer(m_course.labCount());
  m_title->setText(m_model.text(wire::Message{"app.course.title", {{"done", done}, {"all", all}}}));
  m_bar->setRange(0, std::max(1, m_course.labCount()));
  m_bar->setValue(m_course.doneCount());
  m_reset->setEnabled(session && !m_model.running());
  select();
}

void CoursePanel::select() {
  const auto* session = m_model.session();
  const auto lab = session ? session->lab().id : std::string();
  if (lab == m_selected) return;
  m_selected = lab;
  const auto current = m_course.indexOf(lab);
  if (!current.isValid()) return;
  m_tree->expand(current.parent());
  m_tree->setCurrentIndex(current);
}

bool CoursePanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_tree->currentIndex().isValid()) {
      open(m_tree->currentIndex());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void CoursePanel::open(const QModelIndex& index) {
  const auto lab = index.data(CourseModel::LabRole).toString();
  if (lab.isEmpty()) {
    if (m_course.hasChildren(index)) m_tree->setExpanded(index, !m_tree->isExpanded(index));
    return;
  }
  const auto* session = m_model.session();
  if (!session || session->lab().id != lab.toStdString()) m_model.open(lab.toStdString());
  Q_EMIT chosen();
}

void CoursePanel::askReset() {
  QMessageBox question(QMessageBox::Question, m_model.text("app.course.reset"), m_model.text("app.course.reset_sure"),
                       QMessageBox::NoButton, this);
  const auto* yes = question.addButton(m_model.text("app.course.reset"), QMessageBox::DestructiveRole);
  question.setDefaultButton(question.addButton(m_model.text("app.cancel"), QMessageBox::RejectRole));
  question.exec();
  if (question.clickedButton() == yes) m_model.resetLab();
}

void CoursePanel::takeFocus() {
  m_tree->setFocus(Qt::OtherFocusReason);
}

}  // namespace atelier::app
