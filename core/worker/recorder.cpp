#include "recorder.h"

#include <cerrno>

#include <poll.h>

#include <unistd.h>

namespace atelier::worker {
namespace {

constexpr auto kGather = std::chrono::milliseconds(190);
constexpr std::size_t kGatherBytes = 16 << 10;  // well below a pipe's capacity

bool writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd wait{descriptor, POLLOUT, 0};
      poll(&wait, 1, -1);
      continue;
    }
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Recorder::Recorder(std::filesystem::path home, std::string race, int events, Console& console, engine::Control& control,
                   BarPart bar)
    : m_home(std::move(home)),
      m_race(std::move(race)),
      m_events(events),
      m_console(console),
      m_control(control),
      m_bar(std::move(bar)) {}

void Recorder::take(const std::string& variant, wire::EventBody body) {
  const std::lock_guard lock(m_mutex);
  if (auto* started = std::get_if<wire::RunStarted>(&body)) {
    if (!m_race.empty()) started->environment["race"] = m_race;
    auto writer = registry::RunWriter::create(m_home, started->run_id, started->spec, started->environment);
    if (writer.ok()) m_writers[variant] = std::move(writer).value();
    else if (!m_failure) {
      m_failure = writer.error();
      m_control.stop();
    }
  }
  const auto elapsed = std::chrono::steady_clock::now() - m_begin;
  write(variant, {0, std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count(), variant, body});
  show(variant, body);
}

void Recorder::write(const std::string& variant, const wire::RunEvent& event) {
  const auto line = wire::encodeEvent(event);
  tell(line, event);
  for (const auto& [name, writer] : m_writers) {
    // What belongs to no variant (a race's state) is told in both records.
    if (name != variant && !variant.empty()) continue;
    const auto written = writer->append(line);
    if (written.ok() || m_failure) continue;
    m_failure = written.error();
    m_control.stop();
  }
}

// Samples are gathered for a fifth of a second, so that whoever listens is woken five times a second, not fifty: on few cores
// its waking costs the run. The monitor samples more often than that, so nothing waits longer. All else goes out at once.
void Recorder::tell(const std::string& line, const wire::RunEvent& event) {
  if (m_events < 0) return;
  m_pending += line;
  m_pending += '\n';
  const auto now = std::chrono::steady_clock::now();
  const bool sample = std::holds_alternative<wire::Progress>(event.body) ||
                      std::holds_alternative<wire::MemorySampled>(event.body) ||
                      std::holds_alternative<wire::SystemSampled>(event.body);
  if (sample && now - m_told < kGather && m_pending.size() < kGatherBytes) return;
  // When the reader is gone the record in the folder goes on.
  if (!writeAll(m_events, m_pending)) m_events = -1;
  m_pending.clear();
  m_told = now;
}

void Recorder::show(const std::string& variant, const wire::EventBody& body) {
  if (const auto* phase = std::get_if<wire::PhaseChanged>(&body))
    m_phase = m_bar.label + m_console.text("phase." + phase->phase);
  if (const auto* notice = std::get_if<wire::Noticed>(&body); notice && m_events < 0) {
    m_console.endProgress();
    m_console.warn(notice->message);
  }
  const auto* progress = std::get_if<wire::Progress>(&body);
  if (!progress) return;
  m_shares[variant] =
      static_cast<double>(progress->step) / static_cast<double>(std::max<std::int64_t>(1, progress->planned_steps));
  double share = 0;
  for (const auto& [name, value] : m_shares) share += value / static_cast<double>(m_writers.empty() ? 1 : m_writers.size());
  m_console.progress(m_phase, m_bar.from + m_bar.share * std::min(1.0, share),
                     m_console.format().integer(static_cast<std::int64_t>(progress->samples_per_second)) + " " +
                         m_console.text("unit.samples_per_second"));
}

void Recorder::finish(const wire::RunSummary& summary) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_writers.find(summary.variant);
  if (found == m_writers.end()) return;
  const auto finished = found->second->finish(summary);
  if (!finished.ok() && !m_failure) m_failure = finished.error();
  m_writers.erase(found);
}

std::optional<wire::Error> Recorder::failure() const {
  const std::lock_guard lock(m_mutex);
  return m_failure;
}

}  // namespace atelier::worker
