#include "sweep_setup.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "axis_editor.h"
#include "job_bar.h"
#include "spec_form.h"

namespace atelier::app {

SweepSetup::SweepSetup(const Desktop& desktop, SweepModel& model, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_model(model) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(8);
  column->addWidget(m_title = makeLabel("h2", this));
  buildAxes(*column);
  column->addWidget(m_base = makeLabel("h2", this));
  column->addWidget(m_form = new SpecForm(desktop, this), 1);
  column->addWidget(m_estimate = makeLabel("soft", this));
  column->addWidget(m_mistakes = makeLabel("bad", this));
  column->addWidget(m_run = makeButton("primary", this), 0, Qt::AlignLeft);
  column->addWidget(m_bar = new JobBar(desktop, m_model.job(), this));
  m_run->setObjectName(QStringLiteral("sweep.run"));
  connect(m_run, &QPushButton::clicked, this, &SweepSetup::run);
  connect(m_form, &SpecForm::changed, this, [this] { m_model.setSpec(m_form->spec()); });
  connect(&m_model, &SweepModel::setupChanged, this, &SweepSetup::refresh);
  connect(&m_model, &SweepModel::changed, this, &SweepSetup::refresh);
  connect(&m_model, &SweepModel::pointChanged, this, &SweepSetup::showProgress);
  connect(&desktop.learn, &LearnModel::changed, this, &SweepSetup::takeSchema);
  connect(&desktop.words, &Words::changed, this, &SweepSetup::refresh);
  connect(&desktop.theme, &Theme::changed, this, &SweepSetup::refresh);
  takeSchema();
}

void SweepSetup::buildAxes(QVBoxLayout& column) {
  for (std::size_t i = 0; i < m_axes.size(); ++i) {
    column.addWidget(m_axes[i] = new AxisEditor(m_desktop.theme, m_desktop.words, static_cast<int>(i), this));
    connect(m_axes[i], &AxisEditor::changed, this, [this] { takeAxes(SweepModel::kMostAxes); });
    connect(m_axes[i], &AxisEditor::removeAsked, this, [this, i] { takeAxes(i); });
  }
  column.addWidget(m_add = makeButton("link", this), 0, Qt::AlignLeft);
  m_add->setObjectName(QStringLiteral("sweep.add"));
  connect(m_add, &QPushButton::clicked, this, &SweepSetup::addAxis);
}

void SweepSetup::takeAxes(std::size_t without) {
  std::vector<AxisEdit> axes;
  for (std::size_t i = 0; i < m_model.axes().size(); ++i)
    if (i != without) axes.push_back(m_axes[i]->axis());
  m_model.setAxes(std::move(axes));
}

void SweepSetup::addAxis() {
  auto axes = m_model.axes();
  const auto taken = [&](const std::string& key) {
    return std::any_of(axes.begin(), axes.end(), [&](const AxisEdit& axis) { return axis.key == key; });
  };
  // What is swept most, first.
  for (const char* key : {"batch", "precision", "threads", "workers", "channels_last"}) {
    const auto* option = m_model.schema().find(key);
    if (!option || taken(key)) continue;
    axes.push_back(AxisEditor::proposal(*option));
    return m_model.setAxes(std::move(axes));
  }
  for (const auto& option : m_model.schema().options()) {
    if (taken(option.key)) continue;
    axes.push_back(AxisEditor::proposal(option));
    return m_model.setAxes(std::move(axes));
  }
}

void SweepSetup::takeSchema() {
  if (m_model.schema().options().size() != m_desktop.learn.schema().options().size()) {
    m_model.setSchema(m_desktop.learn.schema());
    if (m_model.axes().empty()) addAxis();
  }
  refresh();
}

void SweepSetup::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!m_model.job().idle()) return;
  m_model.learnPace();
  refresh();
}

void SweepSetup::run() {
  const auto points = m_desktop.words.format().integer(static_cast<std::int64_t>(m_model.points()));
  m_model.run(m_desktop.words.text(wire::Message{"sweepview.label", {{"points", points}}}));
}

QString SweepSetup::estimate() const {
  const auto& words = m_desktop.words;
  const auto points = m_model.points();
  if (points == 0) return QString();
  const auto count = words.format().integer(static_cast<std::int64_t>(points));
  const auto seconds = m_model.secondsExpected();
  if (!seconds) return words.text(wire::Message{"sweepview.points", {{"points", count}}});
  return words.text(wire::Message{"sweepview.points_time", {{"points", count}, {"time", words.format().duration(*seconds)}}});
}

void SweepSetup::refresh() {
  const auto& words = m_desktop.words;
  const auto& axes = m_model.axes();
  m_title->setText(words.text("sweepview.setup"));
  m_base->setText(words.text("sweepview.base"));
  for (std::size_t i = 0; i < m_axes.size(); ++i) {
    m_axes[i]->setVisible(i < axes.size());
    if (i < axes.size()) m_axes[i]->fill(m_model.schema(), axes[i], axes.size() > 1);
  }
  const bool schema = !m_model.schema().options().empty();
  m_add->setText(words.text("sweepview.add_axis"));
  m_add->setEnabled(schema && axes.size() < SweepModel::kMostAxes);
  showText(m_estimate, estimate());
  showText(m_mistakes, schema ? words.text(m_model.mistakes()) : QString());
  m_run->setText(words.text("sweepview.run"));
  m_run->setIcon(m_desktop.theme.icon(QStringLiteral("play"), m_desktop.theme.tokens().onAccent));
  m_run->setVisible(m_model.job().idle());
  m_run->setEnabled(m_model.canRun());
  showProgress();
}

void SweepSetup::showProgress() {
  const auto& sweep = m_model.sweep();
  if (!sweep || m_model.job().idle()) return m_bar->setPrefix(QString());
  const auto& format = m_desktop.words.format();
  const auto all = sweep->points.size(), done = m_model.measured();
  const wire::Message progress{
      "sweepview.progress",
      {{"done", format.integer(static_cast<std::int64_t>(done))}, {"points", format.integer(static_cast<std::int64_t>(all))}}};
  m_bar->setPrefix(m_desktop.words.text(done < all ? progress : wire::Message{"sweepview.drift_check"}));
}

}  // namespace atelier::app
