#include "settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/views/learn/parts.h"
#include "core/registry/home.h"
#include "theme.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 640, kHeight = 680;
constexpr auto kHome = "home";

QHBoxLayout* rowOf(std::initializer_list<QWidget*> widgets) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  for (auto* widget : widgets) row->addWidget(widget);
  row->addStretch(1);
  return row;
}

}  // namespace

const QVector<SettingsDialog::Field>& SettingsDialog::fields() {
  static const QVector<Field> all{{Preferences::kLanguage, "settings.language"},
                                  {Preferences::kTheme, "settings.theme"},
                                  {Preferences::kTextSize, "settings.text_size"},
                                  {Preferences::kReducedMotion, "settings.motion"},
                                  {Preferences::kThreads, "settings.threads"},
                                  {Preferences::kBudget, "settings.budget"},
                                  {Preferences::kLearner, "settings.learner"},
                                  {Preferences::kResults, "settings.results"},
                                  {kHome, "settings.home"}};
  return all;
}

SettingsDialog::SettingsDialog(const Desktop& desktop, QWidget* parent)
    : QDialog(parent), m_desktop(desktop), m_preferences(desktop.settings) {
  m_chooseFolder = [this](const QString& title, const QString& from) {
    return QFileDialog::getExistingDirectory(this, title, from);
  };
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 16, 20, 16);
  column->setSpacing(12);
  auto* scroll = new QScrollArea(this);
  m_content = makePanel("plain");
  auto* sections = new QVBoxLayout(m_content);
  sections->setSpacing(20);
  sections->setContentsMargins(4, 0, 12, 0);
  scroll->setWidget(m_content);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(scroll, 1);
  buildLook();
  buildRuns();
  buildClass();
  buildHome();
  sections->addStretch(1);
  auto* foot = new QHBoxLayout;
  column->addLayout(foot);
  foot->addWidget(m_reset = makeButton("", this));
  foot->addStretch(1);
  foot->addWidget(m_close = makeButton("", this));
  connect(m_reset, &QPushButton::clicked, this, [this] { m_preferences.reset(); });
  connect(m_close, &QPushButton::clicked, this, &QDialog::close);
  connect(&desktop.settings, &Settings::changed, this, &SettingsDialog::refresh);
  connect(&desktop.words, &Words::changed, this, &SettingsDialog::retext);
  resize(desktop.theme.px(kWidth), desktop.theme.px(kHeight));
  retext();
}

QGridLayout* SettingsDialog::section(const char* title) {
  auto* heading = makeLabel("overline", m_content);
  m_headings.append({heading, title});
  auto* box = new QVBoxLayout;
  box->setSpacing(8);
  box->addWidget(heading);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(8);
  grid->setColumnStretch(0, 2);
  grid->setColumnStretch(1, 3);
  box->addLayout(grid);
  static_cast<QVBoxLayout*>(m_content->layout())->addLayout(box);
  return grid;
}

void SettingsDialog::addRow(QGridLayout* grid, const Field& field, QWidget* widget) {
  auto* label = makeLabel("body", m_content);
  label->setBuddy(widget);
  const int row = grid->rowCount();
  grid->addWidget(label, row, 0);
  grid->addWidget(widget, row, 1);
  m_rows.append({QLatin1String(field.key), label, widget, field.text});
}

void SettingsDialog::addNote(QGridLayout* grid, QLabel*& note) {
  note = makeLabel("soft", m_content);
  grid->addWidget(note, grid->rowCount(), 0, 1, 2);
}

void SettingsDialog::buildLook() {
  auto* grid = section("settings.look");
  const auto& field = fields();
  addRow(grid, field[0], m_language = new QComboBox(m_content));
  addRow(grid, field[1], m_theme = new QComboBox(m_content));
  addRow(grid, field[2], m_textSize = new QComboBox(m_content));
  addRow(grid, field[3], m_motion = new QCheckBox(m_content));
  for (auto* box : {m_language, m_theme, m_textSize}) guardWheel(box);
  connect(m_language, &QComboBox::activated, this,
          [this](int row) { m_preferences.setLanguage(m_language->itemData(row).toString()); });
  connect(m_theme, &QComboBox::activated, this, [this](int row) { m_preferences.setTheme(m_theme->itemData(row).toString()); });
  connect(m_textSize, &QComboBox::activated, this,
          [this](int row) { m_preferences.setTextSize(m_textSize->itemData(row).toInt()); });
  connect(m_motion, &QCheckBox::toggled, this, [this](bool reduced) { m_preferences.setReducedMotion(reduced); });
}

