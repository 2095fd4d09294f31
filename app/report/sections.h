// The sections of a report, in reading order, put into a Flow. Sections without content leave nothing behind. GUI thread.
#pragma once

#include "core/wire/catalog.h"
#include "core/wire/format.h"
#include "figure.h"
#include "flow.h"
#include "report.h"

namespace atelier::app::report {

struct Writing {
  const ReportContent& content;
  const wire::Catalog& catalog;
  const wire::Format& format;
  Flow& flow;

  QString text(const std::string& id) const { return QString::fromStdString(catalog.text(id)); }
  QString text(const wire::Message& message) const { return QString::fromStdString(catalog.text(message)); }
  // The text when the catalog has it, else the name itself: names from the engine that are newer than this program.
  QString named(const std::string& prefix, const std::string& name) const;
  QString signedPercent(double share, int decimals) const;  // "+21.0 %", "−18.0 %"
  QString interval(const wire::Interval& value) const { return QString::fromStdString(format.interval(value)); }
};

QString dateText(const ReportContent& content);

void addTitle(const Writing& writing);
void addMachine(const Writing& writing);
void addPredictions(const Writing& writing);
void addChecks(const Writing& writing);
void addPlan(const Writing& writing);
void addLadders(const Writing& writing);
void addExperiments(const Writing& writing);
void addRerun(const Writing& writing);

// The parts of an experiment; experiment_tables.cpp, experiment_figures.cpp, profile_tables.cpp and search.cpp.
void addFigureTable(const Writing& writing, const ReportExperiment& experiment);
void addNaive(const Writing& writing, const ReportExperiment& experiment);
void addPlots(const Writing& writing, const ReportExperiment& experiment);
void addRace(const Writing& writing, const wire::RaceSummary& race);
void addProfile(const Writing& writing, const ReportExperiment& experiment);
void addSearch(const Writing& writing, const ReportExperiment& experiment);

}  // namespace atelier::app::report
