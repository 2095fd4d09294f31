// The style sheet, generated from the tokens. Widgets say what they are by the dynamic property "role"; nothing is styled by
// object name or in place.
#include <QRegularExpression>

#include "theme.h"

namespace atelier::app {

namespace {

constexpr auto kText = R"(
* { font-family: "Inter"; font-size: 13px; color: @text; outline: none; }
QWidget[role=window], QMainWindow, QDialog, QMessageBox { background: @ground; }
QWidget[role=plain], QScrollArea, QScrollArea > QWidget > QWidget[role=plain], QStackedWidget,
  QSplitter { background: transparent; border: none; }
QScrollArea[role=reading] { border: 2px solid transparent; border-radius: 6px; }
QScrollArea[role=reading]:focus { border: 2px solid @accent; }
QWidget[role=header] { background: @ground; border: none; border-bottom: 1px solid @edge; }
QWidget[role=panel] { background: @panel; border: 1px solid @edge; border-radius: 8px; }
QWidget[role=popup] { background: @panel; border: 1px solid @soft; border-radius: 8px; }
QWidget[role=card] { background: @raised; border: none; border-radius: 8px; }
QWidget[role=blank] { background: black; border: none; }
QWidget[role=problem] { background: @raised; border: none; border-left: 3px solid @bad; border-radius: 8px; }
QWidget[role=notice] { background: @raised; border: none; border-left: 3px solid @warn; border-radius: 8px; }
QLabel { background: transparent; border: none; }
QLabel[role=brand] { font-size: 16px; font-weight: 700; }
QLabel[role=h1] { font-size: 22px; font-weight: 600; }
QLabel[role=h2] { font-size: 14px; font-weight: 600; }
QLabel[role=overline] { font-size: 11px; font-weight: 600; color: @soft; letter-spacing: 0.6px; }
QLabel[role=soft] { color: @soft; }
QLabel[role=body] { font-size: 14px; }
QLabel[role=big] { font-size: 26px; font-weight: 600; }
QLabel[role=good] { color: @good; font-weight: 600; }
QLabel[role=warn] { color: @warn; font-weight: 600; }
QLabel[role=key] { background: @raised; border: 1px solid @edge; border-radius: 6px; padding: 4px 12px; font-weight: 600; }
QLabel[role=bad] { color: @bad; font-weight: 600; }
QTextBrowser { background: transparent; border: none; font-size: 14px; selection-background-color: @accent;
  selection-color: @onAccent; }
QToolTip { background: @raised; color: @text; border: 1px solid @edge; padding: 4px 8px; }
QPlainTextEdit { background: @ground; border: 1px solid @edge; border-radius: 6px; font-family: "JetBrains Mono";
  font-size: 12px; }
QPlainTextEdit[role=note] { background: @panel; font-family: "Inter"; font-size: 13px; }
QPlainTextEdit:focus { border: 2px solid @accent; }
)";

constexpr auto kControls = R"(
QPushButton { background: @raised; border: 1px solid @edge; border-radius: 6px; padding: 6px 15px; font-weight: 600;
  min-height: 18px; }
QPushButton:hover { border-color: @soft; }
QPushButton:pressed, QPushButton:checked { background: @line; }
QPushButton:disabled { color: @soft; background: @ground; }
QPushButton[role=primary] { background: @accent; color: @onAccent; border-color: @accent; }
QPushButton[role=primary]:hover { border-color: @text; }
QPushButton[role=primary]:disabled { background: @raised; color: @soft; border-color: @edge; }
QPushButton[role=link] { background: transparent; border: 1px solid transparent; color: @accent; padding: 3px;
  font-weight: 500; }
QPushButton:focus { border: 2px solid @accent; padding: 5px 14px; }
QPushButton[role=link]:focus { border: 2px solid @accent; padding: 2px; }
QPushButton[role=primary]:focus { border: 2px solid @text; }
QToolButton { background: transparent; border: 2px solid transparent; border-radius: 6px; padding: 5px 8px; color: @soft;
  font-weight: 600; }
QToolButton:hover { background: @raised; color: @text; }
QToolButton[role=tab] { border-radius: 0; border-bottom: 2px solid transparent; padding: 8px 12px; }
QToolButton[role=tab]:checked { color: @text; border-bottom: 2px solid @accent; }
QToolButton:focus, QToolButton[role=tab]:focus { border: 2px solid @accent; border-radius: 6px; }
QToolButton[role=segment] { background: @panel; border: 1px solid @edge; border-radius: 0; padding: 5px 14px; }
QToolButton[role=segment][place=first] { border-top-left-radius: 6px; border-bottom-left-radius: 6px; }
QToolButton[role=segment][place=last] { border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QToolButton[popupMode="2"] { padding-right: 24px; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: url(:/icons/chevron-down.svg); width: 12px; height: 12px;
  subcontrol-origin: padding; subcontrol-position: right center; right: 8px; }
QToolButton[role=segment]:hover { background: @raised; }
QToolButton[role=segment]:checked { background: @raised; color: @text; border-bottom: 2px solid @accent; padding: 5px 14px 4px; }
QToolButton[role=segment]:focus { border: 2px solid @accent; border-radius: 6px; padding: 4px 13px; }
QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit { background: @panel; border: 1px solid @edge; border-radius: 6px;
  padding: 4px 8px; min-height: 20px; selection-background-color: @accent; selection-color: @onAccent; }
QComboBox:hover, QSpinBox:hover, QDoubleSpinBox:hover, QLineEdit:hover { border-color: @soft; }
QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QLineEdit:focus { border: 2px solid @accent; padding: 3px 7px; }
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QLineEdit:disabled { color: @soft; background: @ground; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down.svg); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: @panel; border: 1px solid @edge; selection-background-color: @raised;
  selection-color: @text; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: 20px; }
QAbstractSpinBox::up-arrow { image: url(:/icons/chevron-up.svg); width: 12px; height: 12px; }
QAbstractSpinBox::down-arrow { image: url(:/icons/chevron-down.svg); width: 12px; height: 12px; }
QCheckBox, QRadioButton { background: transparent; spacing: 8px; border: 2px solid transparent; border-radius: 6px;
  padding: 2px; }
QCheckBox:focus, QRadioButton:focus { border: 2px solid @accent; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid @soft; border-radius: 4px; background: @panel; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/check-on-@mode.svg); }
QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid @soft; border-radius: 8px; background: @panel; }
QRadioButton::indicator:checked { border: 5px solid @accent; width: 6px; height: 6px; }
QProgressBar { background: @raised; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider { border: 2px solid transparent; border-radius: 6px; min-height: 22px; background: transparent; }
QSlider:focus { border: 2px solid @accent; }
QSlider::groove:horizontal { background: @line; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; height: 4px; border-radius: 2px; }
QSlider::handle:horizontal { background: @accent; width: 14px; margin: -5px 0; border-radius: 7px; }
)";

