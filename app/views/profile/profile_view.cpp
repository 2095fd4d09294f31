#include "profile_view.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/settings.h"
#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/experiments/job_bar.h"
#include "app/views/experiments/notice_bar.h"
#include "app/views/experiments/segment_switch.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "break_panel.h"
#include "compare_page.h"
#include "diagnosis_page.h"
#include "health_page.h"
#include "memory_page.h"
#include "operators_page.h"
#include "roofline_page.h"
#include "timeline_page.h"

namespace atelier::app {

namespace {

constexpr int kProgressSteps = 1000, kProgressWidth = 160;
const auto kPage = QStringLiteral("profile/page");
constexpr std::array<const char*, ProfileView::kPages> kNames{"diagnosis", "timeline", "operators", "memory",
                                                              "roofline",  "health",   "compare"};
constexpr std::array<const char*, ProfileView::kPages> kTitles{
    "profileview.tab.diagnosis", "profileview.tab.timeline", "profileview.tab.operators", "profileview.tab.memory",
    "profileview.tab.roofline",  "profileview.tab.health",   "profileview.tab.compare"};

}  // namespace

ProfileView::ProfileView(const Desktop& desktop, QWidget* parent)
    : View(parent),
      m_desktop(desktop),
      m_plan(desktop.home / "plans"),
      m_recent(desktop.home, desktop.desk),
      m_job(desktop.desk) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  setAcceptDrops(true);
  m_ask.save = [this](const QString& title, const QString& proposal, const QString& filters) {
    return QFileDialog::getSaveFileName(this, title, proposal, filters);
  };
  m_ask.open = [this](const QString& title, const QString& filters) {
    return QFileDialog::getOpenFileName(this, title, QString(), filters);
  };
  m_ask.folder = [this](const QString& title) { return QFileDialog::getExistingDirectory(this, title); };
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  buildHead(*column);
  buildPages(*column);
  buildEmpty();
  buildActions();
  buildExports();
  connectDocument();
  connectJob();
  connect(&desktop.words, &Words::changed, this, &ProfileView::retext);
  connect(&desktop.theme, &Theme::changed, this, &ProfileView::restyle);
  setPage(static_cast<Page>(std::clamp(desktop.settings.value(kPage, 0).toInt(), 0, kPages - 1)));
  restyle();
  retext();
}

// What shows goes before what it shows.
ProfileView::~ProfileView() {
  for (QObject* sender : {static_cast<QObject*>(&m_document), static_cast<QObject*>(&m_job), static_cast<QObject*>(&m_plan),
                          static_cast<QObject*>(&m_recent), static_cast<QObject*>(&m_selection)})
    sender->disconnect(this);
  delete m_stack;
  delete m_jobBar;
}

void ProfileView::buildHead(QVBoxLayout& column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_title = makeLabel("h2", this), 1);
  m_loading = makePanel("plain", this);
  auto* loading = new QHBoxLayout(m_loading);
  loading->setContentsMargins(0, 0, 0, 0);
  loading->addWidget(m_reading = makeLabel("soft", m_loading));
  loading->addWidget(m_progress = new QProgressBar(m_loading));
  loading->addWidget(m_cancel = makeButton("", m_loading));
  m_reading->setWordWrap(false);
  m_progress->setRange(0, kProgressSteps);
  m_progress->setTextVisible(false);
  row->addWidget(m_loading);
  m_recentMenu = new QMenu(this);
  m_exportMenu = new QMenu(this);
  row->addWidget(m_run = makeButton("", this));
  row->addWidget(m_recentButton = makeMenuButton(m_recentMenu, "profileRecent", this));
  row->addWidget(m_openButton = makeButton("", this));
  row->addWidget(m_export = makeMenuButton(m_exportMenu, "profileExport", this));
  column.addLayout(row);
  column.addWidget(m_jobBar = new JobBar(m_desktop, m_job, this));
  column.addWidget(m_notice = new NoticeBar(m_desktop.theme, m_desktop.words, this));
  connect(m_run, &QPushButton::clicked, this, &ProfileView::askRun);
  connect(m_cancel, &QPushButton::clicked, &m_document, &TraceDocument::cancel);
  connect(m_recentMenu, &QMenu::aboutToShow, this, &ProfileView::fillRecent);
}

void ProfileView::buildPages(QVBoxLayout& column) {
  column.addWidget(m_switch = new SegmentSwitch(kPages, this), 0, Qt::AlignLeft);
  column.addWidget(m_stack = new QStackedWidget(this), 1);
  m_stack->addWidget(m_pages = new QStackedWidget(m_stack));
  m_diagnosis = new DiagnosisPage(m_desktop, m_selection, m_plan, m_pages);
  m_timeline = new TimelinePage(m_desktop, m_selection, m_pages);
  m_operators = new OperatorsPage(m_desktop, m_selection, m_pages);
  m_memory = new MemoryPage(m_desktop, m_selection, m_pages);
  m_roofline = new RooflinePage(m_desktop, m_selection, m_pages);
  m_health = new HealthPage(m_desktop, m_selection, m_pages);
  m_compare = new ComparePage(m_desktop, m_selection, m_recent, m_pages);
  m_all = {m_diagnosis, m_timeline, m_operators, m_memory, m_roofline, m_health, m_compare};
  for (auto* one : m_all) {
    m_pages->addWidget(one);
    connect(one, &ProfilePage::said, m_notice, [this](const std::vector<wire::Message>& messages) { m_notice->say(messages); });
    connect(one, &ProfilePage::showAsked, this, &ProfileView::showSelected);
  }
  connect(&m_health->breaker(), &BreakPanel::breakAsked, this, &ProfileView::breakIt);
  connect(m_switch, &SegmentSwitch::chosen, this, [this](int chosen) {
    m_pages->setCurrentIndex(chosen);
    m_desktop.settings.set(kPage, chosen);
    showState();
  });
}

