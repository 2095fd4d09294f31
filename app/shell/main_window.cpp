#include "main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMessageBox>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

#include "actions.h"
#include "app/models/learn_model.h"
#include "app/models/learn_texts.h"
#include "app/models/run_desk.h"
#include "app/models/settings.h"
#include "app/models/words.h"
#include "comfort.h"
#include "presenter.h"
#include "theme.h"

namespace atelier::app {

namespace {

constexpr int kHeaderHeight = 52, kWidth = 1440, kHeight = 860, kLeastWidth = 960, kLeastHeight = 600;
// The engine is killed 10 s after it was asked to stop; by then the run has ended in any case.
constexpr int kLongestStop = 12'000;

QToolButton* headerButton(QWidget* parent, const char* role) {
  auto* button = new QToolButton(parent);
  button->setProperty("role", role);
  button->setFocusPolicy(Qt::StrongFocus);
  return button;
}

}  // namespace

MainWindow::MainWindow(const Desktop& desktop) : m_desktop(desktop) {
  // The only style that follows a style sheet alike on every desktop.
  QApplication::setStyle(QStringLiteral("Fusion"));
  auto* centre = new QWidget(this);
  centre->setProperty("role", "window");
  centre->setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_views = new QStackedWidget(centre);
  column->addWidget(m_header = buildHeader());
  column->addWidget(m_views, 1);
  setCentralWidget(centre);
  setMinimumSize(kLeastWidth, kLeastHeight);
  resize(kWidth, kHeight);
  buildActions();
  m_presenter = new Presenter(m_desktop, *this);
  connect(&m_desktop.theme, &Theme::changed, this, &MainWindow::restyle);
  connect(&m_desktop.words, &Words::changed, this, &MainWindow::retext);
  connect(&m_desktop.learn, &LearnModel::machineChanged, this, &MainWindow::showMachine);
  new Comfort(m_desktop, *this);
  restore();
  restyle();
  retext();
  // No control is marked before the keyboard is used.
  setFocusPolicy(Qt::StrongFocus);
  setFocus();
}

QWidget* MainWindow::buildHeader() {
  auto* header = new QWidget;
  header->setProperty("role", "header");
  header->setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(16, 0, 12, 0);
  row->setSpacing(4);
  m_brand = new QLabel(header);
  m_brand->setProperty("role", "brand");
  m_machine = new QLabel(header);
  m_machine->setProperty("role", "soft");
  m_language = headerButton(header, "");
  m_mode = headerButton(header, "");
  m_present = new QPushButton(header);
  m_present->setCheckable(true);
  row->addWidget(m_brand);
  row->addSpacing(16);
  buildViews(*row);
  row->addStretch(1);
  row->addWidget(m_machine);
  row->addSpacing(12);
  row->addWidget(m_language);
  row->addWidget(m_mode);
  row->addWidget(m_present);
  connect(m_language, &QToolButton::clicked, this, &MainWindow::toggleLanguage);
  connect(m_mode, &QToolButton::clicked, this, &MainWindow::toggleTheme);
  connect(m_present, &QPushButton::toggled, this, &MainWindow::setPresenting);
  return header;
}

void MainWindow::buildViews(QHBoxLayout& row) {
  auto units = allViews();
  std::sort(units.begin(), units.end(), [](const ViewUnit& a, const ViewUnit& b) { return a.order < b.order; });
  for (const auto& unit : units) {
    Tab tab{unit.id, headerButton(this, "tab"), unit.make(m_desktop, m_views)};
    tab.button->setCheckable(true);
    tab.button->setAutoExclusive(true);
    tab.button->setObjectName(QString::fromStdString("tab." + unit.id));
    m_views->addWidget(tab.view);
    row.addWidget(tab.button);
    connect(tab.button, &QToolButton::clicked, this, [this, tab] { showTab(tab); });
    m_tabs.append(tab);
    tab.view->showElsewhere = [this](const std::string& id, const QString& run) {
      if (auto* other = view(id); other && (run.isEmpty() || other->showRun(run))) showView(id);
    };
  }
  if (!m_tabs.isEmpty()) m_tabs.first().button->setChecked(true);
}

void MainWindow::buildActions() {
  const auto& words = m_desktop.words;
  makeAction(this, words, "present", {Qt::Key_F5}, [this] { m_present->toggle(); });
  makeAction(this, words, "language", {}, [this] { toggleLanguage(); });
  makeAction(this, words, "theme", {}, [this] { toggleTheme(); });
  makeAction(this, words, "quit", {QKeySequence(QKeySequence::Quit)}, [this] { close(); });
  int number = 0;
  for (const auto& tab : m_tabs)
    makeAction(this, words, "tab." + tab.id, {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + number++))},
               [this, tab] { showTab(tab); });
  m_pageKeys = {makeAction(this, words, "page.next", {Qt::Key_PageDown}, [this] { current()->page(1); }),
                makeAction(this, words, "page.back", {Qt::Key_PageUp}, [this] { current()->page(-1); })};
  for (auto* key : m_pageKeys) key->setEnabled(false);
}

View* MainWindow::current() const {
  return static_cast<View*>(m_views->currentWidget());
}

