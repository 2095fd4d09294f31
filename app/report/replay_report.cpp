#include "replay_report.h"

#include <algorithm>

#include "app/models/replay_texts.h"
#include "app/models/words.h"

namespace atelier::app {

namespace {

ReportExperiment marked(const Recording& recording, const QString& title, const Words& words) {
  ReportExperiment experiment;
  experiment.title = title;
  experiment.mark = replayMark(words) + QLatin1Char(' ') + recordedOn(words, recording);
  return experiment;
}

}  // namespace

ReportExperiment replayedExperiment(const Recording& recording, const QString& title, const Words& words) {
  auto experiment = marked(recording, title, words);
  // A report shows an experiment as one run or as two that raced.
  const std::size_t shown = recording.kind == Recording::Kind::Race ? std::min<std::size_t>(2, recording.tracks.size()) : 1;
  for (std::size_t track = 0; track < shown; ++track) experiment.runs.append({seriesOf(recording, track)});
  if (recording.kind == Recording::Kind::Race) {
    experiment.verb = QStringLiteral("race");
    experiment.race = recording.race;
  }
  return experiment;
}

ReportContent replayReport(const Recording& recording, const QString& learner, const Words& words) {
  ReportContent content;
  content.overline = replayMark(words);
  content.title = recordingTitle(words, recording);
  content.subtitle = recordedOn(words, recording);
  content.learner = learner;
  content.language = QString::fromStdString(words.language());
  content.created = QDateTime::currentDateTime();
  content.machine = recording.tracks.front().environment;
  if (recording.kind == Recording::Kind::Race) {
    content.experiments.append(replayedExperiment(recording, content.title, words));
    return content;
  }
  for (std::size_t track = 0; track < recording.tracks.size(); ++track) {
    auto experiment = marked(recording, recording.tracks[track].label, words);
    experiment.runs.append({seriesOf(recording, track)});
    content.experiments.append(experiment);
  }
  return content;
}

}  // namespace atelier::app
