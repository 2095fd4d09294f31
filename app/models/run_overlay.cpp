#include "run_overlay.h"

#include <algorithm>
#include <utility>

namespace atelier::app {

RunOverlay::RunOverlay(RunLibrary& library, const RunTexts& texts, QObject* parent)
    : QObject(parent), m_library(library), m_texts(texts) {
  connect(&m_library, &RunLibrary::seriesLoaded, this, &RunOverlay::loaded);
  connect(&m_library, &RunLibrary::changed, this, &RunOverlay::listChanged);
}

int RunOverlay::freeOrder() const {
  int order = 0;
  const auto taken = [this](int wanted) {
    return (m_live && m_live->order() == wanted) ||
           std::any_of(m_entries.begin(), m_entries.end(), [wanted](const Entry& entry) { return entry.order == wanted; });
  };
  while (taken(order)) ++order;
  return order;
}

// From the record, as far as it has been read; what is shown meanwhile (the live curves) stays until then.
void RunOverlay::read(Entry& entry) {
  const auto read = m_library.series(entry.run->id);
  if (!read) return;
  auto named = read->as(m_texts.label(*entry.run), entry.order);
  if (entry.series) *entry.series = std::move(named);
  else entry.series = std::make_unique<RunSeries>(std::move(named));
}

// The entry that the run had, or the live curves that are its own; else one without a place yet (order −1).
RunOverlay::Entry RunOverlay::entryOf(const RunPtr& run, Entries& old) {
  const auto found = std::find_if(old.begin(), old.end(), [&](const Entry& entry) { return entry.run->id == run->id; });
  if (found != old.end()) {
    const bool ended = found->run->summary.status != run->summary.status;
    Entry entry{run, found->order, std::move(found->series)};
    if (ended || !entry.series) read(entry);
    return entry;
  }
  Entry entry{run, -1, nullptr};
  if (m_live && m_live->runId().toStdString() == run->id) {
    entry.order = m_live->order();
    entry.series = std::exchange(m_live, nullptr);
    read(entry);
  }
  return entry;
}

void RunOverlay::choose(std::vector<RunPtr> runs) {
  m_dropped = std::max(0, static_cast<int>(runs.size()) - kMost);
  if (m_dropped > 0) runs.resize(kMost);
  // The views still show the old curves: these go when the views were told.
  auto old = std::exchange(m_entries, {});
  for (const auto& run : runs) m_entries.push_back(entryOf(run, old));
  // Those that stay keep their order; the others get what is free.
  for (auto& entry : m_entries) {
    if (entry.order >= 0) continue;
    entry.order = freeOrder();
    read(entry);
  }
  for (const auto& entry : old)
    if (std::none_of(runs.begin(), runs.end(), [&](const RunPtr& run) { return run->id == entry.run->id; }))
      m_library.forget(entry.run->id);
  m_chosen = std::move(runs);
  countOrders();
  Q_EMIT changed();
}

void RunOverlay::countOrders() {
  m_orders.clear();
  for (const auto& entry : m_entries) m_orders.insert(QString::fromStdString(entry.run->id), entry.order);
}

int RunOverlay::waiting() const {
  return static_cast<int>(
      std::count_if(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.series == nullptr; }));
}

QVector<const RunSeries*> RunOverlay::series() const {
  QVector<const RunSeries*> all;
  for (const auto& entry : m_entries)
    if (entry.series) all.append(entry.series.get());
  if (m_live) all.append(m_live.get());
  return all;
}

nlohmann::json RunOverlay::environment(const std::string& id) const {
  for (const auto& entry : m_entries)
    if (entry.run->id == id && entry.series && !entry.series->environment().empty()) return entry.series->environment();
  return {};
}

void RunOverlay::loaded(const QString& id) {
  const auto wanted = id.toStdString();
  const auto entry =
      std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& candidate) { return candidate.run->id == wanted; });
  if (entry == m_entries.end()) return;
  read(*entry);
  Q_EMIT changed();
}

// Runs that are gone are chosen no more; one that has ended since is read again.
void RunOverlay::listChanged() {
  std::vector<RunPtr> still;
  bool different = false;
  for (const auto& run : m_chosen) {
    const auto now = m_library.find(run->id);
    if (now) still.push_back(now);
    different = different || !now || now->summary.status != run->summary.status;
  }
  if (different) return choose(std::move(still));
  for (std::size_t i = 0; i < m_entries.size(); ++i) m_entries[i].run = still[i];
  m_chosen = std::move(still);
}

void RunOverlay::rename() {
  m_chosen.clear();
  for (auto& entry : m_entries) {
    if (const auto now = m_library.find(entry.run->id)) entry.run = now;
    m_chosen.push_back(entry.run);
    const auto label = m_texts.label(*entry.run);
    if (entry.series && entry.series->label() != label) *entry.series = entry.series->as(label, entry.order);
  }
  Q_EMIT changed();
}

void RunOverlay::startLive(const QString& label) {
  const auto old = std::exchange(m_live, nullptr);
  m_live = std::make_unique<RunSeries>(label, freeOrder());
  Q_EMIT changed();
}

void RunOverlay::takeLive(const wire::RunEvent& event) {
  if (m_live) m_live->take(event);
}

void RunOverlay::endLive() {
  if (!m_live || !m_live->runId().isEmpty()) return;
  // It never began: there is nothing to keep.
  const auto old = std::exchange(m_live, nullptr);
  Q_EMIT changed();
}

}  // namespace atelier::app
