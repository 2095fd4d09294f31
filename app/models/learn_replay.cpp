#include "learn_replay.h"

#include <utility>

#include "background.h"
#include "learn_model.h"
#include "run_desk.h"

namespace atelier::app {

namespace {

constexpr int kLook = 100;  // milliseconds, where nothing is measured

}  // namespace

LearnReplay::LearnReplay(const LearnModel& model, RunDesk& desk, QObject* parent)
    : QObject(parent), m_model(model), m_desk(desk), m_player(this) {
  m_player.setPace([this] { return m_desk.busy() ? m_pacer.next() : kLook; });
  connect(&m_player, &Replay::changed, this, &LearnReplay::tellState);
  connect(&m_player, &Replay::advanced, this, &LearnReplay::advanced);
}

bool LearnReplay::ofStep() const {
  const auto* session = m_model.session();
  return session && !m_step.empty() && m_visit == m_model.visit() && session->step().id == m_step;
}

bool LearnReplay::shown() const {
  return ofStep() && !m_loading && m_player.recording() != nullptr;
}

bool LearnReplay::offers(Record record) const {
  const auto* session = m_model.session();
  if (!session || !session->step().experiment) return false;
  const auto& step = session->step().id;
  const auto* running = m_model.runningStep();
  if (running && running->id == step) return false;
  if (record == Record::Lab) return session->lab().recorded.contains(step);
  const auto& outcome = session->progress(step).outcome;
  return outcome && !outcome->run_ids.empty();
}

std::function<wire::Result<Recording>()> LearnReplay::readerOf(Record record) const {
  const auto& session = *m_model.session();
  const auto& step = session.step().id;
  if (record == Record::Lab) return [file = session.lab().recorded.at(step)] { return recordingIn(file); };
  return [home = m_model.home(), ids = session.progress(step).outcome->run_ids] { return recordingOf(home, ids); };
}

void LearnReplay::start(Record record) {
  if (!offers(record)) return;
  m_step = m_model.session()->step().id;
  m_visit = m_model.visit();
  m_record = record;
  m_loading = true;
  m_player.pause();
  m_pacer.reset();
  Q_EMIT changed();
  inBackground(this, readerOf(record), [this, reading = ++m_reading](wire::Result<Recording> read) {
    // Another one was asked for since, or none.
    if (reading == m_reading) take(std::move(read));
  });
}

// A lab's author may have put the record of something else there.
bool LearnReplay::fits(const Recording& recording) const {
  const auto& verb = m_model.session()->step().experiment->verb;
  if (verb == "max-batch") return false;  // a search leaves no run
  return recording.kind == (verb == "race" ? Recording::Kind::Race : Recording::Kind::Run);
}

void LearnReplay::take(wire::Result<Recording> read) {
  m_loading = false;
  const bool here = ofStep();
  if (here && read && fits(*read)) {
    m_player.load(std::make_shared<const Recording>(std::move(*read)));
    m_player.play();
    return;
  }
  m_step.clear();
  m_player.load(nullptr);
  if (!here) return;
  Q_EMIT failed(read ? wire::Error{wire::ExitCode::Usage, wire::Message{"replay.other_experiment"}} : read.error());
}

void LearnReplay::tellState() {
  if (outcome()) m_played[m_step] = m_player.recording();
  Q_EMIT changed();
}

void LearnReplay::close() {
  ++m_reading;
  m_loading = false;
  if (m_step.empty()) return;
  m_step.clear();
  m_player.load(nullptr);
}

void LearnReplay::follow() {
  if (m_visit != m_model.visit()) {
    m_visit = m_model.visit();
    m_played.clear();
    close();
  } else if (!ofStep()) {
    m_player.pause();
  }
}

std::optional<lab::Outcome> LearnReplay::outcome() const {
  if (!shown() || m_player.state() != Replay::State::Ended) return std::nullopt;
  return outcomeOf(*m_player.recording());
}

std::vector<lab::CheckResult> LearnReplay::checks() const {
  auto judged = *m_model.session();
  for (const auto& [step, recording] : m_played)
    if (auto result = outcomeOf(*recording); result && !judged.progress(step).outcome) judged.record(step, std::move(*result));
  if (auto result = outcome()) judged.record(m_step, std::move(*result));
  return judged.checks(m_model.session()->step().id);
}

}  // namespace atelier::app
