// RunOverlay: the runs whose curves lie over one another, each with a colour, a marker and a dash that it keeps for as long as
// it is chosen. Curves are read in the background and appear as they come; the run that is being measured can be among them,
// live. Invariant: what series() gave lives until the next changed() has been told. GUI thread.
#pragma once

#include <QHash>
#include <QObject>
#include <QVector>

#include <memory>
#include <string>
#include <vector>

#include "run_library.h"
#include "run_texts.h"

namespace atelier::app {

class RunOverlay : public QObject {
  Q_OBJECT
 public:
  // More curves than that can't be told apart, and would take long to read.
  static constexpr int kMost = 100;

  RunOverlay(RunLibrary& library, const RunTexts& texts, QObject* parent = nullptr);

  // In the order in which they are to stand. Only the first kMost are taken; dropped() says how many were not.
  void choose(std::vector<RunPtr> runs);
  const std::vector<RunPtr>& runs() const { return m_chosen; }
  int dropped() const { return m_dropped; }
  int waiting() const;  // curves that are still being read
  QVector<const RunSeries*> series() const;
  const QHash<QString, int>& orders() const { return m_orders; }
  // Of a run, as its own record tells it; null until it has been read.
  nlohmann::json environment(const std::string& id) const;
  // The labels may have changed.
  void rename();

  // The run that is measured now, shown beside the others until the record takes its place.
  void startLive(const QString& label);
  void takeLive(const wire::RunEvent& event);
  void endLive();  // keeps the curves until its run is chosen, or the next one starts
  bool live() const { return m_live != nullptr; }
  QString liveRun() const { return m_live ? m_live->runId() : QString(); }

 Q_SIGNALS:
  void changed();  // the set of curves

 private:
  struct Entry {
    RunPtr run;
    int order = 0;
    std::unique_ptr<RunSeries> series;
  };
  using Entries = std::vector<Entry>;

  int freeOrder() const;
  void read(Entry& entry);
  Entry entryOf(const RunPtr& run, Entries& old);
  void loaded(const QString& id);
  void listChanged();
  void countOrders();

  RunLibrary& m_library;
  const RunTexts& m_texts;
  std::vector<RunPtr> m_chosen;
  Entries m_entries;
  QHash<QString, int> m_orders;
  std::unique_ptr<RunSeries> m_live;
  int m_dropped = 0;
};

}  // namespace atelier::app
