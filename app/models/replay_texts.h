// What is said about a replay, in the reader's language: above all that nothing of it is measured here. GUI thread.
#pragma once

#include <QString>

#include "recording.h"

namespace atelier::app {

class Words;

// "REPLAY ×4 — recorded, not measured here": stands wherever a replay's curves or figures do.
QString replayMark(const Words& words, double speed);
// The same where no speed belongs: a report.
QString replayMark(const Words& words);
// "Recorded on Example CPU (2 threads) with GPU …, 2026-11-30".
QString recordedOn(const Words& words, const Recording& recording);
// What the recording is: the run's name, "Race …", "Sweep …".
QString recordingTitle(const Words& words, const Recording& recording);
// "12 s of 48 s".
QString replayTime(const Words& words, std::int64_t position, std::int64_t length);

}  // namespace atelier::app
