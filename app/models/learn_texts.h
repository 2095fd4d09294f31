// LearnTexts: figures and verdicts as sentences in the reader's language, for the Learn view. Pure: everything comes from the
// catalog, the formatter and the arguments. Any thread.
#pragma once

#include <QString>
#include <QStringList>

#include <nlohmann/json.hpp>

#include "core/wire/catalog.h"
#include "core/wire/format.h"
#include "core/wire/run_event.h"
#include "labs/session.h"

namespace atelier::app {

struct ResultText {
  QString big, unit;  // the one number that matters
  QString sentence;   // what it says, with its interval and what was left out
  QString details;    // further figures
};

struct NaiveRow {
  QString kind, reading, lie;
};

// A check as it is shown: "✓", "Known well enough", and what was found (before a run: what to do first).
struct CheckText {
  QString sign, name, sentence;
};

class LearnTexts {
 public:
  LearnTexts(const wire::Catalog& catalog, const wire::Format& format) : m_catalog(catalog), m_format(format) {}

  ResultText result(const lab::Outcome& outcome) const;
  std::vector<NaiveRow> naive(const lab::Outcome& outcome) const;
  QString raceSoFar(const wire::RaceUpdated& race) const;
  CheckText checkText(const lab::CheckResult& check) const;
  QString check(const lab::CheckResult& check) const;  // sign, name and sentence in one line
  static QString checkTone(lab::CheckState state);     // good, bad, warn, soft
  QString comparison(const lab::LabSession::Comparison& comparison) const;
  QString figure(double value, const std::string& unit) const;
  QString unitName(const std::string& unit) const;
  // What a learner types × this = the quantity: bytes are typed as MiB, shares as per cent.
  static double unitFactor(const std::string& unit, const std::string& quantity);
  QString failureForSupport(const wire::RunFailed& failed, const nlohmann::json& spec, const nlohmann::json& machine) const;
  // "CPU · 2 threads", on a GPU its name; "" for an environment that says nothing.
  QString machine(const nlohmann::json& environment) const;

 private:
  using Args = std::vector<std::pair<std::string, std::string>>;
  QString text(const std::string& id, Args args = {}) const {
    return QString::fromStdString(m_catalog.text(wire::Message{id, std::move(args)}));
  }
  ResultText run(const wire::RunSummary& summary) const;
  ResultText race(const wire::RaceSummary& race) const;
  ResultText search(const nlohmann::json& result) const;
  QStringList figures(const wire::RunSummary& summary) const;
  QString findings(const nlohmann::json& result) const;
  QString stages(const wire::StageTimes& stages) const;

  const wire::Catalog& m_catalog;
  const wire::Format& m_format;
};

}  // namespace atelier::app
