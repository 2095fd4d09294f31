#include "class_lab_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/class_book.h"
#include "app/models/class_figures.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "dot_plot.h"

namespace atelier::app {

namespace {

// A figure of several: which one is chosen stays chosen while the class goes on.
template <class Entry>
void fill(QComboBox& box, const std::vector<Entry>& entries, const lab::LabRollUp& lab) {
  const QSignalBlocker guard(box);
  const auto chosen = box.currentData().toString();
  box.clear();
  for (const auto& entry : entries)
    box.addItem(ClassFigures::stepTitle(lab, entry.step),
                QString::fromStdString(lab.lab + "/" + entry.step + "/" + entry.quantity));
  box.setCurrentIndex(std::max(0, box.findData(chosen)));
  box.setVisible(entries.size() > 1);
}

QHBoxLayout* headed(QLabel* title, QComboBox* choice) {
  auto* row = new QHBoxLayout;
  // A long step's title must not widen the panel.
  choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  choice->setMinimumContentsLength(12);
  row->addWidget(title, 1);
  row->addWidget(choice, 1);
  return row;
}

}  // namespace

ClassLabPanel::ClassLabPanel(const Theme& theme, const ClassBook& book, const Words& words, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_book(book), m_words(words) {
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("h1", this));
  column->addWidget(m_summary = makeLabel("soft", this));
  column->addWidget(m_stuckTitle = makeLabel("warn", this));
  column->addWidget(m_stuck = makeLabel("body", this));
  column->addSpacing(8);
  column->addLayout(headed(m_gainsTitle = makeLabel("h2", this), m_gainStep = new QComboBox(this)));
  column->addWidget(m_gains = new DotPlot(theme, this));
  column->addWidget(m_gainsText = makeLabel("soft", this));
  column->addSpacing(8);
  column->addLayout(headed(m_predictionsTitle = makeLabel("h2", this), m_predictionStep = new QComboBox(this)));
  column->addWidget(m_predictions = new DotPlot(theme, this));
  column->addWidget(m_predictionsText = makeLabel("soft", this));
  column->addSpacing(8);
  column->addWidget(m_checksTitle = makeLabel("h2", this));
  column->addLayout(m_checks = new QGridLayout);
  m_checks->setColumnStretch(1, 1);
  m_checks->setHorizontalSpacing(12);
  column->addStretch(1);
  for (auto* box : {m_gainStep, m_predictionStep}) {
    guardWheel(box);
    connect(box, &QComboBox::currentIndexChanged, this, &ClassLabPanel::refresh);
  }
  refresh();
}

void ClassLabPanel::showLab(const std::string& lab) {
  m_lab = lab;
  refresh();
}

void ClassLabPanel::refresh() {
  if (!m_book.find(m_lab) && !m_book.content().labs.empty()) m_lab = m_book.content().labs.front().lab;
  const auto* shown = m_book.find(m_lab);
  setVisible(shown);
  if (!shown) return;
  m_title->setText(QString::fromStdString(shown->number + "  " + shown->title));
  m_summary->setText(ClassFigures(m_book, m_words).summary(*shown));
  m_gainsTitle->setText(m_words.text("classview.gains"));
  m_predictionsTitle->setText(m_words.text("classview.predictions"));
  m_checksTitle->setText(m_words.text("classview.checks"));
  name(m_gainStep, m_words.text("classview.gain_step"));
  name(m_predictionStep, m_words.text("classview.prediction_step"));
  fillSteps(*shown);
  showStuck(*shown);
  showGains(*shown);
  showPredictions(*shown);
  showChecks(*shown);
}

void ClassLabPanel::fillSteps(const lab::LabRollUp& shown) {
  fill(*m_gainStep, shown.measured, shown);
  fill(*m_predictionStep, shown.predictions, shown);
}

void ClassLabPanel::showStuck(const lab::LabRollUp& shown) {
  const auto lines = ClassFigures(m_book, m_words).stuck(shown);
  showText(m_stuckTitle, lines.isEmpty() ? QString() : QStringLiteral("▲ ") + m_words.text("classview.stuck"));
  showText(m_stuck, lines.join(QLatin1Char('\n')));
}

void ClassLabPanel::showGains(const lab::LabRollUp& shown) {
  const auto at = static_cast<std::size_t>(std::max(0, m_gainStep->currentIndex()));
  const bool any = at < shown.measured.size();
  m_gains->setVisible(any);
  m_gainsText->setText(m_words.text("classview.no_gain"));
  if (!any) return;
  m_gains->setFigure(ClassFigures(m_book, m_words).gains(shown.measured[at], shown));
  m_gainsText->setText(m_gains->figure().summary);
}

void ClassLabPanel::showPredictions(const lab::LabRollUp& shown) {
  const auto at = static_cast<std::size_t>(std::max(0, m_predictionStep->currentIndex()));
  const bool any = at < shown.predictions.size();
  m_predictionsTitle->setVisible(any);
  m_predictionsText->setVisible(any);
  m_predictions->setVisible(any && !shown.predictions[at].points.empty());
  if (!any) return;
  m_predictions->setFigure(ClassFigures(m_book, m_words).predictions(shown.predictions[at], shown));
  m_predictionsText->setText(m_predictions->figure().summary);
}

void ClassLabPanel::showChecks(const lab::LabRollUp& shown) {
  constexpr int kBar = 120, kWhole = 1000;
  clearLayout(m_checks);
  const auto shares = ClassFigures(m_book, m_words).checks(shown);
  m_checksTitle->setVisible(!shares.isEmpty());
  for (int row = 0; row < shares.size(); ++row) {
    auto* label = makeLabel("body", this);
    auto* bar = new QProgressBar(this);
    auto* text = makeLabel("soft", this);
    label->setText(shares[row].name);
    bar->setRange(0, kWhole);
    bar->setValue(static_cast<int>(shares[row].share * kWhole));
    bar->setTextVisible(false);
    bar->setFixedWidth(m_theme.px(kBar));
    name(bar, shares[row].name + QStringLiteral(": ") + shares[row].text);
    text->setText(shares[row].text);
    m_checks->addWidget(label, 2 * row, 0, 1, 2);
    m_checks->addWidget(bar, 2 * row + 1, 0);
    m_checks->addWidget(text, 2 * row + 1, 1);
  }
}

void ClassLabPanel::restyle() {
  m_gains->restyle();
  m_predictions->restyle();
  refresh();
}

}  // namespace atelier::app
