#include "class_book.h"

#include <QDateTime>

#include <filesystem>
#include <utility>

#include "background.h"
#include "run_desk.h"
#include "settings.h"
#include "words.h"

namespace atelier::app {

namespace {

constexpr auto kFolder = "class/folder";

}  // namespace

ClassBook::ClassBook(Settings& settings, const RunDesk& desk, const Words& words, QObject* parent)
    : QObject(parent),
      m_settings(settings),
      m_desk(desk),
      m_words(words),
      m_folder(settings.value(QLatin1String(kFolder)).toString()) {
  m_timer.setInterval(kPeriod);
  connect(&m_timer, &QTimer::timeout, this, [this] {
    if (!m_desk.busy()) refresh();
  });
}

void ClassBook::setFolder(const QString& folder) {
  if (folder == m_folder) return refresh();
  m_folder = folder;
  m_settings.set(QLatin1String(kFolder), folder);
  m_content = {};
  m_loaded = false;
  refresh();
}

void ClassBook::setWatched(bool watched) {
  if (!watched) return m_timer.stop();
  m_timer.start();
  refresh();
}

void ClassBook::refresh() {
  if (m_folder.isEmpty()) {
    Q_EMIT changed();
    return;
  }
  if (m_reading) {
    m_again = true;
    return;
  }
  m_reading = true;
  Q_EMIT changed();
  inBackground(
      this,
      [folder = std::filesystem::path(m_folder.toStdString()), now = QDateTime::currentMSecsSinceEpoch()] {
        return lab::readClass(folder, now);
      },
      [this, folder = m_folder](lab::Class content) { take(std::move(content), folder); });
}

void ClassBook::take(lab::Class content, const QString& folder) {
  m_reading = false;
  if (folder == m_folder) {
    m_content = std::move(content);
    m_loaded = true;
  }
  if (std::exchange(m_again, false)) refresh();
  else Q_EMIT changed();
}

const lab::LabRollUp* ClassBook::find(const std::string& lab) const {
  for (const auto& candidate : m_content.labs)
    if (candidate.lab == lab) return &candidate;
  return nullptr;
}

void ClassBook::setNamesHidden(bool hidden) {
  if (hidden == m_hidden) return;
  m_hidden = hidden;
  Q_EMIT changed();
}

QString ClassBook::nameOf(std::size_t learner) const {
  const auto number = m_words.format().integer(static_cast<std::int64_t>(learner) + 1);
  if (m_hidden) return m_words.text(wire::Message{"classview.learner", {{"number", number}}});
  return QString::fromStdString(m_content.learners[learner].label);
}

lab::Class ClassBook::shareable() const {
  auto copy = m_content;
  if (!m_hidden) return copy;
  copy.folder.clear();
  for (std::size_t i = 0; i < copy.learners.size(); ++i) {
    copy.learners[i].name = copy.learners[i].label = nameOf(i).toStdString();
    for (auto& result : copy.learners[i].labs) result.folder.clear();
  }
  const auto count = static_cast<std::int64_t>(copy.problems.size());
  copy.problems.clear();
  // The reasons name files, and the files' names name people.
  if (count > 0) copy.problems.push_back({"classview.left_out", {{"count", m_words.format().integer(count)}}});
  return copy;
}

}  // namespace atelier::app