View* MainWindow::view(const std::string& id) const {
  for (const auto& tab : m_tabs)
    if (tab.id == id) return tab.view;
  return nullptr;
}

bool MainWindow::showView(const std::string& id) {
  for (const auto& tab : m_tabs)
    if (tab.id == id) {
      showTab(tab);
      return true;
    }
  for (const auto& tab : m_tabs)
    if (tab.view->showPage(id)) {
      showTab(tab);
      return true;
    }
  return false;
}

void MainWindow::showTab(const Tab& tab) {
  tab.button->setChecked(true);
  m_views->setCurrentWidget(tab.view);
  tab.view->shown();
  m_desktop.settings.set(QStringLiteral("window/view"), QString::fromStdString(tab.id));
}

void MainWindow::retext() {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("app.name"));
  m_brand->setText(words.text("app.name"));
  for (const auto& tab : m_tabs) tab.button->setText(words.text("app.tab." + tab.id));
  m_language->setText(words.language() == "fr" ? QStringLiteral("FR") : QStringLiteral("EN"));
  m_language->setToolTip(words.text("app.language"));
  m_language->setAccessibleName(words.text("app.language"));
  m_mode->setToolTip(words.text("app.theme"));
  m_mode->setAccessibleName(words.text("app.theme"));
  m_present->setText(words.text("app.present"));
  m_present->setToolTip(words.text("app.present.help"));
  m_present->setAccessibleName(words.text("app.present"));
  showMachine();
}

void MainWindow::showMachine() {
  if (m_closing) {
    m_machine->setText(m_desktop.words.text("app.closing"));
    m_machine->show();
    return;
  }
  const auto& words = m_desktop.words;
  m_machine->setText(LearnTexts(words.catalog(), words.format()).machine(m_desktop.learn.machine()));
}

void MainWindow::restyle() {
  qApp->setFont(m_desktop.theme.font(13));
  qApp->setStyleSheet(m_desktop.theme.styleSheet());
  m_header->setFixedHeight(m_desktop.theme.px(kHeaderHeight));
  const bool dark = m_desktop.theme.isDark();
  m_mode->setIcon(m_desktop.theme.icon(dark ? QStringLiteral("sun") : QStringLiteral("moon"), m_desktop.theme.tokens().soft));
  m_mode->setIconSize(QSize(m_desktop.theme.px(16), m_desktop.theme.px(16)));
}

void MainWindow::toggleLanguage() {
  m_desktop.words.setLanguage(m_desktop.words.language() == "fr" ? "en" : "fr");
  m_desktop.settings.set(QStringLiteral("window/language"), QString::fromStdString(m_desktop.words.language()));
}

void MainWindow::toggleTheme() {
  const bool dark = m_desktop.theme.isDark();
  m_desktop.theme.setMode(dark ? Theme::Mode::Light : Theme::Mode::Dark);
  m_desktop.settings.set(QStringLiteral("window/theme"), dark ? QStringLiteral("light") : QStringLiteral("dark"));
}

void MainWindow::setPresenting(bool presenting) {
  if (presenting == m_presenting) return;
  m_presenting = presenting;
  m_present->setChecked(presenting);
  for (auto* key : m_pageKeys) key->setEnabled(presenting);
  m_machine->setVisible(!presenting);
  for (const auto& tab : m_tabs) tab.view->setPresenting(presenting);
  m_desktop.theme.setScale(presenting ? Theme::kPresenterScale : 1.0);
  m_presenter->setActive(presenting);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (m_presenting && event->key() == Qt::Key_Escape) setPresenting(false);
  else QMainWindow::keyPressEvent(event);
}

// What else was preferred is in effect already, see Comfort.
void MainWindow::restore() {
  showView(m_desktop.settings.value(QStringLiteral("window/view")).toString().toStdString());
}

// A run is stopped first and leaves its record before the window goes.
bool MainWindow::mayClose() {
  if (m_waited || !m_desktop.desk.busy()) return true;
  if (m_closing) return false;
  QMessageBox question(QMessageBox::Question, m_desktop.words.text("app.name"), m_desktop.words.text("app.close_running"),
                       QMessageBox::NoButton, this);
  const auto* stop = question.addButton(m_desktop.words.text("app.stop_and_close"), QMessageBox::DestructiveRole);
  question.setDefaultButton(question.addButton(m_desktop.words.text("app.cancel"), QMessageBox::RejectRole));
  question.exec();
  if (question.clickedButton() != stop) return false;
  // It may have ended while the question stood there.
  if (!m_desktop.desk.busy()) return true;
  closeOnceEnded();
  return false;
}

void MainWindow::closeOnceEnded() {
  m_closing = true;
  showMachine();
  m_desktop.desk.clear();
  connect(&m_desktop.desk, &RunDesk::changed, this, [this] {
    if (!m_desktop.desk.busy()) QTimer::singleShot(0, this, &QWidget::close);
  });
  QTimer::singleShot(kLongestStop, this, [this] {
    m_waited = true;
    close();
  });
  m_desktop.desk.stop();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  event->setAccepted(mayClose());
}

}  // namespace atelier::app
