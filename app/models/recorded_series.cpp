#include "recorded_series.h"

#include <algorithm>

namespace atelier::app {

RunSeries recordedSeries(const registry::RunRecord& run, const std::vector<wire::RunEvent>& events) {
  RunSeries series(QString(), 0);
  wire::RunEvent told;
  told.body = wire::RunStarted{run.id, run.spec, nlohmann::json::object(), run.summary.steps, 0, run.summary.blocks, {}};
  series.take(told);
  const auto& variant = run.summary.variant;
  for (const auto& event : events) {
    // What a race said as a whole stands in the records of all its runs; of another variant nothing is taken.
    if (!variant.empty() && !event.variant.empty() && event.variant != variant) continue;
    told.t = std::max(told.t, event.t);
    series.take(event);
  }
  if (run.summary.status == "running") return series;
  told.body = wire::RunFinished{run.summary};
  series.take(told);
  return series;
}

qsizetype pointsOf(const RunSeries& series) {
  qsizetype points = 0;
  for (const auto* curve :
       {&series.samplesPerSecond(), &series.memoryTotal(), &series.rss(), &series.cpu(), &series.loss(), &series.accuracy(),
        &series.queue(), &series.waiting(), &series.lossScale()})
    points += curve->x.size();
  for (const auto& layer : series.memory()) points += layer.x.size();
  return points + 2 * series.rateBand().x.size();
}

}  // namespace atelier::app