void ProfileView::buildEmpty() {
  m_stack->addWidget(m_empty = new EmptyState(m_desktop.theme, m_stack));
  m_empty->addBelow(m_firstRun = makeButton("primary", m_empty));
  m_empty->addBelow(m_firstOpen = makeButton("", m_empty));
  connect(m_firstRun, &QPushButton::clicked, this, &ProfileView::askRun);
}

void ProfileView::connectDocument() {
  connect(&m_document, &TraceDocument::opened, this, &ProfileView::takeContent);
  connect(&m_document, &TraceDocument::loadingChanged, this, &ProfileView::showState);
  connect(&m_document, &TraceDocument::progressed, this,
          [this](double share) { m_progress->setValue(static_cast<int>(share * kProgressSteps)); });
  connect(&m_document, &TraceDocument::failed, this, [this](const wire::Error& error) { m_notice->say(error.messages); });
}

// Ids of one trace mean nothing in another.
void ProfileView::takeContent() {
  m_selection.clear();
  m_selection.selectSpan(std::nullopt);
  const auto content = m_document.content();
  const auto& breakdown = content->report.breakdown;
  const double step = breakdown.steps > 0 ? static_cast<double>(breakdown.wall_ns) / static_cast<double>(breakdown.steps) : 0;
  m_plan.open(content->folder.empty() ? std::string() : content->folder.filename().string(), content->spec, content->findings,
              step);
  for (auto* one : m_all) one->setContent(content);
  showNotices();
  showState();
}

void ProfileView::showNotices() {
  const auto content = m_document.content();
  auto messages = content->notices;
  messages.insert(messages.end(), m_notices.begin(), m_notices.end());
  m_notices.clear();
  const auto& format = m_desktop.words.format();
  if (content->trace.events_cut > 0 || content->trace.memory_cut > 0)
    messages.push_back(
        {"profile.cut",
         {{"events", format.integer(content->trace.events_cut)}, {"memory", format.integer(content->trace.memory_cut)}}});
  m_notice->say(std::move(messages));
}

// Of what is selected all is seen in the timeline.
void ProfileView::showSelected() {
  setPage(Timeline);
  m_timeline->showSelected();
}

QString ProfileView::title() const {
  const auto& words = m_desktop.words;
  const auto content = m_document.content();
  if (!content) return words.text("app.tab.profile");
  const auto& trace = content->trace;
  const auto named = trace.title.empty() ? content->file.filename().string() : trace.title;
  QStringList parts{plainName(named, 80)};
  if (!content->folder.empty()) parts << plainName(content->folder.filename().string(), 40);
  if (!trace.device.empty()) parts << plainName(trace.device, 40);
  return parts.join(QStringLiteral("  ·  "));
}

void ProfileView::showState() {
  const auto& words = m_desktop.words;
  const bool open = m_document.content() != nullptr, loading = m_document.loading();
  m_title->setText(title());
  m_loading->setVisible(loading);
  if (!loading) m_progress->setValue(0);
  // The model's health is also that of a run that goes.
  m_stack->setCurrentWidget(open || page() == Health ? static_cast<QWidget*>(m_pages) : m_empty);
  m_empty->setTexts(words.text(loading ? "profileview.reading" : "profileview.empty"),
                    loading ? QString() : words.text("profileview.empty.help"));
  for (auto* button : {m_firstRun, m_firstOpen}) button->setVisible(!loading);
  m_export->setEnabled(open);
  for (auto* one : m_exportMenu->actions()) one->setEnabled(open);
  m_run->setEnabled(m_job.idle());
  m_firstRun->setEnabled(m_job.idle());
  m_health->breaker().setCanRun(m_job.idle());
}

void ProfileView::setPage(Page page) {
  m_switch->setCurrent(page);
}

ProfileView::Page ProfileView::page() const {
  return static_cast<Page>(m_switch->current());
}

void ProfileView::page(int direction) {
  m_switch->setCurrent(m_switch->current() + direction);
}

bool ProfileView::showPage(const std::string& name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return false;
  setPage(static_cast<Page>(found - kNames.begin()));
  return true;
}

void ProfileView::shown() {
  m_recent.refresh();
}

void ProfileView::retext() {
  const auto& words = m_desktop.words;
  QStringList titles;
  for (const char* id : kTitles) titles << words.text(id);
  m_switch->setTexts(titles);
  m_run->setText(words.text("action.profile.run"));
  m_firstRun->setText(words.text("action.profile.run"));
  m_openButton->setText(words.text("action.profile.open"));
  m_firstOpen->setText(words.text("action.profile.open"));
  m_recentButton->setText(words.text("profileview.recent"));
  m_export->setText(words.text("profileview.export"));
  m_reading->setText(words.text("profileview.reading"));
  name(m_progress, words.text("profileview.reading"));
  m_cancel->setText(words.text("app.cancel"));
  showState();
}

void ProfileView::restyle() {
  const auto& theme = m_desktop.theme;
  m_progress->setFixedWidth(theme.px(kProgressWidth));
  m_run->setIcon(theme.icon(QStringLiteral("play")));
  m_export->setIcon(theme.icon(QStringLiteral("download")));
  m_export->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
}

ViewUnit view_profile() {
  return {"profile", 30, "profile",
          [](const Desktop& desktop, QWidget* parent) -> View* { return new ProfileView(desktop, parent); }};
}

}  // namespace atelier::app
