// RunSeries: the curves of one variant of one run, built from its events, live or replayed. One time axis for all curves:
// seconds since the run's start. Bounded in memory whatever the run says, see bounded_curve.h. Logic only (no widgets). GUI
// thread.
#pragma once

#include <QString>
#include <QVector>

#include <optional>
#include <string>
#include <utility>

#include "core/wire/run_event.h"
#include "core/wire/summary.h"

namespace atelier::app {

struct Curve {
  QVector<double> x, y;  // seconds, value; a non-finite y is a gap
  void add(double at, double value) {
    x.append(at);
    y.append(value);
  }
};

struct Band {  // an interval over time: the running median of samples/s with its 95 % interval
  QVector<double> x, low, high;
};

class RunSeries {
 public:
  RunSeries(QString label, int order) : m_label(std::move(label)), m_order(order) {}

  void take(const wire::RunEvent& event);
  // The same curves (shared, not copied) under another label and order.
  RunSeries as(QString label, int order) const {
    auto same = *this;
    same.m_label = std::move(label);
    same.m_order = order;
    return same;
  }

  const QString& label() const { return m_label; }  // "A", "B", or the run's name
  int order() const { return m_order; }             // picks colour, marker and dash: the same everywhere
  const QString& runId() const { return m_runId; }

  const Curve& samplesPerSecond() const { return m_rate; }
  const Band& rateBand() const { return m_band; }  // over measured blocks
  // Stacked from below: weights, optimizer, gradients, activations, other; bytes. Five curves on one x.
  const QVector<Curve>& memory() const { return m_memory; }
  const Curve& memoryTotal() const { return m_memoryTotal; }
  std::int64_t budget() const { return m_budget; }
  const Curve& rss() const { return m_rss; }
  const Curve& cpu() const { return m_cpu; }  // percent, 100 = all cores
  const Curve& loss() const { return m_loss; }
  const Curve& accuracy() const { return m_accuracy; }  // share, at epoch ends
  const Curve& queue() const { return m_queue; }        // batches that stand ready; empty: nobody makes any ahead
  const Curve& waiting() const { return m_waiting; }    // share of the steps' time in which they waited for data
  // Steps from the run's start to its last change; empty where no loss scale ever changed.
  const Curve& lossScale() const { return m_lossScale; }
  struct Disturbed {       // a block left out of the figures
    double from, to;       // seconds
    std::string reason{};  // catalog id, "busy.others"; "" when the record doesn't say
  };
  const QVector<Disturbed>& disturbed() const { return m_disturbed; }

  std::int64_t step() const { return m_step; }
  std::int64_t plannedSteps() const { return m_planned; }
  const QString& phase() const { return m_phase; }
  const std::optional<wire::RunSummary>& summary() const { return m_summary; }
  const nlohmann::json& spec() const { return m_spec; }
  const nlohmann::json& environment() const { return m_environment; }
  std::optional<wire::RunFailed> failure() const { return m_failure; }

 private:
  void takeProgress(const wire::Progress& progress, double at);
  void takeMemory(const wire::MemorySampled& memory, double at);
  void takeBlock(const wire::BlockDone& block, double at);
  void takeRate(double rate);
  void takeScale(const wire::ScaleChanged& scale, double at);

  QString m_label, m_runId, m_phase;
  int m_order = 0;
  Curve m_rate, m_memoryTotal, m_rss, m_cpu, m_loss, m_accuracy, m_queue, m_waiting, m_lossScale;
  Band m_band;
  QVector<double> m_blockRates;  // sorted; of every m_stride-th block once there were very many
  std::int64_t m_blocks = 0, m_stride = 1;
  QVector<Curve> m_memory = QVector<Curve>(5);
  QVector<Disturbed> m_disturbed;
  std::int64_t m_budget = 0, m_step = 0, m_planned = 0;
  std::optional<wire::RunSummary> m_summary;
  std::optional<wire::RunFailed> m_failure;
  nlohmann::json m_spec, m_environment;
};

}  // namespace atelier::app