void SettingsDialog::buildRuns() {
  auto* grid = section("settings.runs");
  addRow(grid, fields()[4], m_threads = new QSpinBox(m_content));
  m_threads->setRange(0, Preferences::kMostThreads);
  guardWheel(m_threads);
  addRow(grid, fields()[5], m_budget = new QLineEdit(m_content));
  grid->addWidget(m_budgetError = makeLabel("bad", m_content), grid->rowCount(), 1);
  m_budgetError->hide();
  addNote(grid, m_runsNote);
  connect(m_threads, &QSpinBox::valueChanged, this, [this](int count) { m_preferences.setThreads(count); });
  connect(m_budget, &QLineEdit::editingFinished, this, &SettingsDialog::takeBudget);
}

void SettingsDialog::buildClass() {
  auto* grid = section("settings.class");
  addRow(grid, fields()[6], m_learner = new QLineEdit(m_content));
  addRow(grid, fields()[7], m_results = new QLineEdit(m_content));
  m_results->setReadOnly(true);
  m_chooseResults = makeButton("", m_content);
  m_noResults = makeButton("link", m_content);
  grid->addLayout(rowOf({m_chooseResults, m_noResults}), grid->rowCount(), 1);
  addNote(grid, m_classNote);
  connect(m_learner, &QLineEdit::editingFinished, this, [this] { m_preferences.setLearner(m_learner->text()); });
  connect(m_chooseResults, &QPushButton::clicked, this, &SettingsDialog::chooseResults);
  connect(m_noResults, &QPushButton::clicked, this, [this] { m_preferences.setResultsFolder(QString()); });
}

void SettingsDialog::buildHome() {
  auto* grid = section("settings.data");
  addRow(grid, fields()[8], m_home = new QLineEdit(m_content));
  m_home->setReadOnly(true);
  m_openHome = makeButton("", m_content);
  m_chooseHome = makeButton("", m_content);
  m_usualHome = makeButton("link", m_content);
  grid->addLayout(rowOf({m_openHome, m_chooseHome, m_usualHome}), grid->rowCount(), 1);
  grid->addWidget(m_homeError = makeLabel("bad", m_content), grid->rowCount(), 0, 1, 2);
  m_homeError->hide();
  addNote(grid, m_homeNote);
  connect(m_openHome, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(m_desktop.home.string()))); });
  connect(m_chooseHome, &QPushButton::clicked, this, [this] {
    const auto folder = m_chooseFolder(m_desktop.words.text("settings.home.choose"),
                                       QString::fromStdString(m_desktop.home.parent_path().string()));
    if (!folder.isEmpty()) chooseHome(folder);
  });
  connect(m_usualHome, &QPushButton::clicked, this, [this] { chooseHome(QString()); });
}

void SettingsDialog::takeBudget() {
  const bool understood = m_preferences.setMemoryBudget(m_budget->text());
  showText(m_budgetError, understood ? QString() : m_desktop.words.text("settings.budget.wrong"));
}

void SettingsDialog::chooseResults() {
  const auto folder = m_chooseFolder(m_desktop.words.text("settings.results.choose"), m_preferences.resultsFolder());
  if (!folder.isEmpty()) m_preferences.setResultsFolder(QDir::cleanPath(folder));
}

void SettingsDialog::chooseHome(const QString& folder) {
  const auto chosen = registry::chooseHome(folder.toStdString());
  showText(m_homeError, chosen ? QString() : m_desktop.words.text(chosen.error().messages));
  showHome();
}

