#include "words.h"

#include <QStringList>

namespace atelier::app {

void Words::setLanguage(const std::string& language) {
  if (language == m_catalog.language()) return;
  m_catalog = wire::Catalog::builtIn(language);
  m_format = wire::Format(m_catalog.language());
  Q_EMIT changed();
}

QString Words::text(const std::vector<wire::Message>& messages) const {
  QStringList lines;
  for (const auto& message : messages) lines << text(message);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace atelier::app
