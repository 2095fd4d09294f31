#include "name_filter.h"

#include <QStringList>

#include "fuzzy.h"

namespace atelier::app {

namespace {

// Which of the words stand in a text, a bit each.
std::uint64_t wordsIn(const std::string& text, const QStringList& words) {
  const auto searched = folded(QString::fromStdString(text));
  std::uint64_t found = 0;
  for (qsizetype i = 0; i < words.size(); ++i)
    if (searched.contains(words[i])) found |= std::uint64_t{1} << i;
  return found;
}

}  // namespace

NameFilter::NameFilter(const trace::Trace& trace, const QString& text) {
  constexpr qsizetype kMostWords = 63;
  const auto words = folded(text).split(QLatin1Char(' '), Qt::SkipEmptyParts).mid(0, kMostWords);
  if (words.isEmpty()) return;
  m_all = (std::uint64_t{1} << words.size()) - 1;
  m_names.reserve(trace.names.size());
  for (const auto& name : trace.names) m_names.push_back(wordsIn(name, words));
  m_modules.reserve(trace.modules.size());
  for (const auto& module : trace.modules) m_modules.push_back(wordsIn(module.path, words));
}

}  // namespace atelier::app
