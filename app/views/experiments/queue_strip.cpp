#include "queue_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "app/models/desk_watch.h"
#include "app/models/run_desk.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kSteps = 1000, kLine = 28, kMostLines = 3, kBar = 160;

}  // namespace

QueueStrip::QueueStrip(const Desktop& desktop, DeskWatch& watch, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_watch(watch) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  build();
  connect(m_pause, &QPushButton::clicked, &m_watch, &DeskWatch::togglePause);
  connect(m_stop, &QPushButton::clicked, &m_desktop.desk, &RunDesk::stop);
  connect(m_hold, &QPushButton::clicked, this, [this] { m_desktop.desk.setHeld(!m_desktop.desk.held()); });
  connect(m_up, &QToolButton::clicked, this, [this] { moveChosen(-1); });
  connect(m_down, &QToolButton::clicked, this, [this] { moveChosen(1); });
  connect(m_remove, &QToolButton::clicked, this, &QueueStrip::removeChosen);
  connect(m_list, &QListWidget::currentRowChanged, this, &QueueStrip::refresh);
  connect(&m_desktop.desk, &RunDesk::changed, this, [this] {
    showWaiting();
    refresh();
  });
  connect(&m_watch, &DeskWatch::tick, this, &QueueStrip::tick);
  connect(&m_desktop.words, &Words::changed, this, &QueueStrip::retext);
  connect(&m_desktop.theme, &Theme::changed, this, &QueueStrip::restyle);
  restyle();
  showWaiting();
  retext();
}

void QueueStrip::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(4);
  column->addWidget(m_now = makePanel("plain", this));
  auto* now = new QHBoxLayout(m_now);
  now->setContentsMargins(0, 0, 0, 0);
  now->setSpacing(12);
  now->addWidget(m_title = makeLabel("h2", m_now), 3);
  now->addWidget(m_phase = makeLabel("soft", m_now), 3);
  now->addWidget(m_bar = new QProgressBar(m_now), 2);
  now->addWidget(m_left = makeLabel("soft", m_now));
  now->addWidget(m_pause = makeButton("", m_now));
  now->addWidget(m_stop = makeButton("", m_now));
  m_bar->setRange(0, kSteps);
  m_bar->setTextVisible(false);
  m_left->setWordWrap(false);
  column->addWidget(m_later = makePanel("plain", this));
  auto* later = new QHBoxLayout(m_later);
  later->setContentsMargins(0, 0, 0, 0);
  later->setSpacing(8);
  later->addWidget(m_waiting = makeLabel("soft", m_later), 0, Qt::AlignTop);
  later->addWidget(m_list = new QListWidget(m_later), 1);
  m_waiting->setWordWrap(false);
  m_list->setProperty("role", "list");
  for (auto** button : {&m_up, &m_down, &m_remove}) {
    later->addWidget(*button = new QToolButton(m_later), 0, Qt::AlignTop);
    (*button)->setFocusPolicy(Qt::StrongFocus);
  }
  later->addWidget(m_hold = makeButton("", m_later), 0, Qt::AlignTop);
}

int QueueStrip::chosenJob() const {
  const auto* item = m_list->currentItem();
  return item ? item->data(Qt::UserRole).toInt() : 0;
}

void QueueStrip::moveChosen(int by) {
  const int row = m_list->currentRow();
  if (row >= 0) m_desktop.desk.move(chosenJob(), std::max(0, row + by));
}

void QueueStrip::removeChosen() {
  if (const int job = chosenJob()) m_desktop.desk.cancel(job);
}

void QueueStrip::showWaiting() {
  const int chosen = chosenJob();
  const QSignalBlocker quiet(m_list);
  m_list->clear();
  for (const auto& entry : m_desktop.desk.waiting()) {
    auto* item = new QListWidgetItem(entry.job.label, m_list);
    item->setData(Qt::UserRole, entry.id);
    if (entry.id == chosen) m_list->setCurrentItem(item);
  }
  if (!m_list->currentItem() && m_list->count() > 0) m_list->setCurrentRow(0);
  const int lines = std::clamp(m_list->count(), 1, kMostLines);
  m_list->setFixedHeight(m_desktop.theme.px(lines * kLine + 8));
}

