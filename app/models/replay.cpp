#include "replay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

namespace atelier::app {

namespace {

constexpr int kLook = 100;  // milliseconds

std::int64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Replay::Replay(QObject* parent) : Replay(steadyNanoseconds, parent) {}

Replay::Replay(Clock clock, QObject* parent) : QObject(parent), m_clock(std::move(clock)), m_pace([] { return kLook; }) {
  m_timer.setSingleShot(true);
  connect(&m_timer, &QTimer::timeout, this, [this] {
    advance();
    if (m_state == State::Playing) m_timer.start(m_pace());
  });
}

void Replay::load(std::shared_ptr<const Recording> recording) {
  // The views still show the old curves: these go when the views were told.
  const auto old = std::exchange(m_series, {});
  m_recording = std::move(recording);
  for (std::size_t track = 0; m_recording && track < m_recording->tracks.size(); ++track)
    m_series.push_back(std::make_unique<RunSeries>(m_recording->tracks[track].label, static_cast<int>(track)));
  findPauses();
  findBlocks();
  m_timer.stop();
  m_state = State::Paused;
  rewind();
  takeUntil(0);
  Q_EMIT changed();
  Q_EMIT advanced();
}

// From "paused" to "resumed" of each run. A race pauses as a whole and each of its runs says so: stretches that overlap are one.
void Replay::findPauses() {
  m_pauses.clear();
  if (!m_recording) return;
  std::map<std::size_t, std::int64_t> since;
  std::vector<Pause> all;
  for (const auto& recorded : m_recording->events) {
    const auto* phase = std::get_if<wire::PhaseChanged>(&recorded.event.body);
    if (!phase) continue;
    if (phase->phase == "paused") since.try_emplace(recorded.track, recorded.at);
    const auto open = since.find(recorded.track);
    if (phase->phase != "resumed" || open == since.end()) continue;
    all.push_back({open->second, recorded.at});
    since.erase(open);
  }
  std::sort(all.begin(), all.end(), [](const Pause& a, const Pause& b) { return a.from < b.from; });
  for (const auto& pause : all) {
    if (m_pauses.empty() || pause.from > m_pauses.back().to) m_pauses.push_back(pause);
    else m_pauses.back().to = std::max(m_pauses.back().to, pause.to);
  }
}

void Replay::findBlocks() {
  m_blocks.clear();
  if (!m_recording) return;
  for (const auto& recorded : m_recording->events)
    if (std::holds_alternative<wire::BlockDone>(recorded.event.body)) m_blocks.push_back(recorded.at);
  m_blocks.erase(std::unique(m_blocks.begin(), m_blocks.end()), m_blocks.end());
}

QVector<const RunSeries*> Replay::series() const {
  QVector<const RunSeries*> all;
  for (const auto& series : m_series) all.append(series.get());
  return all;
}

void Replay::play() {
  if (!m_recording || m_state == State::Playing) return;
  if (m_state == State::Ended) {
    rewind();
    takeUntil(0);
  }
  m_last = m_clock();
  m_timer.start(m_pace());
  setState(State::Playing);
}

void Replay::pause() {
  if (m_state != State::Playing) return;
  advance();
  if (m_state != State::Playing) return;
  m_timer.stop();
  setState(State::Paused);
}

void Replay::toggle() {
  if (m_state == State::Playing) pause();
  else play();
}

void Replay::setSpeed(double speed) {
  if (!std::isfinite(speed)) return;
  // The time until now was played at the old speed.
  advance();
  const double kept = std::clamp(speed, kSpeeds.front(), kSpeeds.back());
  if (std::exchange(m_speed, kept) == kept) return;
  Q_EMIT changed();
}

void Replay::seek(std::int64_t position) {
  if (!m_recording) return;
  if (m_state == State::Playing) m_last = m_clock();
  moveTo(position);
}

void Replay::nextBlock() {
  const auto next = std::upper_bound(m_blocks.begin(), m_blocks.end(), m_position);
  seek(next == m_blocks.end() ? length() : *next);
}

void Replay::previousBlock() {
  const auto here = std::lower_bound(m_blocks.begin(), m_blocks.end(), m_position);
  seek(here == m_blocks.begin() ? 0 : *std::prev(here));
}

void Replay::toEnd() {
  seek(length());
}

void Replay::advance() {
  if (m_state != State::Playing) return;
  const auto now = m_clock();
  const auto passed = std::max<std::int64_t>(0, now - std::exchange(m_last, now));
  // More than there can be left is as good as any such number, and fits.
  const double time = std::min(static_cast<double>(passed) * m_speed, static_cast<double>(length()));
  moveTo(ahead(m_position, static_cast<std::int64_t>(time)));
}

// Where `time` of playing leads: pauses take none of it when they are skipped.
std::int64_t Replay::ahead(std::int64_t from, std::int64_t time) const {
  if (m_skipPauses) {
    for (const auto& pause : m_pauses) {
      if (pause.to <= from) continue;
      if (from + time < pause.from) break;
      time -= std::max<std::int64_t>(0, pause.from - from);
      from = pause.to;
    }
  }
  return from + time;
}

void Replay::moveTo(std::int64_t position) {
  position = std::clamp<std::int64_t>(position, 0, length());
  if (position < m_position) rewind();
  takeUntil(position);
  const bool end = position >= length();
  if (end) m_timer.stop();
  Q_EMIT advanced();
  if (end) setState(State::Ended);
  else if (m_state == State::Ended) setState(State::Paused);
}

// In place: whoever shows a curve holds its address.
void Replay::rewind() {
  for (auto& series : m_series) *series = RunSeries(series->label(), series->order());
  m_race.reset();
  m_next = 0;
  m_position = 0;
}

void Replay::takeUntil(std::int64_t position) {
  m_position = position;
  if (!m_recording) return;
  const auto& events = m_recording->events;
  for (; m_next < events.size() && events[m_next].at <= position; ++m_next) {
    const auto& recorded = events[m_next];
    m_series[recorded.track]->take(recorded.event);
    const auto* race = std::get_if<wire::RaceUpdated>(&recorded.event.body);
    if (race && race->variant == "b") m_race = *race;
  }
}

void Replay::setState(State state) {
  if (state == m_state) return;
  m_state = state;
  Q_EMIT changed();
}

}  // namespace atelier::app
