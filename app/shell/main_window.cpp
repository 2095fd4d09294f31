#include "main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMessageBox>
#include <QSettings>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

#include "app/models/learn_texts.h"
#include "app/views/learn/learn_view.h"

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

MainWindow::MainWindow(Parts parts) : m_theme(parts.theme), m_learn(parts.learn), m_settings(std::move(parts.settings)) {
  // The only style that follows a style sheet alike on every desktop.
  QApplication::setStyle(QStringLiteral("Fusion"));
  auto* centre = new QWidget(this);
  centre->setProperty("role", "window");
  centre->setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_header = buildHeader());
  m_views = new QStackedWidget(centre);
  m_views->addWidget(m_view = new LearnView(m_theme, m_learn, m_views));
  column->addWidget(m_views, 1);
  setCentralWidget(centre);
  setMinimumSize(kLeastWidth, kLeastHeight);
  resize(kWidth, kHeight);
  buildShortcuts();
  connect(&m_theme, &Theme::changed, this, &MainWindow::restyle);
  connect(&m_learn, &LearnModel::languageChanged, this, &MainWindow::retext);
  connect(&m_learn, &LearnModel::machineChanged, this, &MainWindow::showMachine);
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
  m_learnTab = headerButton(header, "tab");
  m_learnTab->setCheckable(true);
  m_learnTab->setChecked(true);
  m_learnTab->setAutoExclusive(true);
  m_language = headerButton(header, "");
  m_mode = headerButton(header, "");
  m_present = new QPushButton(header);
  m_present->setCheckable(true);
  row->addWidget(m_brand);
  row->addSpacing(16);
  row->addWidget(m_learnTab);
  row->addStretch(1);
  row->addWidget(m_machine);
  row->addSpacing(12);
  row->addWidget(m_language);
  row->addWidget(m_mode);
  row->addWidget(m_present);
  connect(m_learnTab, &QToolButton::clicked, this, [this] { m_views->setCurrentWidget(m_view); });
  connect(m_language, &QToolButton::clicked, this, &MainWindow::toggleLanguage);
  connect(m_mode, &QToolButton::clicked, this, &MainWindow::toggleTheme);
  connect(m_present, &QPushButton::toggled, this, &MainWindow::setPresenting);
  return header;
}

void MainWindow::buildShortcuts() {
  const auto shortcut = [this](const QKeySequence& keys, auto action) {
    auto* made = new QShortcut(keys, this);
    connect(made, &QShortcut::activated, this, action);
    return made;
  };
  shortcut(QKeySequence(Qt::Key_F5), [this] { m_present->toggle(); });
  shortcut(QKeySequence(Qt::CTRL | Qt::Key_R), [this] { m_learn.run(); });
  shortcut(QKeySequence(Qt::ALT | Qt::Key_Right), [this] { m_learn.go(1); });
  shortcut(QKeySequence(Qt::ALT | Qt::Key_Left), [this] { m_learn.go(-1); });
  shortcut(QKeySequence::Quit, [this] { close(); });
  m_pageKeys = {shortcut(QKeySequence(Qt::Key_PageDown), [this] { m_view->page(1); }),
                shortcut(QKeySequence(Qt::Key_PageUp), [this] { m_view->page(-1); })};
  for (auto* key : m_pageKeys) key->setEnabled(false);
}

void MainWindow::retext() {
  setWindowTitle(m_learn.text("app.name"));
  m_brand->setText(m_learn.text("app.name"));
  m_learnTab->setText(m_learn.text("app.tab.learn"));
  const bool french = m_learn.language() == "fr";
  m_language->setText(french ? QStringLiteral("FR") : QStringLiteral("EN"));
  m_language->setToolTip(m_learn.text("app.language"));
  m_language->setAccessibleName(m_learn.text("app.language"));
  m_mode->setToolTip(m_learn.text("app.theme"));
  m_mode->setAccessibleName(m_learn.text("app.theme"));
  m_present->setText(m_learn.text("app.present"));
  m_present->setToolTip(m_learn.text("app.present.help"));
  m_present->setAccessibleName(m_learn.text("app.present"));
  showMachine();
}

