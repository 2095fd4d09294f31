#include "help.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

#include "actions.h"
#include "app/models/learn_model.h"
#include "app/models/support.h"
#include "app/models/words.h"
#include "app/plots/custom_plot.h"
#include "app/views/learn/markdown_view.h"
#include "app/views/learn/parts.h"
#include "keys_sheet.h"
#include "labs/reference.h"
#include "theme.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 760, kHeight = 640;
constexpr std::array<const char*, Help::PageCount> kTitles{"help.keys", "help.figures", "help.authors", "help.about"};

}  // namespace

Help::Help(const Desktop& desktop, QWidget* window) : QDialog(window), m_desktop(desktop), m_window(window) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 12, 20, 16);
  column->setSpacing(12);
  auto* tabs = new QHBoxLayout;
  column->addLayout(tabs);
  column->addWidget(m_pages = new QStackedWidget(this), 1);
  for (int page = 0; page < PageCount; ++page) {
    auto* tab = new QToolButton(this);
    tab->setProperty("role", "tab");
    tab->setCheckable(true);
    tab->setAutoExclusive(true);
    tab->setFocusPolicy(Qt::StrongFocus);
    tabs->addWidget(tab);
    connect(tab, &QToolButton::clicked, this, [this, page] { showPage(static_cast<Page>(page)); });
    m_tabs.append(tab);
  }
  tabs->addStretch(1);
  addPage(m_keys = new KeysSheet(desktop.words));
  for (int page = Figures; page < PageCount; ++page) {
    m_texts.append(new MarkdownView(desktop.theme));
    addPage(m_texts.last());
  }
  auto* foot = new QHBoxLayout;
  column->addLayout(foot);
  foot->addWidget(m_tour = makeButton("", this));
  foot->addWidget(m_copy = makeButton("", this));
  foot->addStretch(1);
  foot->addWidget(m_close = makeButton("", this));
  connect(m_tour, &QPushButton::clicked, this, [this] {
    close();
    Q_EMIT tourAsked();
  });
  connect(m_copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(supportText());
    m_copy->setText(m_desktop.words.text("help.copied"));
  });
  connect(m_close, &QPushButton::clicked, this, &QDialog::close);
  connect(&desktop.words, &Words::changed, this, &Help::retext);
  connect(&desktop.theme, &Theme::changed, this, &Help::restyle);
  resize(desktop.theme.px(kWidth), desktop.theme.px(kHeight));
  retext();
}

void Help::addPage(QWidget* content) {
  auto* scroll = new QScrollArea(m_pages);
  auto* inner = makePanel("plain");
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(4, 8, 4, 8);
  column->addWidget(content);
  column->addStretch(1);
  scroll->setWidget(inner);
  scroll->setWidgetResizable(true);
  scroll->setProperty("role", "reading");
  scroll->setFocusPolicy(Qt::StrongFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_pages->addWidget(scroll);
}

Help::Page Help::page() const {
  return static_cast<Page>(m_pages->currentIndex());
}

void Help::showPage(Page page) {
  fill(page);
  m_tabs[page]->setChecked(true);
  m_pages->setCurrentIndex(page);
  m_copy->setText(m_desktop.words.text("help.copy"));
  show();
  raise();
  activateWindow();
  m_pages->currentWidget()->setFocus(Qt::OtherFocusReason);
}

void Help::fill(Page page) {
  const auto& words = m_desktop.words;
  switch (page) {
    case Keys:
      m_keys->setActions(actionsOf(*m_window));
      break;
    case Figures:
      m_texts[0]->setText(words.text("help.figures.text"));
      break;
    case Authors:
      m_texts[1]->setText(words.text("help.authors.text") + QStringLiteral("\n\n") +
                          QString::fromStdString(lab::reference(words.language())));
      break;
    default:
      m_texts[2]->setText(about());
  }
}

QString Help::about() const {
  const auto& words = m_desktop.words;
  const auto& machine = m_desktop.learn.machine();
  const auto torch = machine.is_object() ? machine.find("torch") : machine.end();
  const bool known = machine.is_object() && torch != machine.end() && torch->is_string();
  return words.text(
      wire::Message{"help.about.text",
                    {{"version", QCoreApplication::applicationVersion().toStdString()},
                     {"qt", qVersion()},
                     {"plot", QCUSTOMPLOT_VERSION_STR},
                     {"torch", known ? torch->get<std::string>() : words.catalog().text(std::string("help.about.no_torch"))},
                     {"home", m_desktop.home.string()}}});
}

QString Help::supportText() const {
  const auto& learn = m_desktop.learn;
  SupportFacts facts;
  facts.version = QCoreApplication::applicationVersion();
  facts.language = QString::fromStdString(m_desktop.words.language());
  facts.theme = Theme::modeName(m_desktop.theme.mode());
  facts.machine = learn.machine();
  if (const auto* failed = learn.failure()) facts.last_error = wire::Error{failed->code, failed->messages};
  else if (const auto* none = learn.schemaError()) facts.last_error = *none;
  facts.learner = learn.learner();
  facts.home = QString::fromStdString(m_desktop.home.string());
  return app::supportText(facts, m_desktop.words.catalog());
}

void Help::retext() {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("help.title"));
  for (int page = 0; page < PageCount; ++page) m_tabs[page]->setText(words.text(kTitles[static_cast<std::size_t>(page)]));
  for (int page = 0; page < PageCount; ++page)
    m_pages->widget(page)->setAccessibleName(words.text(kTitles[static_cast<std::size_t>(page)]));
  m_tour->setText(words.text("help.tour"));
  m_copy->setText(words.text("help.copy"));
  m_copy->setToolTip(words.text("help.copy.note"));
  m_close->setText(words.text("app.close"));
  if (isVisible()) fill(page());
}

void Help::restyle() {
  for (auto* text : m_texts) text->restyle();
}

}  // namespace atelier::app