// Where the data lies now, and what the next start will find.
void SettingsDialog::showHome() {
  const auto& words = m_desktop.words;
  const auto native = [](const std::filesystem::path& path) {
    return QDir::toNativeSeparators(QString::fromStdString(path.string()));
  };
  m_home->setText(native(m_desktop.home));
  const bool fixed = qEnvironmentVariableIsSet("ATELIER_HOME");
  const auto chosen = registry::chosenHome();
  const auto next = chosen.empty() ? registry::usualHome() : chosen;
  m_chooseHome->setEnabled(!fixed);
  m_usualHome->setEnabled(!fixed && !chosen.empty());
  if (fixed) m_homeNote->setText(words.text("settings.home.fixed"));
  else if (next == m_desktop.home) m_homeNote->setText(words.text("settings.home.note"));
  else m_homeNote->setText(words.text(wire::Message{"settings.home.next", {{"folder", native(next).toStdString()}}}));
}

void SettingsDialog::fillChoices() {
  const auto& words = m_desktop.words;
  const QSignalBlocker a(m_language), b(m_theme), c(m_textSize);
  for (auto* box : {m_language, m_theme, m_textSize}) box->clear();
  m_language->addItem(QStringLiteral("English"), QStringLiteral("en"));
  m_language->addItem(QStringLiteral("Français"), QStringLiteral("fr"));
  m_theme->addItem(words.text("settings.theme.light"), QStringLiteral("light"));
  m_theme->addItem(words.text("settings.theme.dark"), QStringLiteral("dark"));
  m_theme->addItem(words.text("settings.theme.contrast"), QStringLiteral("contrast"));
  for (int size = Preferences::kLeastText; size <= Preferences::kLargestText; size += Preferences::kTextStep)
    m_textSize->addItem(QString::fromStdString(words.format().percent(size / 100.0, 0)), size);
}

void SettingsDialog::refresh() {
  const QSignalBlocker a(m_motion), b(m_threads), c(m_language), d(m_theme), e(m_textSize);
  m_language->setCurrentIndex(m_language->findData(QString::fromStdString(m_desktop.words.language())));
  m_theme->setCurrentIndex(m_theme->findData(Theme::modeName(m_desktop.theme.mode())));
  m_textSize->setCurrentIndex(std::max(0, m_textSize->findData(m_preferences.textSize())));
  m_motion->setChecked(m_preferences.reducedMotion());
  m_threads->setValue(m_preferences.threads());
  m_budget->setText(m_preferences.memoryBudget());
  m_budgetError->hide();
  m_learner->setText(m_desktop.learn.learner());
  m_results->setText(QDir::toNativeSeparators(m_preferences.resultsFolder()));
  m_noResults->setEnabled(!m_preferences.resultsFolder().isEmpty());
  showHome();
}

void SettingsDialog::retext() {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("settings.title"));
  for (const auto& [heading, id] : m_headings) heading->setText(words.text(id));
  for (const auto& row : m_rows) {
    row.label->setText(words.text(row.text));
    name(row.field, words.text(row.text));
  }
  m_motion->setText(words.text("settings.motion.note"));
  m_threads->setSpecialValueText(words.text("settings.threads.auto"));
  m_budget->setPlaceholderText(words.text("settings.budget.none"));
  m_learner->setPlaceholderText(words.text("settings.learner.none"));
  m_results->setPlaceholderText(words.text("settings.results.none"));
  m_runsNote->setText(words.text("settings.runs.note"));
  m_classNote->setText(words.text("settings.class.note"));
  m_chooseResults->setText(words.text("settings.choose"));
  m_noResults->setText(words.text("settings.results.stop"));
  m_openHome->setText(words.text("settings.open"));
  m_chooseHome->setText(words.text("settings.choose"));
  m_usualHome->setText(words.text("settings.home.usual"));
  m_reset->setText(words.text("settings.reset"));
  m_close->setText(words.text("app.close"));
  fillChoices();
  refresh();
}

void SettingsDialog::showField(const QString& key) {
  refresh();
  show();
  raise();
  activateWindow();
  for (const auto& row : m_rows)
    if (row.key == key) row.field->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace atelier::app
