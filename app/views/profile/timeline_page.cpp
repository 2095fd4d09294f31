#include "timeline_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

#include "app/models/settings.h"
#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/plots/flame_plot.h"
#include "app/plots/timeline_plot.h"
#include "app/shell/actions.h"
#include "app/shell/layout_keeper.h"
#include "app/shell/theme.h"
#include "app/views/learn/parts.h"
#include "core/trace/index.h"
#include "event_details.h"

namespace atelier::app {

namespace {

const auto kAcross = QStringLiteral("profile/timeline");

constexpr int kTyping = 150;  // milliseconds: a word typed in haste is one search
const auto kFlame = QStringLiteral("profile/flame");

}  // namespace

TimelinePage::TimelinePage(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : ProfilePage(desktop, selection, parent) {
  build();
  buildActions();
  m_typing.setSingleShot(true);
  m_typing.setInterval(kTyping);
  connect(&m_typing, &QTimer::timeout, this, &TimelinePage::search);
  connect(m_search, &QLineEdit::textChanged, &m_typing, qOverload<>(&QTimer::start));
  connect(m_search, &QLineEdit::returnPressed, this, [this] {
    search();
    step(1);
  });
  connect(m_timeline, &TimelinePlot::searchRequested, this, &TimelinePage::takeSearchFocus);
  connect(m_flame, &FlamePlot::searchRequested, this, &TimelinePage::takeSearchFocus);
  const auto unsaved = [this](const QString& file) { Q_EMIT said({{"app.plot.save_failed", {{"file", file.toStdString()}}}}); };
  connect(m_timeline, &TimelinePlot::saveFailed, this, unsaved);
  connect(m_flame, &FlamePlot::saveFailed, this, unsaved);
  setFlameShown(desktop.settings.value(kFlame, false).toBool());
  restyle();
}

void TimelinePage::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  buildBar(*row);
  column->addLayout(row);
  column->addWidget(m_across = new QSplitter(Qt::Horizontal, this), 1);
  m_across->setChildrenCollapsible(false);
  m_down = new QSplitter(Qt::Vertical, m_across);
  m_down->setChildrenCollapsible(false);
  m_down->addWidget(m_timeline = new TimelinePlot(m_desktop.theme, m_desktop.words, m_down));
  m_down->addWidget(m_flame = new FlamePlot(m_desktop.theme, m_desktop.words, m_down));
  m_down->setStretchFactor(0, 3);
  m_down->setStretchFactor(1, 2);
  m_across->addWidget(m_down);
  m_across->addWidget(m_details = new EventDetails(m_desktop, m_selection, m_across));
  m_across->setStretchFactor(0, 1);
  m_across->setStretchFactor(1, 0);
  m_flame->hide();
  m_timeline->setSelection(&m_selection);
  m_flame->setSelection(&m_selection);
  LayoutKeeper::keep(m_desktop.settings, m_across, kAcross);
  LayoutKeeper::keep(m_desktop.settings, m_down, QStringLiteral("profile/stacks"));
}

// The details get a quarter until the reader moves the border; a splitter without a size yet can't be given shares.
void TimelinePage::resizeEvent(QResizeEvent* event) {
  ProfilePage::resizeEvent(event);
  if (m_desktop.settings.value(kAcross).toByteArray().isEmpty()) m_across->setSizes({width() * 3 / 4, width() / 4});
}

void TimelinePage::buildBar(QHBoxLayout& row) {
  row.addWidget(m_search = new QLineEdit(this), 1);
  m_search->setClearButtonEnabled(true);
  m_search->setObjectName(QStringLiteral("timelineSearch"));
  row.addWidget(m_matches = makeLabel("soft", this));
  m_matches->setWordWrap(false);
  for (auto** button : {&m_back, &m_next}) {
    row.addWidget(*button = new QToolButton(this));
    (*button)->setFocusPolicy(Qt::StrongFocus);
  }
  m_trackMenu = new QMenu(this);
  row.addWidget(m_tracks = makeMenuButton(m_trackMenu, "timelineTracks", this));
  row.addWidget(m_fit = makeButton("", this));
  row.addWidget(m_whole = makeButton("", this));
  row.addWidget(m_flameButton = makeButton("", this));
  m_flameButton->setCheckable(true);
  connect(m_back, &QToolButton::clicked, this, [this] { step(-1); });
  connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
  connect(m_fit, &QPushButton::clicked, this, [this] { m_timeline->fitSelection(); });
  connect(m_whole, &QPushButton::clicked, this, [this] { m_timeline->showWhole(); });
  connect(m_flameButton, &QPushButton::toggled, this, [this](bool shown) {
    m_flame->setVisible(shown);
    m_desktop.settings.set(kFlame, shown);
  });
}

void TimelinePage::buildActions() {
  const auto& words = m_desktop.words;
  makeAction(this, words, "profile.search", {QKeySequence(QKeySequence::Find)}, [this] { takeSearchFocus(); });
  makeAction(this, words, "profile.next_match", {QKeySequence(Qt::Key_F3)}, [this] { step(1); });
  makeAction(this, words, "profile.last_match", {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, [this] { step(-1); });
  makeAction(this, words, "profile.flame", {QKeySequence(Qt::CTRL | Qt::Key_J)}, [this] { m_flameButton->toggle(); });
}

void TimelinePage::setFlameShown(bool shown) {
  m_flameButton->setChecked(shown);
}

bool TimelinePage::flameShown() const {
  return m_flameButton->isChecked();
}

void TimelinePage::takeSearchFocus() {
  m_search->setFocus(Qt::ShortcutFocusReason);
  m_search->selectAll();
}

// The view and the search of a trace outlive a change of the language; those of another trace begin anew.
void TimelinePage::fill() {
  restyle();
  if (m_shown != content()) {
    showTrace(content());
    search();
  }
  fillTracks();
}

void TimelinePage::release() {
  showTrace(nullptr);
}

void TimelinePage::showTrace(TraceDocument::ContentPtr content) {
  m_shown = std::move(content);
  m_timeline->setDocument(m_shown);
  m_flame->setDocument(m_shown);
  m_details->setContent(m_shown);
}

void TimelinePage::fillTracks() {
  m_trackMenu->clear();
  m_tracks->setEnabled(m_shown != nullptr);
  if (!m_shown) return;
  for (const auto& place : m_shown->timeline.tracks()) {
    const auto track = place.track;
    auto* shown = m_trackMenu->addAction(plainName(m_shown->trace.tracks[trace::at(track)].name, 60));
    shown->setCheckable(true);
    shown->setChecked(m_timeline->trackShown(track));
    connect(shown, &QAction::toggled, this, [this, track](bool on) { m_timeline->setTrackShown(track, on); });
  }
}

void TimelinePage::search() {
  m_typing.stop();
  const auto text = m_search->text();
  showMatches(m_timeline->search(text));
  m_flame->search(text);
}

void TimelinePage::showMatches(std::size_t matches) {
  const bool asked = !m_search->text().trimmed().isEmpty();
  const auto count = m_desktop.words.format().integer(static_cast<std::int64_t>(matches));
  showText(m_matches, asked ? m_desktop.words.text(wire::Message{"profileview.matches", {{"count", count}}}) : QString());
  for (auto* button : {m_back, m_next}) button->setEnabled(asked && matches > 0);
}

void TimelinePage::step(int direction) {
  if (m_typing.isActive()) search();
  m_timeline->chooseMatch(direction);
}

void TimelinePage::showSelected() {
  if (m_shown != content()) fill();
  m_timeline->fitSelection();
  m_timeline->setFocus(Qt::OtherFocusReason);
}

std::vector<ProfilePage::Picture> TimelinePage::pictures() {
  std::vector<Picture> all;
  all.push_back(Picture{QStringLiteral("timeline"), [this](const QString& file) { return m_timeline->saveImage(file); }});
  if (flameShown())
    all.push_back(Picture{QStringLiteral("flame"), [this](const QString& file) { return m_flame->saveImage(file); }});
  return all;
}

void TimelinePage::restyle() {
  const auto& words = m_desktop.words;
  const auto& theme = m_desktop.theme;
  m_search->setPlaceholderText(words.text("profileview.search"));
  name(m_search, words.text("profileview.search"));
  m_tracks->setText(words.text("profileview.tracks"));
  m_fit->setText(words.text("profileview.fit"));
  m_fit->setToolTip(words.text("profileview.fit.help"));
  m_whole->setText(words.text("profileview.whole"));
  m_flameButton->setText(words.text("profileview.flame"));
  m_flameButton->setToolTip(words.text("profileview.flame.help"));
  const auto arrow = [&](QToolButton* button, const char* icon, const char* text) {
    button->setIcon(theme.icon(QLatin1String(icon)));
    button->setToolTip(words.text(text));
    name(button, words.text(text));
  };
  arrow(m_back, "chevron-up", "action.profile.last_match");
  arrow(m_next, "chevron-down", "action.profile.next_match");
  showMatches(m_timeline->matches().active() ? m_timeline->matches().events().size() : 0);
}

}  // namespace atelier::app
