#include "presenter_chooser.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

#include <algorithm>

#include "app/models/learn_model.h"
#include "app/models/words.h"
#include "app/views/learn/parts.h"
#include "theme.h"
#include "view.h"

namespace atelier::app {

namespace {

constexpr int kWidth = 560, kHeight = 460;

bool movesInList(int key) {
  return key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown;
}

}  // namespace

PresenterChooser::PresenterChooser(const Desktop& desktop, QWidget* parent) : QDialog(parent), m_desktop(desktop) {
  const auto& words = m_desktop.words;
  setWindowTitle(words.text("presenter.jump"));
  resize(m_desktop.theme.px(kWidth), m_desktop.theme.px(kHeight));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(8);
  column->addWidget(m_query = new QLineEdit(this));
  column->addWidget(m_list = new QListView(this), 1);
  column->addWidget(m_nothing = makeLabel("soft", this));
  auto* about = makeLabel("soft", this);
  about->setText(words.text("presenter.jump.about"));
  column->addWidget(about);
  m_query->setPlaceholderText(words.text("presenter.jump.search"));
  name(m_query, words.text("presenter.jump.search"));
  name(m_list, words.text("presenter.jump.steps"));
  m_list->setProperty("role", "list");
  m_list->setUniformItemSizes(true);
  m_steps.setCourse(m_desktop.learn.course());
  m_list->setModel(&m_steps);
  // The arrows work while one types.
  m_query->installEventFilter(this);
  connect(m_query, &QLineEdit::textChanged, this, &PresenterChooser::search);
  connect(m_list, &QListView::clicked, this, &PresenterChooser::choose);
  m_list->installEventFilter(this);
  search(QString());
  m_query->setFocus();
}

void PresenterChooser::search(const QString& query) {
  m_steps.setQuery(query);
  const auto* session = m_desktop.learn.session();
  const int here = session && query.trimmed().isEmpty() ? m_steps.rowOf(session->lab().id, session->index()) : 0;
  m_list->setCurrentIndex(m_steps.index(std::max(0, here), 0));
  showText(m_nothing, m_steps.rowCount() == 0 ? m_desktop.words.text("presenter.jump.nothing") : QString());
}

void PresenterChooser::choose() {
  const auto at = m_list->currentIndex();
  if (!at.isValid()) return;
  const auto lab = at.data(StepFinder::LabRole).toString();
  const int step = at.data(StepFinder::StepRole).toInt();
  accept();
  Q_EMIT chosen(lab, step);
}

bool PresenterChooser::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      choose();
      return true;
    }
    if (watched == m_query && movesInList(key)) {
      QCoreApplication::sendEvent(m_list, event);
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace atelier::app
