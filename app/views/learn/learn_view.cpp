#include "learn_view.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMessageBox>
#include <QMouseEvent>

#include "app/models/learn_model.h"
#include "app/shell/actions.h"
#include "app/shell/theme.h"
#include "app/views/experiments/script_action.h"
#include "course_panel.h"
#include "live_panel.h"
#include "result_card.h"
#include "run_controls.h"
#include "step_card.h"

namespace atelier::app {

LearnView::LearnView(const Theme& theme, LearnModel& model, QWidget* parent)
    : View(parent),
      m_theme(theme),
      m_model(model),
      m_row(new QHBoxLayout(this)),
      m_course(new CoursePanel(theme, model, this)),
      m_step(new StepCard(theme, model, this)),
      m_live(new LivePanel(theme, model, this)) {
  setProperty("role", "window");
  setAttribute(Qt::WA_StyledBackground);
  m_row->setContentsMargins(12, 12, 12, 12);
  m_row->setSpacing(12);
  m_row->addWidget(m_course);
  m_row->addWidget(m_step, 5);
  m_row->addWidget(m_live, 5);
  // What the first tour points at; see also StepCard.
  m_course->setObjectName(QStringLiteral("learn.course"));
  m_step->setObjectName(QStringLiteral("learn.step"));
  m_live->setObjectName(QStringLiteral("learn.plots"));
  connect(&m_model, &LearnModel::changed, this, &LearnView::refresh);
  connect(&m_model, &LearnModel::runChanged, this, [this] {
    m_live->showRuns();
    refresh();
  });
  connect(&m_model, &LearnModel::liveTick, this, [this] {
    m_live->tick();
    m_step->tick();
  });
  connect(&m_model, &LearnModel::languageChanged, this, &LearnView::setLanguage);
  connect(&m_theme, &Theme::changed, this, &LearnView::restyle);
  connect(m_step, &StepCard::menuAsked, this, [this] { openDrawer(!m_course->isVisible()); });
  connect(findChild<ResultCard*>(), &ResultCard::evidenceAsked, this, [this](const QString& run) {
    if (showElsewhere) showElsewhere("profile", run);
  });
  connect(m_course, &CoursePanel::chosen, this, [this] { openDrawer(false); });
  connect(m_live, &LivePanel::saveFailed, this, &LearnView::tellSaveFailed);
  const auto& words = m_model.words();
  makeAction(this, words, "learn.run", {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { m_model.start(); });
  makeAction(this, words, "learn.next", {QKeySequence(Qt::ALT | Qt::Key_Right)}, [this] { m_model.go(1); });
  makeAction(this, words, "learn.back", {QKeySequence(Qt::ALT | Qt::Key_Left)}, [this] { m_model.go(-1); });
  refresh();
}

void LearnView::refresh() {
  m_course->refresh();
  m_step->refresh();
}

void LearnView::setLanguage() {
  m_course->retext();
  m_live->retext();
  m_live->showRuns();
  m_step->refresh();
}

void LearnView::restyle() {
  m_course->restyle();
  m_step->restyle();
  m_live->restyle();
  arrange();
}

void LearnView::setPresenting(bool presenting) {
  m_presenting = presenting;
  arrange();
}

void LearnView::page(int direction) {
  m_step->page(direction);
}

void LearnView::arrange() {
  const bool drawer = m_presenting || width() < m_theme.px(kDrawerBelow);
  m_live->setTwoColumns(width() > m_theme.px(kTwoColumnsAbove));
  m_step->setMenuVisible(drawer);
  if (drawer && m_course->isVisible() && m_drawer) openDrawer(true);
  if (drawer == m_drawer) return;
  m_drawer = drawer;
  qApp->removeEventFilter(this);
  if (drawer) {
    m_row->removeWidget(m_course);
    m_course->hide();
  } else {
    m_row->insertWidget(0, m_course);
    m_course->show();
  }
}

void LearnView::openDrawer(bool open) {
  if (!m_drawer) return;
  m_course->setVisible(open);
  qApp->removeEventFilter(this);
  if (!open) return;
  qApp->installEventFilter(this);
  const int margin = m_row->contentsMargins().left();
  m_course->setGeometry(margin, margin, m_course->width(), height() - 2 * margin);
  m_course->raise();
  m_course->takeFocus();
}

void LearnView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void LearnView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && m_drawer && m_course->isVisible()) openDrawer(false);
  else QWidget::keyPressEvent(event);
}

bool LearnView::eventFilter(QObject* watched, QEvent* event) {
  // A press beside the open drawer closes it; the press itself still does what it was meant for.
  const auto* widget = event->type() == QEvent::MouseButtonPress ? qobject_cast<QWidget*>(watched) : nullptr;
  if (widget && !m_step->isMenu(widget) && (m_step->isAncestorOf(widget) || m_live->isAncestorOf(widget))) openDrawer(false);
  return QWidget::eventFilter(watched, event);
}

void LearnView::tellSaveFailed(const QString& file) {
  QMessageBox said(QMessageBox::Warning, m_model.text("app.plot.save_data"),
                   m_model.text(wire::Message{"app.plot.save_failed", {{"file", file.toStdString()}}}), QMessageBox::NoButton,
                   this);
  said.addButton(m_model.text("app.close"), QMessageBox::RejectRole);
  said.exec();
}

ViewUnit view_learn() {
  return {"learn", 10, "book", [](const Desktop& desktop, QWidget* parent) -> View* {
            auto* view = new LearnView(desktop.theme, desktop.learn, parent);
            view->findChild<RunControls*>()->offer(makeScriptAction(desktop, view));
            return view;
          }};
}

}  // namespace atelier::app
