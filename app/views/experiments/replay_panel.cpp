#include "replay_panel.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QThread>
#include <QVBoxLayout>

#include <utility>

#include "app/models/background.h"
#include "app/models/learn_texts.h"
#include "app/models/replay_texts.h"
#include "app/models/run_desk.h"
#include "app/models/words.h"
#include "app/plots/plot_column.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "app/shell/view.h"
#include "app/views/learn/parts.h"
#include "replay_bar.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 960, kHeight = 760, kLook = 100, kTwoColumns = 1100;

}  // namespace

ReplayPanel::ReplayPanel(const Desktop& desktop, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_player(this), m_pacer(QThread::idealThreadCount()) {
  setProperty("role", "panel");
  setAttribute(Qt::WA_StyledBackground);
  // While something is measured, no more looks than a live plot takes.
  m_player.setPace([this] { return m_desktop.desk.busy() ? m_pacer.next() : kLook; });
  m_pages = new QStackedLayout(this);
  m_pages->setContentsMargins(16, 16, 16, 16);
  buildBody();
  buildActions();
  connect(&m_player, &Replay::changed, this, &ReplayPanel::refresh);
  connect(&m_player, &Replay::advanced, this, &ReplayPanel::draw);
  connect(m_plots, &PlotColumn::saveFailed, this, [this](const QString& file) {
    tellReport(m_desktop.words.text(wire::Message{"app.plot.save_failed", {{"file", file.toStdString()}}}), true);
  });
  connect(m_report, &QPushButton::clicked, this, &ReplayPanel::makeReport);
  connect(&m_desktop.words, &Words::changed, this, [this] {
    m_plots->retext();
    showText(m_told, QString());
    refresh();
  });
  connect(&m_desktop.theme, &Theme::changed, this, [this] { m_plots->restyle(); });
  refresh();
}

void ReplayPanel::buildHead(QWidget* page) {
  auto* column = qobject_cast<QVBoxLayout*>(page->layout());
  column->addWidget(m_title = makeLabel("h1", page));
  column->addWidget(m_mark = makeLabel("warn", page));
  column->addWidget(m_recorded = makeLabel("soft", page));
}

void ReplayPanel::buildBody() {
  m_waitPage = makePanel("plain", this);
  auto* words = new QVBoxLayout(m_waitPage);
  words->addStretch(1);
  words->addWidget(m_problemTitle = makeLabel("h2", m_waitPage));
  words->addWidget(m_problemText = makeLabel("soft", m_waitPage));
  words->addStretch(1);
  for (auto* label : {m_problemTitle, m_problemText}) label->setAlignment(Qt::AlignHCenter);
  m_playPage = makePanel("plain", this);
  auto* column = new QVBoxLayout(m_playPage);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  buildHead(m_playPage);
  auto* scroll = new QScrollArea(m_playPage);
  scroll->setWidget(m_plots = new PlotColumn(m_desktop.theme, m_desktop.words.catalog(), m_desktop.words.format()));
  makeQuiet(*scroll);
  column->addWidget(scroll, 1);
  column->addWidget(m_bar = new ReplayBar(m_desktop.theme, m_desktop.words, m_player, m_playPage));
  column->addWidget(m_result = makeLabel("body", m_playPage));
  column->addWidget(m_told = makeLabel("soft", m_playPage));
  column->addWidget(m_report = makeButton("", m_playPage), 0, Qt::AlignRight);
  m_told->hide();
  m_pages->addWidget(m_waitPage);
  m_pages->addWidget(m_playPage);
}

void ReplayPanel::buildActions() {
  const auto add = [this](const char* id, const QKeySequence& key, void (Replay::*act)()) {
    auto* action = makeAction(this, m_desktop.words, id, {key}, [this, act] { (m_player.*act)(); });
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  };
  add("replay.play", Qt::Key_Space, &Replay::toggle);
  add("replay.block_next", Qt::CTRL | Qt::Key_Right, &Replay::nextBlock);
  add("replay.block_back", Qt::CTRL | Qt::Key_Left, &Replay::previousBlock);
  add("replay.to_end", Qt::CTRL | Qt::Key_End, &Replay::toEnd);
}

void ReplayPanel::load(const QString& what) {
  m_what = what;
  m_error = {};
  m_loading = true;
  m_player.load(nullptr);
  refresh();
  inBackground(
      this, [home = m_desktop.home, wanted = what.toStdString()] { return findRecording(home, wanted); },
      [this, reading = ++m_reading](wire::Result<Recording> read) {
        if (reading == m_reading) take(std::move(read));
      });
}

void ReplayPanel::take(wire::Result<Recording> read) {
  m_loading = false;
  if (!read) {
    m_error = read.error();
    refresh();
    return;
  }
  m_player.load(std::make_shared<const Recording>(std::move(*read)));
  m_bar->playButton()->setFocus(Qt::OtherFocusReason);
  m_player.play();
}

QString ReplayPanel::problem() const {
  return m_loading || m_player.recording() ? QString() : m_problemText->text();
}

void ReplayPanel::tellProblem() {
  const auto& words = m_desktop.words;
  m_problemTitle->setText(words.text(m_loading ? "replay.loading" : "replay.nothing"));
  showText(m_problemText, m_loading ? m_what : m_error.messages.empty() ? QString() : words.text(m_error.messages));
}

void ReplayPanel::refresh() {
  const auto& words = m_desktop.words;
  const auto& recording = m_player.recording();
  m_plots->setSeries(m_player.series());
  m_pages->setCurrentWidget(recording ? m_playPage : m_waitPage);
  if (!recording) {
    tellProblem();
    return;
  }
  const auto mark = replayMark(words, m_player.speed());
  m_title->setText(recordingTitle(words, *recording));
  m_mark->setText(mark);
  m_recorded->setText(recordedOn(words, *recording));
  m_plots->setMark(mark);
  m_report->setText(words.text("replay.report"));
  showResult();
}

void ReplayPanel::draw() {
  // Read again when it is shown.
  if (!isVisible()) return;
  m_plots->setTwoColumns(width() > m_desktop.theme.px(kTwoColumns));
  if (m_desktop.desk.busy()) m_plots->refreshNext();
  else m_plots->refresh();
}

void ReplayPanel::showResult() {
  const bool ended = m_player.state() == Replay::State::Ended;
  const auto outcome = ended ? outcomeOf(*m_player.recording()) : std::nullopt;
  QString sentence;
  if (outcome) {
    const auto said = LearnTexts(m_desktop.words.catalog(), m_desktop.words.format()).result(*outcome);
    sentence = m_desktop.words.text(wire::Message{
        "replay.result",
        {{"figure", said.big.toStdString()}, {"unit", said.unit.toStdString()}, {"sentence", said.sentence.toStdString()}}});
  }
  showText(m_result, sentence);
}

// Space plays and pauses; but a control that has the focus keeps it.
bool ReplayPanel::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
    const auto* focus = focusWidget();
    if (qobject_cast<const QAbstractButton*>(focus) || qobject_cast<const QComboBox*>(focus)) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void ReplayPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_pacer.reset();
  draw();
}

void ReplayPanel::open(const Desktop& desktop, const QString& what, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(desktop.words.text("replay.window"));
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(0, 0, 0, 0);
  auto* panel = new ReplayPanel(desktop, dialog);
  column->addWidget(panel);
  dialog->resize(desktop.theme.px(kWidth), desktop.theme.px(kHeight));
  dialog->show();
  panel->load(what);
}

}  // namespace atelier::app
