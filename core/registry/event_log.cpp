#include "event_log.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "registry.h"

namespace atelier::registry {
namespace {

constexpr std::uintmax_t kLargestLog = 4ULL << 30;

std::optional<wire::Interval> medianInterval(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto count = values.size();
  const double median = (values[(count - 1) / 2] + values[count / 2]) / 2;
  const double n = static_cast<double>(count);
  const auto rank = static_cast<std::size_t>(std::max(0.0, std::floor((n - 1.96 * std::sqrt(n)) / 2)));
  return wire::Interval{median, values[rank], values[count - 1 - rank], static_cast<int>(count)};
}

void add(wire::StageTimes& sum, const wire::StageTimes& more) {
  sum.data += more.data;
  sum.forward += more.forward;
  sum.backward += more.backward;
  sum.optimizer += more.optimizer;
  sum.other += more.other;
  sum.wall += more.wall;
}

// Gathers what the events tell, in their order.
class Recovery {
 public:
  explicit Recovery(wire::RunSummary& summary) : m_summary(summary) {}

  void operator()(const wire::RunStarted& e) { m_summary.notices = e.notices; }
  void operator()(const wire::MemorySampled& e) {
    if (e.peak.total >= m_summary.peak_memory_bytes.total) m_summary.peak_memory_bytes = e.peak;
  }
  void operator()(const wire::SystemSampled& e) { m_summary.rss_bytes = std::max(m_summary.rss_bytes, e.rss_bytes); }
  void operator()(const wire::BlockDone& e) {
    ++m_summary.blocks;
    m_summary.steps += e.steps;
    m_summary.samples += e.samples;
    add(m_summary.stages, e.stages);
    if (e.loss) m_summary.loss = e.loss;
    if (e.disturbed) ++m_summary.disturbed_blocks;
    else if (std::isfinite(e.samples_per_second)) m_rates.push_back(e.samples_per_second);
  }
  void operator()(const wire::EpochDone& e) {
    m_summary.epochs = e.epoch;
    m_summary.accuracy = e.accuracy;
  }
  template <class Other>
  void operator()(const Other&) {}

  const std::vector<double>& rates() const { return m_rates; }

 private:
  wire::RunSummary& m_summary;
  std::vector<double> m_rates;
};

const wire::RunFinished* findFinished(const EventLog& log, const std::string& id) {
  for (auto event = log.events.rbegin(); event != log.events.rend(); ++event) {
    const auto* finished = std::get_if<wire::RunFinished>(&event->body);
    if (!finished || finished->summary.id != id) continue;
    if (const auto& status = finished->summary.status; !status.empty() && status != "running") return finished;
  }
  return nullptr;
}

const wire::RunFailed* findFailed(const EventLog& log) {
  for (auto event = log.events.rbegin(); event != log.events.rend(); ++event)
    if (const auto* failed = std::get_if<wire::RunFailed>(&event->body)) return failed;
  return nullptr;
}

}  // namespace

EventLog decodeLog(std::string_view content) {
  EventLog log;
  while (!content.empty()) {
    const auto end = content.find('\n');
    const auto line = content.substr(0, end);
    auto event = wire::decodeEvent(line);
    if (event) log.events.push_back(std::move(*event));
    if (end == std::string_view::npos) break;
    if (!event && !line.empty()) ++log.skipped;
    log.whole_bytes += end + 1;
    content.remove_prefix(end + 1);
  }
  return log;
}

wire::Result<EventLog> readLog(const std::filesystem::path& events) {
  const auto content = readWhole(events, kLargestLog);
  if (!content) return content.error();
  return decodeLog(*content);
}

wire::RunSummary recoverSummary(const std::string& id, const EventLog& log) {
  if (const auto* finished = findFinished(log, id)) return finished->summary;
  wire::RunSummary summary;
  summary.id = id;
  summary.status = "failed";
  Recovery recovery(summary);
  for (const auto& event : log.events) {
    if (event.rank != 0) continue;
    if (!event.variant.empty()) summary.variant = event.variant;
    std::visit(recovery, event.body);
  }
  summary.samples_per_second = medianInterval(recovery.rates());
  const auto* failed = findFailed(log);
  summary.failure = failed ? failed->messages : std::vector<wire::Message>{{"run.killed"}};
  return summary;
}

bool hasEnding(const EventLog& log) {
  return std::any_of(log.events.begin(), log.events.end(), [](const wire::RunEvent& event) {
    return std::holds_alternative<wire::RunFinished>(event.body) || std::holds_alternative<wire::RunFailed>(event.body);
  });
}

}  // namespace atelier::registry
