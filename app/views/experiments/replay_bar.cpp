#include "replay_bar.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <cmath>
#include <tuple>

#include "app/models/replay.h"
#include "app/models/replay_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"

namespace atelier::app {

namespace {

constexpr int kPlaces = 1000, kStep = 10, kPage = 100, kOneRow = 620, kIcon = 16;

}  // namespace

ReplayBar::ReplayBar(const Theme& theme, const Words& words, Replay& replay, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(words), m_replay(replay) {
  setProperty("role", "plain");
  build();
  connect(m_play, &QPushButton::clicked, &m_replay, &Replay::toggle);
  connect(m_slider, &QSlider::valueChanged, this, &ReplayBar::moveTo);
  connect(m_speed, &QComboBox::activated, this, [this](int row) { m_replay.setSpeed(m_speed->itemData(row).toDouble()); });
  connect(m_pauses, &QCheckBox::toggled, this, [this](bool skip) { m_replay.setSkipPauses(skip); });
  connect(&m_words, &Words::changed, this, &ReplayBar::refresh);
  connect(&m_theme, &Theme::changed, this, &ReplayBar::refresh);
  connect(&m_replay, &Replay::changed, this, &ReplayBar::refresh);
  connect(&m_replay, &Replay::advanced, this, &ReplayBar::tick);
  refresh();
}

void ReplayBar::build() {
  m_rows = new QBoxLayout(QBoxLayout::LeftToRight, this);
  m_rows->setContentsMargins(0, 0, 0, 0);
  m_rows->setSpacing(8);
  auto* place = new QHBoxLayout;
  place->setSpacing(4);
  place->addWidget(m_play = makeButton("", this));
  place->addWidget(m_back = makeTool(&Replay::previousBlock));
  place->addWidget(m_slider = new QSlider(Qt::Horizontal, this), 1);
  place->addWidget(m_next = makeTool(&Replay::nextBlock));
  auto* manner = new QHBoxLayout;
  manner->setSpacing(8);
  manner->addWidget(m_time = makeLabel("soft", this));
  manner->addWidget(m_speed = new QComboBox(this));
  manner->addWidget(m_end = makeTool(&Replay::toEnd));
  manner->addWidget(m_pauses = new QCheckBox(this));
  manner->addStretch(1);
  m_rows->addLayout(place, 1);
  m_rows->addLayout(manner);
  m_time->setWordWrap(false);
  for (const double speed : Replay::kSpeeds) m_speed->addItem(QString(), speed);
  m_slider->setRange(0, kPlaces);
  m_slider->setSingleStep(kStep);
  m_slider->setPageStep(kPage);
  guardWheel(m_speed);
  guardWheel(m_slider);
}

QToolButton* ReplayBar::makeTool(void (Replay::*act)()) {
  auto* tool = new QToolButton(this);
  tool->setFocusPolicy(Qt::StrongFocus);
  connect(tool, &QToolButton::clicked, &m_replay, act);
  return tool;
}

void ReplayBar::showSpeeds() {
  for (int row = 0; row < m_speed->count(); ++row) {
    const double speed = m_speed->itemData(row).toDouble();
    m_speed->setItemText(row, QStringLiteral("×") + QString::fromStdString(m_words.format().compact(speed)));
    if (speed == m_replay.speed()) m_speed->setCurrentIndex(row);
  }
}

void ReplayBar::refresh() {
  const bool playing = m_replay.state() == Replay::State::Playing;
  const bool any = m_replay.recording() != nullptr;
  m_play->setText(m_words.text(playing ? "replay.pause" : "replay.play"));
  m_play->setIcon(m_theme.icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
  const QSize size(m_theme.px(kIcon), m_theme.px(kIcon));
  for (const auto& [tool, icon, id] :
       {std::tuple(m_back, "block-back", "replay.block_back"), std::tuple(m_next, "block-next", "replay.block_next"),
        std::tuple(m_end, "to-end", "replay.to_end")}) {
    tool->setIcon(m_theme.icon(QLatin1String(icon), m_theme.tokens().soft));
    tool->setIconSize(size);
    tool->setToolTip(m_words.text(id));
    name(tool, m_words.text(id));
  }
  m_back->setEnabled(any && m_replay.hasBlocks());
  m_next->setEnabled(any && m_replay.hasBlocks());
  for (QWidget* control : {static_cast<QWidget*>(m_play), static_cast<QWidget*>(m_end), static_cast<QWidget*>(m_slider)})
    control->setEnabled(any);
  showSpeeds();
  name(m_speed, m_words.text("replay.speed"));
  name(m_slider, m_words.text("replay.place"));
  const QSignalBlocker quiet(m_pauses);
  m_pauses->setText(m_words.text("replay.skip_pauses"));
  m_pauses->setVisible(m_replay.hasPauses());
  m_pauses->setChecked(m_replay.skipsPauses());
  arrange();
  tick();
}

void ReplayBar::tick() {
  const auto length = m_replay.length();
  const QSignalBlocker quiet(m_slider);
  const double share = length > 0 ? static_cast<double>(m_replay.position()) / static_cast<double>(length) : 0;
  // A hand on the slider is not led away.
  if (!m_slider->isSliderDown()) m_slider->setValue(static_cast<int>(std::lround(share * kPlaces)));
  const auto time = replayTime(m_words, m_replay.position(), length);
  if (time == m_time->text()) return;
  m_time->setText(time);
  m_slider->setAccessibleDescription(time);
}

void ReplayBar::moveTo(int place) {
  const double share = static_cast<double>(place) / kPlaces;
  m_replay.seek(place == kPlaces ? m_replay.length()
                                 : static_cast<std::int64_t>(share * static_cast<double>(m_replay.length())));
}

void ReplayBar::arrange() {
  const bool oneRow = width() >= m_theme.px(kOneRow);
  m_rows->setDirection(oneRow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ReplayBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

}  // namespace atelier::app
