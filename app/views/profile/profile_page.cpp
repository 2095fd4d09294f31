#include "profile_page.h"

#include <utility>

#include "app/models/words.h"
#include "app/shell/theme.h"

namespace atelier::app {

ProfilePage::ProfilePage(const Desktop& desktop, TraceSelection& selection, QWidget* parent)
    : QWidget(parent), m_desktop(desktop), m_selection(selection) {
  setProperty("role", "plain");
  connect(&desktop.words, &Words::changed, this, &ProfilePage::refill);
  connect(&desktop.theme, &Theme::changed, this, &ProfilePage::refill);
}

void ProfilePage::setContent(TraceDocument::ContentPtr content) {
  release();
  m_content = std::move(content);
  refill();
}

void ProfilePage::refill() {
  m_stale = !isVisible();
  if (!m_stale) fill();
}

void ProfilePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(m_stale, false)) fill();
}

}  // namespace atelier::app