void QueueStrip::refresh() {
  const auto& desk = m_desktop.desk;
  const auto& words = m_desktop.words;
  const auto& waiting = desk.waiting();
  const bool any = !waiting.empty();
  setVisible(desk.busy() || any || desk.held());
  m_now->setVisible(desk.busy());
  m_later->setVisible(any || desk.held());
  m_list->setVisible(any);
  for (auto* button : {m_up, m_down, m_remove}) button->setVisible(any);
  const int row = m_list->currentRow();
  m_up->setEnabled(row > 0);
  m_down->setEnabled(row >= 0 && row + 1 < m_list->count());
  m_remove->setEnabled(row >= 0);
  const auto count = words.format().integer(static_cast<std::int64_t>(waiting.size()));
  m_waiting->setText(
      words.text(wire::Message{desk.held() ? "experiments.queue.held" : "experiments.queue.waiting", {{"count", count}}}));
  m_hold->setText(words.text(desk.held() ? "experiments.queue.release" : "experiments.queue.hold"));
  if (!desk.busy()) return;
  const bool paused = desk.state() == RunDesk::State::Paused;
  m_title->setText(desk.current()->job.label);
  m_pause->setText(words.text(paused ? "app.run.resume" : "app.run.pause"));
  m_pause->setIcon(m_desktop.theme.icon(paused ? QStringLiteral("play") : QStringLiteral("pause")));
  m_stop->setText(words.text("app.run.stop"));
  m_stop->setIcon(m_desktop.theme.icon(QStringLiteral("stop")));
  m_stop->setEnabled(desk.state() != RunDesk::State::Stopping);
  tick();
}

QString QueueStrip::phase() const {
  const auto state = m_desktop.desk.state();
  if (state == RunDesk::State::Stopping) return m_desktop.words.text("app.phase.stopping");
  if (state == RunDesk::State::Paused) return m_desktop.words.text("app.phase.paused");
  const auto& phase = m_watch.progress().phase();
  return m_desktop.words.text("app.phase." + (phase.isEmpty() ? std::string("starting") : phase.toStdString()));
}

void QueueStrip::tick() {
  const auto& desk = m_desktop.desk;
  if (!desk.busy() || !isVisible()) return;
  const auto& progress = m_watch.progress();
  m_pause->setEnabled(m_watch.canPause());
  m_bar->setValue(static_cast<int>(std::lround(progress.share() * kSteps)));
  m_phase->setText(phase());
  const auto left = desk.state() == RunDesk::State::Stopping ? std::nullopt : progress.secondsLeft();
  const auto time = left ? m_desktop.words.format().duration(std::ceil(*left)) : std::string();
  showText(m_left, left ? m_desktop.words.text(wire::Message{"app.run.left", {{"time", time}}}) : QString());
}

void QueueStrip::retext() {
  const auto& words = m_desktop.words;
  const auto describe = [&words](QToolButton* button, const char* id) {
    name(button, words.text(id));
    button->setToolTip(words.text(id));
  };
  describe(m_up, "experiments.queue.up");
  describe(m_down, "experiments.queue.down");
  describe(m_remove, "experiments.queue.remove");
  name(m_list, words.text("experiments.queue.name"));
  name(m_bar, words.text("app.run.progress"));
  refresh();
}

void QueueStrip::restyle() {
  const auto& theme = m_desktop.theme;
  m_bar->setMinimumWidth(theme.px(kBar));
  m_up->setIcon(theme.icon(QStringLiteral("chevron-up")));
  m_down->setIcon(theme.icon(QStringLiteral("chevron-down")));
  m_remove->setIcon(theme.icon(QStringLiteral("cross")));
  showWaiting();
}

}  // namespace atelier::app
