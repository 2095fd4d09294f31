// The PDF report: A4, the light tokens of the look, Inter embedded, 10 pt, margins 20 mm, figures as vectors, text that can
// be extracted, page numbers. Laid out in points from the report's content alone, so that the page is the same at every
// screen scale. GUI thread (fonts).
#pragma once

#include <QDateTime>
#include <QString>
#include <QVector>

#include <optional>

#include "app/models/run_series.h"
#include "core/wire/option.h"
#include "core/wire/result.h"
#include "labs/session.h"

namespace atelier::app {

struct ReportRun {
  RunSeries series;  // curves, spec, environment, summary
};

struct ReportExperiment {                // a step of a lab, or a free selection of runs
  QString title, text;                   // text: what was asked, plain
  QString verb = QStringLiteral("run");  // run, race: what a rerun is typed as
  QVector<ReportRun> runs{};             // one, or two of a race
  std::optional<wire::RaceSummary> race{};
  QString mark{};  // not empty: said under the title of what was not measured here, a replay
  nlohmann::json search{};   // of a search for the largest batch its result, see labs/outcome.h; null else
  nlohmann::json spec{};     // of a search, which leaves no run: what it was asked
  nlohmann::json profile{};  // of a profiled run the tables that a lab keeps, see labs/outcome.h; null else
};

struct ReportFix {  // a step of a lab that applies a plan
  QString title;
  lab::AppliedFix fix{};
};

struct ReportContent {
  QString overline, title, subtitle, learner, language;  // language: en, fr
  QDateTime created;                                     // invalid: now
  std::optional<wire::Schema> schema;  // when at hand, a rerun's command names only what differs from defaults
  nlohmann::json machine;              // environment of the runs: the fingerprint
  std::vector<lab::LabSession::Comparison> predictions;
  QVector<QString> predictionTitles;  // one a prediction: the step's title
  std::vector<lab::CheckResult> checks;
  QVector<QString> checkTitles;  // one a check: the step's title
  QVector<ReportExperiment> experiments;
  QVector<ReportFix> fixes{};  // in the lab's order
  QVector<lab::Ladder> ladders{};
};

// Content of a lab's report from its session and the runs' recorded events under `home`.
ReportContent labReport(const lab::LabSession& session, const QString& learner, const QString& language, const QString& home);
// Content of a report on runs chosen by id; fails with registry.no_run.
wire::Result<ReportContent> runsReport(const QStringList& runs, const QString& learner, const QString& language,
                                       const QString& home);

// Writes the file whole (temporary file, renamed); fails with report.write. Returns the number of pages.
wire::Result<int> writeReport(const ReportContent& content, const QString& file);

}  // namespace atelier::app