constexpr auto kLists = R"(
QTreeView, QTableView, QListView[role=list] { background: transparent; border: 2px solid transparent; border-radius: 6px;
  gridline-color: transparent; selection-background-color: @raised; selection-color: @text; }
QTreeView:focus, QTableView:focus, QListView[role=list]:focus { border: 2px solid @accent; }
QTreeView::item { min-height: 32px; padding-left: 4px; border-radius: 6px; }
QTreeView::item:hover { background: @raised; }
QTreeView::item:selected { background: @raised; color: @text; }
QTreeView::item:selected { border-top-left-radius: 0; border-bottom-left-radius: 0; }
QListView[role=list]::item { padding: 4px 8px; border-radius: 6px; }
QListView[role=list]::item:hover, QListView[role=list]::item:selected { background: @raised; color: @text; }
QTreeView::branch { background: transparent; }
QTreeView::branch:selected { background: @raised; }
QTreeView::branch:has-children:closed { image: url(:/icons/chevron-right.svg); }
QTreeView::branch:has-children:open { image: url(:/icons/chevron-down.svg); }
QTableView::item { border-bottom: 1px solid @line; padding: 4px 8px; }
QHeaderView { background: transparent; }
QHeaderView::section { background: transparent; border: none; border-bottom: 1px solid @line; color: @soft;
  padding: 4px 8px; font-weight: 600; font-size: 11px; }
QMenu { background: @panel; border: 1px solid @edge; padding: 4px; }
QMenu::item { padding: 8px 16px; border-radius: 4px; }
QMenu::item:selected { background: @raised; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:hover { background: @soft; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QWidget[role=plot] { background: @panel; border: 2px solid transparent; border-radius: 6px; }
QWidget[role=plot]:focus { border: 2px solid @accent; }
)";

// A ground alone does not mark a row or a tab well enough where contrast is asked for.
constexpr auto kContrast = R"(
QTreeView::item:selected, QTableView::item:selected, QListView[role=list]::item:selected { border: 1px solid @accent; }
QMenu::item:selected, QComboBox QAbstractItemView::item:selected { border: 1px solid @accent; }
QWidget[role=card] { border: 1px solid @edge; }
QPushButton:hover, QComboBox:hover, QSpinBox:hover, QDoubleSpinBox:hover, QLineEdit:hover { border-color: @text; }
QPushButton:checked { border-color: @accent; }
QToolButton:hover { border: 2px solid @edge; }
QProgressBar { border: 1px solid @edge; }
QScrollBar::handle { background: @edge; }
)";

// "13px" → "20px" at a scale of 1.5. Hairlines stay hairlines.
QString scaled(const QString& sheet, const Theme& theme) {
  static const QRegularExpression length(QStringLiteral("(\\d+)px"));
  QString result;
  qsizetype from = 0;
  for (auto match = length.globalMatch(sheet); match.hasNext();) {
    const auto hit = match.next();
    const int pixels = hit.capturedView(1).toInt();
    result += QStringView(sheet).mid(from, hit.capturedStart() - from);
    result += QString::number(pixels > 1 ? theme.px(pixels) : pixels) + QStringLiteral("px");
    from = hit.capturedEnd();
  }
  return result + sheet.mid(from);
}

}  // namespace

QString Theme::styleSheet() const {
  QString sheet = QLatin1String(kText) + QLatin1String(kControls) + QLatin1String(kLists);
  if (m_mode == Mode::Contrast) sheet += QLatin1String(kContrast);
  const auto& t = tokens();
  const QVector<QPair<QString, QString>> names{
      {QStringLiteral("@onAccent"), t.onAccent.name()},
      {QStringLiteral("@ground"), t.ground.name()},
      {QStringLiteral("@panel"), t.panel.name()},
      {QStringLiteral("@raised"), t.raised.name()},
      {QStringLiteral("@line"), t.line.name()},
      {QStringLiteral("@edge"), t.edge.name()},
      {QStringLiteral("@text"), t.text.name()},
      {QStringLiteral("@soft"), t.soft.name()},
      {QStringLiteral("@accent"), t.accent.name()},
      {QStringLiteral("@good"), t.good.name()},
      {QStringLiteral("@warn"), t.warn.name()},
      {QStringLiteral("@bad"), t.bad.name()},
      {QStringLiteral("@mode"), isDark() ? QStringLiteral("dark") : QStringLiteral("light")}};
  for (const auto& [name, value] : names) sheet.replace(name, value);
  return scaled(sheet, *this);
}

}  // namespace atelier::app
