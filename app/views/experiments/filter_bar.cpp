#include "filter_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

#include "app/models/settings.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kTyping = 120;  // milliseconds
constexpr int kMostKept = 20;
const auto kKey = QStringLiteral("experiments/filters");

}  // namespace

FilterBar::FilterBar(const Desktop& desktop, QWidget* parent) : QWidget(parent), m_desktop(desktop) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_field = new QLineEdit(this), 1);
  row->addWidget(m_kept = new QToolButton(this));
  row->addWidget(m_count = makeLabel("soft", this));
  column->addLayout(row);
  column->addWidget(m_problem = makeLabel("bad", this));
  m_count->setWordWrap(false);
  m_clear = m_field->addAction(QIcon(), QLineEdit::TrailingPosition);
  m_clear->setVisible(false);
  m_kept->setFocusPolicy(Qt::StrongFocus);
  m_kept->setToolButtonStyle(Qt::ToolButtonTextOnly);
  m_typing.setSingleShot(true);
  connect(&m_typing, &QTimer::timeout, this, &FilterBar::read);
  connect(m_field, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_clear->setVisible(!text.isEmpty());
    m_typing.start(kTyping);
  });
  connect(m_field, &QLineEdit::returnPressed, this, &FilterBar::read);
  connect(m_clear, &QAction::triggered, m_field, &QLineEdit::clear);
  connect(m_kept, &QToolButton::clicked, this, &FilterBar::showKept);
  connect(&m_desktop.words, &Words::changed, this, &FilterBar::retext);
  connect(&m_desktop.theme, &Theme::changed, this, &FilterBar::restyle);
  restyle();
  retext();
}

void FilterBar::setKeys(std::vector<std::string> keys) {
  m_keys = std::move(keys);
  if (m_error) read();
}

void FilterBar::setCounts(int shown, int total) {
  m_shown = shown;
  m_total = total;
  const auto& format = m_desktop.words.format();
  m_count->setText(m_desktop.words.text(wire::Message{shown == total ? "experiments.count.all" : "experiments.count.some",
                                                      {{"shown", format.integer(shown)}, {"all", format.integer(total)}}}));
}

void FilterBar::setText(const QString& text) {
  m_field->setText(text);
  read();
}

QString FilterBar::text() const {
  return m_field->text();
}

QString FilterBar::problem() const {
  return m_error ? m_problem->text() : QString();
}

void FilterBar::takeFocus() {
  m_field->setFocus(Qt::ShortcutFocusReason);
  m_field->selectAll();
}

void FilterBar::read() {
  m_typing.stop();
  const auto query = registry::Query::parse(m_field->text().toStdString(), m_keys);
  m_error = query ? std::nullopt : std::optional(query.error());
  showText(m_problem, query ? QString() : m_desktop.words.text(query.error().messages));
  m_field->setAccessibleDescription(m_problem->text());
  if (query) Q_EMIT queryChanged(*query);
}

QStringList FilterBar::kept() const {
  return m_desktop.settings.value(kKey).toStringList();
}

void FilterBar::keep(const QString& text, bool kept) {
  auto all = this->kept();
  all.removeAll(text);
  if (kept) all.prepend(text);
  m_desktop.settings.set(kKey, all.mid(0, kMostKept));
}

void FilterBar::showKept() {
  const auto& words = m_desktop.words;
  QMenu menu(this);
  const auto all = kept();
  for (const auto& filter : all) {
    // An ampersand in a menu's text would underline what follows.
    auto* action = menu.addAction(QString(filter).replace(QLatin1Char('&'), QLatin1String("&&")));
    connect(action, &QAction::triggered, this, [this, filter] { setText(filter); });
  }
  if (all.isEmpty()) menu.addAction(words.text("experiments.filter.none_kept"))->setEnabled(false);
  menu.addSeparator();
  const auto now = text().trimmed();
  auto* add = menu.addAction(words.text("experiments.filter.keep"));
  auto* drop = menu.addAction(words.text("experiments.filter.drop"));
  add->setEnabled(!now.isEmpty() && !m_error && !all.contains(now));
  drop->setEnabled(all.contains(now));
  connect(add, &QAction::triggered, this, [this, now] { keep(now, true); });
  connect(drop, &QAction::triggered, this, [this, now] { keep(now, false); });
  menu.exec(m_kept->mapToGlobal(QPoint(0, m_kept->height())));
}

void FilterBar::retext() {
  const auto& words = m_desktop.words;
  m_field->setPlaceholderText(words.text("experiments.filter.hint"));
  m_field->setToolTip(words.text("experiments.filter.help"));
  name(m_field, words.text("experiments.filter.name"));
  m_clear->setText(words.text("experiments.filter.clear"));
  m_clear->setToolTip(words.text("experiments.filter.clear"));
  m_kept->setText(words.text("experiments.filter.kept"));
  showText(m_problem, m_error ? words.text(m_error->messages) : QString());
  setCounts(m_shown, m_total);
}

void FilterBar::restyle() {
  m_clear->setIcon(m_desktop.theme.icon(QStringLiteral("cross"), m_desktop.theme.tokens().soft));
}

}  // namespace atelier::app
