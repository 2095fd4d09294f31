#include "palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

#include "app/models/words.h"
#include "app/views/learn/parts.h"
#include "theme.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 640, kHeight = 440, kTop = 72, kMargin = 24, kRow = 36, kAir = 12, kPage = 8;

bool isOwnKey(int key) {
  constexpr std::array kOwn{Qt::Key_Down,   Qt::Key_Up,     Qt::Key_Tab,   Qt::Key_Backtab, Qt::Key_PageDown,
                            Qt::Key_PageUp, Qt::Key_Return, Qt::Key_Enter, Qt::Key_Escape};
  return std::find(kOwn.begin(), kOwn.end(), key) != kOwn.end();
}

// Title left, where it belongs after it, its keys right.
class RowDelegate : public QStyledItemDelegate {
 public:
  RowDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {0, m_theme.px(kRow)}; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    auto plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();
    const auto* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);
    const auto& tokens = m_theme.tokens();
    auto room = option.rect.adjusted(m_theme.px(kAir), 0, -m_theme.px(kAir), 0);
    painter->save();
    const auto keys = index.data(PaletteModel::KeysRole).toString();
    painter->setFont(m_theme.monospace(12));
    painter->setPen(tokens.soft);
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
    if (!keys.isEmpty()) room.setRight(room.right() - painter->fontMetrics().horizontalAdvance(keys) - m_theme.px(kAir));
    painter->setFont(m_theme.font(13, QFont::Medium));
    painter->setPen(tokens.text);
    const auto title = painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room.width());
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, title);
    room.setLeft(room.left() + painter->fontMetrics().horizontalAdvance(title) + m_theme.px(kAir));
    painter->setFont(m_theme.font(12));
    painter->setPen(tokens.soft);
    const auto detail = index.data(PaletteModel::DetailRole).toString();
    if (room.width() > m_theme.px(3 * kAir))
      painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                        painter->fontMetrics().elidedText(detail, Qt::ElideRight, room.width()));
    painter->restore();
  }

 private:
  const Theme& m_theme;
};

}  // namespace

Palette::Palette(const Theme& theme, const Words& words, Settings& settings, QWidget* window)
    : QWidget(window), m_theme(theme), m_words(words), m_model(settings) {
  setProperty("role", "popup");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  column->addWidget(m_field = new QLineEdit(this));
  column->addWidget(m_list = new QListView(this), 1);
  column->addWidget(m_none = makeLabel("soft", this), 1, Qt::AlignTop);
  m_list->setProperty("role", "list");
  m_list->setModel(&m_model);
  m_list->setItemDelegate(new RowDelegate(theme, m_list));
  m_list->setUniformItemSizes(true);
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_field->installEventFilter(this);
  window->installEventFilter(this);
  connect(m_field, &QLineEdit::textChanged, this, [this](const QString& typed) {
    m_model.setQuery(typed);
    showCount();
  });
  connect(&m_model, &QAbstractItemModel::modelReset, this, &Palette::showCount);
  connect(m_list, &QListView::clicked, this, [this] { choose(); });
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (isVisible() && now && now != this && !isAncestorOf(now)) dismiss();
  });
  connect(&m_theme, &Theme::changed, this, &Palette::restyle);
  connect(&m_words, &Words::changed, this, &Palette::retext);
  hide();
  restyle();
  retext();
}

void Palette::open() {
  if (isVisible()) return dismiss();
  m_before = QApplication::focusWidget();
  Q_EMIT opening();
  m_field->clear();
  m_model.setQuery(QString());
  place();
  show();
  raise();
  m_field->setFocus(Qt::PopupFocusReason);
}

void Palette::dismiss() {
  if (!isVisible()) return;
  const bool mine = isAncestorOf(QApplication::focusWidget());
  hide();
  if (mine && m_before) m_before->setFocus(Qt::PopupFocusReason);
}

void Palette::showCount() {
  const bool any = m_model.rowCount() > 0;
  m_list->setVisible(any);
  m_none->setVisible(!any);
  if (any) m_list->setCurrentIndex(m_model.index(0, 0));
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_field && event->type() == QEvent::ShortcutOverride) {
    // Its keys are not the window's while it is open: Esc closes it, and leaves nothing else.
    if (isOwnKey(static_cast<QKeyEvent*>(event)->key())) event->accept();
    return event->isAccepted();
  }
  if (watched == m_field && event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent*>(event)->key())) return true;
  if (watched == parent() && event->type() == QEvent::Resize && isVisible()) place();
  return QWidget::eventFilter(watched, event);
}

bool Palette::takeKey(int key) {
  switch (key) {
    case Qt::Key_Down:
    case Qt::Key_Tab:
      moveBy(1);
      return true;
    case Qt::Key_Up:
    case Qt::Key_Backtab:
      moveBy(-1);
      return true;
    case Qt::Key_PageDown:
      moveBy(kPage);
      return true;
    case Qt::Key_PageUp:
      moveBy(-kPage);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose();
      return true;
    case Qt::Key_Escape:
      dismiss();
      return true;
    default:
      return false;
  }
}

void Palette::moveBy(int rows) {
  const int count = m_model.rowCount();
  if (count == 0) return;
  m_list->setCurrentIndex(m_model.index(std::clamp(m_list->currentIndex().row() + rows, 0, count - 1), 0));
  // The field keeps the focus: a screen reader hears of the row from here.
  m_field->setAccessibleDescription(m_list->currentIndex().data(Qt::AccessibleTextRole).toString());
}

void Palette::choose() {
  const int row = m_list->currentIndex().row();
  dismiss();
  m_model.run(row);
}

void Palette::place() {
  const auto* window = parentWidget();
  const int margin = m_theme.px(kMargin), top = m_theme.px(kTop);
  const int width = std::min(m_theme.px(kWidth), window->width() - 2 * margin);
  const int height = std::min(m_theme.px(kHeight), window->height() - top - margin);
  setGeometry((window->width() - width) / 2, top, width, height);
}

void Palette::restyle() {
  if (isVisible()) place();
  m_list->viewport()->update();
}

void Palette::retext() {
  m_field->setPlaceholderText(m_words.text("palette.placeholder"));
  m_field->setAccessibleName(m_words.text("palette.name"));
  m_list->setAccessibleName(m_words.text("palette.list"));
  m_none->setText(m_words.text("palette.none"));
}

}  // namespace atelier::app
