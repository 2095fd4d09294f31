#include "compare_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

#include "app/models/background.h"
#include "app/models/profile_tables.h"
#include "app/models/trace_texts.h"
#include "app/models/words.h"
#include "app/shell/theme.h"
#include "app/views/learn/empty_state.h"
#include "app/views/learn/parts.h"
#include "trace_table_view.h"

namespace atelier::app {

ComparePage::ComparePage(const Desktop& desktop, TraceSelection& selection, const ProfiledRuns& runs, QWidget* parent)
    : ProfilePage(desktop, selection, parent), m_runs(runs) {
  build();
  connect(m_menu, &QMenu::aboutToShow, this, &ComparePage::fillMenu);
  connect(m_file, &QPushButton::clicked, this, &ComparePage::fileAsked);
  connect(m_cancel, &QPushButton::clicked, &m_other, &TraceDocument::cancel);
  connect(m_words, &QLineEdit::textChanged, this, [this](const QString& words) { m_view->setWords(words); });
  connect(m_view, &TraceTableView::showAsked, this, &ProfilePage::showAsked);
  connect(&m_other, &TraceDocument::loadingChanged, this, &ComparePage::showState);
  connect(&m_other, &TraceDocument::opened, this, [this] {
    m_comparison.reset();
    refill();
  });
  connect(&m_other, &TraceDocument::failed, this, [this](const wire::Error& error) { Q_EMIT said(error.messages); });
}

void ComparePage::build() {
  auto* panel = makePanel("panel", this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(panel);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  m_menu = new QMenu(this);
  row->addWidget(m_choose = makeMenuButton(m_menu, "compareRuns", panel));
  row->addWidget(m_file = makeButton("", panel));
  row->addWidget(m_cancel = makeButton("", panel));
  row->addWidget(m_with = makeLabel("soft", panel), 1);
  row->addWidget(m_words = new QLineEdit(panel));
  m_words->setClearButtonEnabled(true);
  column->addLayout(row);
  column->addWidget(m_verdict = makeLabel("h2", panel));
  column->addWidget(m_pages = new QStackedWidget(panel), 1);
  m_pages->addWidget(m_view = new TraceTableView(m_desktop, m_selection, m_pages));
  m_pages->addWidget(m_empty = new EmptyState(m_desktop.theme, m_pages));
}

void ComparePage::fillMenu() {
  m_menu->clear();
  for (const auto& run : m_runs.runs()) {
    if (content() && run.folder == content()->folder) continue;
    m_menu->addAction(profiledRunText(run, m_desktop.words), this, [this, folder = run.folder] { compareWith(folder); });
  }
  if (m_menu->isEmpty()) m_menu->addAction(m_desktop.words.text("profileview.no_recent"))->setEnabled(false);
}

void ComparePage::compareWith(const std::filesystem::path& where) {
  m_other.open(where);
}

QString ComparePage::verdict() const {
  return m_verdict->isHidden() ? QString() : m_verdict->text();
}

void ComparePage::fill() {
  const auto& words = m_desktop.words;
  m_choose->setText(words.text("profileview.compare.run"));
  m_file->setText(words.text("profileview.compare.file"));
  m_cancel->setText(words.text("app.cancel"));
  m_words->setPlaceholderText(words.text("profileview.sift"));
  name(m_words, words.text("profileview.sift"));
  name(m_view, words.text("profileview.compare.table"));
  compare();
  showState();
}

// Two large traces take a while: they are compared beside the window. What was opened meanwhile is compared next.
void ComparePage::compare() {
  if (m_comparing || !content() || !m_other.content()) return;
  if (m_comparison && m_compared == content()) return showTable();
  m_comparing = true;
  inBackground(
      this, [here = content(), there = m_other.content()] { return trace::compareTraces(there->trace, here->trace); },
      [this, here = content(), there = m_other.content()](trace::Comparison comparison) {
        m_comparing = false;
        const bool ofNow = here == content() && there == m_other.content();
        if (ofNow) {
          m_comparison = std::move(comparison);
          m_compared = here;
        }
        refill();
      });
}

void ComparePage::showTable() {
  m_view->setRows(content(), changeRows(*m_comparison, content()->trace, m_desktop.words));
}

void ComparePage::showState() {
  const auto& words = m_desktop.words;
  const auto& there = m_other.content();
  const bool done = m_comparison && m_compared == content() && there;
  m_cancel->setVisible(m_other.loading());
  m_file->setEnabled(!m_other.loading());
  const auto name = there ? (there->trace.title.empty() ? there->file.filename().string() : there->trace.title) : std::string();
  showText(m_with, there ? words.text(wire::Message{"profileview.compare.with", {{"trace", plainName(name, 80).toStdString()}}})
                         : QString());
  m_pages->setCurrentWidget(done ? static_cast<QWidget*>(m_view) : m_empty);
  const bool busy = comparing();
  m_empty->setTexts(words.text(busy ? "profileview.compare.reading" : "profileview.compare.empty"),
                    busy ? QString() : words.text("profileview.compare.empty.help"));
  if (!done) return showText(m_verdict, QString());
  const auto& format = words.format();
  const double a = m_comparison->a_step_ns, b = m_comparison->b_step_ns;
  const auto time = [&](double ns) { return timeText(static_cast<std::int64_t>(ns), format).toStdString(); };
  showText(m_verdict, words.text(wire::Message{
                          "profileview.compare.verdict",
                          {{"there", time(a)}, {"here", time(b)}, {"ratio", b > 0 ? format.ratio(a / b) : std::string("—")}}}));
}

}  // namespace atelier::app