void MainWindow::showMachine() {
  if (m_closing) {
    m_machine->setText(m_learn.text("app.closing"));
    m_machine->show();
    return;
  }
  m_machine->setText(LearnTexts(m_learn.catalog(), m_learn.format()).machine(m_learn.machine()));
}

void MainWindow::restyle() {
  qApp->setFont(m_theme.font(13));
  qApp->setStyleSheet(m_theme.styleSheet());
  m_header->setFixedHeight(m_theme.px(kHeaderHeight));
  const bool dark = m_theme.mode() == Theme::Mode::Dark;
  m_mode->setIcon(m_theme.icon(dark ? QStringLiteral("sun") : QStringLiteral("moon"), m_theme.tokens().soft));
  m_mode->setIconSize(QSize(m_theme.px(16), m_theme.px(16)));
}

void MainWindow::toggleLanguage() {
  m_learn.setLanguage(m_learn.language() == "fr" ? "en" : "fr");
}

void MainWindow::toggleTheme() {
  m_theme.setMode(m_theme.mode() == Theme::Mode::Dark ? Theme::Mode::Light : Theme::Mode::Dark);
}

void MainWindow::setPresenting(bool presenting) {
  if (presenting == m_presenting) return;
  m_presenting = presenting;
  m_present->setChecked(presenting);
  for (auto* key : m_pageKeys) key->setEnabled(presenting);
  m_machine->setVisible(!presenting);
  m_view->setPresenting(presenting);
  m_theme.setScale(presenting ? Theme::kPresenterScale : 1.0);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (m_presenting && event->key() == Qt::Key_Escape) setPresenting(false);
  else QMainWindow::keyPressEvent(event);
}

void MainWindow::restore() {
  if (m_settings.isEmpty()) return;
  const QSettings settings(m_settings, QSettings::IniFormat);
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  const auto theme = settings.value(QStringLiteral("window/theme")).toString();
  if (!theme.isEmpty()) m_theme.setMode(theme == QLatin1String("dark") ? Theme::Mode::Dark : Theme::Mode::Light);
  const auto language = settings.value(QStringLiteral("window/language")).toString();
  if (!language.isEmpty()) m_learn.setLanguage(language.toStdString());
}

void MainWindow::remember() const {
  if (m_settings.isEmpty()) return;
  QSettings settings(m_settings, QSettings::IniFormat);
  settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
  const bool dark = m_theme.mode() == Theme::Mode::Dark;
  settings.setValue(QStringLiteral("window/theme"), dark ? QStringLiteral("dark") : QStringLiteral("light"));
  settings.setValue(QStringLiteral("window/language"), QString::fromStdString(m_learn.language()));
}

// A run is stopped first and leaves its record before the window goes.
bool MainWindow::mayClose() {
  if (m_waited || !m_learn.running()) return true;
  if (m_closing) return false;
  QMessageBox question(QMessageBox::Question, m_learn.text("app.name"), m_learn.text("app.close_running"),
                       QMessageBox::NoButton, this);
  const auto* stop = question.addButton(m_learn.text("app.stop_and_close"), QMessageBox::DestructiveRole);
  question.setDefaultButton(question.addButton(m_learn.text("app.cancel"), QMessageBox::RejectRole));
  question.exec();
  if (question.clickedButton() != stop) return false;
  // It may have ended while the question stood there.
  if (!m_learn.running()) return true;
  closeOnceEnded();
  return false;
}

void MainWindow::closeOnceEnded() {
  m_closing = true;
  showMachine();
  connect(&m_learn, &LearnModel::runChanged, this, [this] {
    if (!m_learn.running()) QTimer::singleShot(0, this, &QWidget::close);
  });
  QTimer::singleShot(kLongestStop, this, [this] {
    m_waited = true;
    close();
  });
  m_learn.stop();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayClose()) {
    event->ignore();
    return;
  }
  remember();
  event->accept();
}

}  // namespace atelier::app
