// Recording: what one or several runs told while they were measured, brought onto one time line that a Replay can play. A
// race's runs share the race's clock; a sweep's points follow one another as they were measured, each with its own clock; runs
// that have nothing to do with one another start together. Invariants: at least one track and one event; events stand in rising
// order of `at`, no time is negative or beyond a week. Values and pure functions but for those that read; any thread.
#pragma once

#include <QString>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/registry/archive.h"
#include "core/wire/result.h"
#include "core/wire/run_event.h"
#include "labs/check.h"
#include "run_series.h"

namespace atelier::app {

struct RecordedTrack {
  QString label;  // "A" … of a race, the values of a sweep's point, else the run's name or id
  registry::RunRecord run;
  nlohmann::json environment;
};

struct RecordedEvent {
  std::int64_t at = 0;  // nanoseconds on the recording's time line
  std::size_t track = 0;
  wire::RunEvent event;  // keeps its own time
};

struct Recording {
  enum class Kind { Run, Race, Sweep, Several };

  Kind kind = Kind::Run;
  std::vector<RecordedTrack> tracks;
  std::vector<RecordedEvent> events;
  std::optional<wire::RaceSummary> race{};

  std::int64_t length() const { return events.empty() ? 0 : events.back().at; }
};

// From runs in any order; replay.no_events when none of them told anything.
wire::Result<Recording> assemble(std::vector<registry::ArchivedRun> runs);

// The runs of an archive, without importing them.
wire::Result<Recording> recordingIn(const std::filesystem::path& file);
// Runs of the registry by their ids; one that is gone is an error.
wire::Result<Recording> recordingOf(const std::filesystem::path& home, const std::vector<std::string>& ids);
// By what a person has at hand: an archive file, the id (or its unique beginning) of a run, the id of a race or of a sweep. A
// run of a race comes with the whole race.
wire::Result<Recording> findRecording(const std::filesystem::path& home, const std::string& what);
// Whether there is such a thing, without reading it.
wire::Status checkRecording(const std::filesystem::path& home, const std::string& what);

// What the experiment came to, in the form that a lab's checks read; nothing when it was not done.
std::optional<lab::Outcome> outcomeOf(const Recording& recording);

// The whole record of a track as curves.
RunSeries seriesOf(const Recording& recording, std::size_t track);

}  // namespace atelier::app
