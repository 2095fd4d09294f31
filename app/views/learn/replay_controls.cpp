#include "replay_controls.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/models/learn_model.h"
#include "app/models/learn_replay.h"
#include "app/models/replay_texts.h"
#include "app/views/experiments/replay_bar.h"
#include "parts.h"

namespace atelier::app {

ReplayControls::ReplayControls(const Theme& theme, LearnModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
  using Record = LearnReplay::Record;
  setProperty("role", "plain");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  m_offers = makePanel("plain", this);
  auto* row = new QHBoxLayout(m_offers);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(m_lab = makeButton("link", m_offers));
  row->addWidget(m_own = makeButton("link", m_offers));
  row->addStretch(1);
  column->addWidget(m_offers);
  m_player = makePanel("notice", this);
  auto* inside = new QVBoxLayout(m_player);
  inside->setContentsMargins(12, 8, 12, 8);
  inside->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->addWidget(m_mark = makeLabel("warn", m_player), 1);
  head->addWidget(m_close = makeButton("link", m_player), 0, Qt::AlignTop);
  inside->addLayout(head);
  inside->addWidget(m_recorded = makeLabel("soft", m_player));
  inside->addWidget(m_bar = new ReplayBar(theme, model.words(), model.replay().player(), m_player));
  column->addWidget(m_player);
  connect(m_lab, &QPushButton::clicked, this, [this] { m_model.replay().start(Record::Lab); });
  connect(m_own, &QPushButton::clicked, this, [this] { m_model.replay().start(Record::Own); });
  connect(m_close, &QPushButton::clicked, this, [this] { m_model.replay().close(); });
  hide();
}

void ReplayControls::refresh() {
  using Record = LearnReplay::Record;
  auto& replay = m_model.replay();
  const bool shown = replay.shown(), lab = replay.offers(Record::Lab), own = replay.offers(Record::Own);
  setVisible(shown || lab || own);
  m_lab->setText(m_model.text(replay.loading() && replay.record() == Record::Lab ? "replay.loading" : "replay.lab"));
  m_own->setText(m_model.text(replay.loading() && replay.record() == Record::Own ? "replay.loading" : "replay.own"));
  m_lab->setToolTip(m_model.text("replay.lab.help"));
  m_own->setToolTip(m_model.text("replay.own.help"));
  m_lab->setVisible(lab);
  m_own->setVisible(own);
  m_lab->setEnabled(!replay.loading());
  m_own->setEnabled(!replay.loading());
  m_offers->setVisible(!shown);
  m_player->setVisible(shown);
  if (!shown) return;
  m_mark->setText(replayMark(m_model.words(), replay.player().speed()));
  m_recorded->setText(recordedOn(m_model.words(), *replay.player().recording()));
  m_close->setText(m_model.text("replay.close"));
  m_bar->refresh();
}

}  // namespace atelier::app
