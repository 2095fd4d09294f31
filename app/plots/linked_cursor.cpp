#include "linked_cursor.h"

namespace atelier::app {

void LinkedCursor::set(std::optional<double> seconds) {
  if (seconds == m_time) return;
  m_time = seconds;
  Q_EMIT moved();
}

}  // namespace atelier::app
