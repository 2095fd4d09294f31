// What was replayed, as part of a report: marked, so that nobody takes it for a measurement made here. GUI thread.
#pragma once

#include "app/models/recording.h"
#include "report.h"

namespace atelier::app {

class Words;

ReportExperiment replayedExperiment(const Recording& recording, const QString& title, const Words& words);

// A report on a recording alone.
ReportContent replayReport(const Recording& recording, const QString& learner, const Words& words);

}  // namespace atelier::app
