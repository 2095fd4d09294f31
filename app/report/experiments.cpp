#include <cmath>

#include "command.h"
#include "sections.h"

namespace atelier::app::report {
namespace {

// "model = cnn · batch = 128": what a variant was asked, in the names that the command line uses.
QString asked(const Writing& w, const nlohmann::json& spec) {
  QStringList parts;
  if (spec.is_object())
    for (const auto& [key, value] : spec.items()) {
      const auto* option = w.content.schema ? w.content.schema->find(key) : nullptr;
      if (option) {
        const auto read = wire::readValue(*option, value);
        if (read.ok() && *read == option->fallback) continue;
      }
      parts << QString::fromStdString(key + "\u00a0=\u00a0" + shownValue(key, value, w.content.schema));
    }
  return parts.join(QStringLiteral(" · "));
}

void addAsked(const Writing& w, const ReportExperiment& experiment) {
  w.flow.paragraph(experiment.text);
  if (const auto searched = asked(w, experiment.spec); !searched.isEmpty())
    w.flow.paragraph(w.text("report.asked") + QLatin1Char(' ') + searched, ink().soft, 8.5);
  if (experiment.runs.isEmpty()) return;
  const bool race = experiment.verb == QLatin1String("race") && experiment.runs.size() > 1;
  const auto& a = experiment.runs[0].series.spec();
  const auto first = asked(w, a);
  const auto label = [&](const ReportRun& run) {
    return w.text(wire::Message{"report.variant", {{"variant", run.series.label().toStdString()}}});
  };
  if (!first.isEmpty())
    w.flow.paragraph((race ? label(experiment.runs[0]) : w.text("report.asked")) + QLatin1Char(' ') + first, ink().soft, 8.5);
  for (qsizetype i = 1; race && i < experiment.runs.size(); ++i) {
    const auto changed = asked(w, differing(a, experiment.runs[i].series.spec()));
    w.flow.paragraph(
        label(experiment.runs[i]) + QLatin1Char(' ') + (changed.isEmpty() ? w.text("report.same_as_a") : changed), ink().soft,
        8.5);
  }
}

// What was asked for and not had, and why a run failed. Each thing once, though both variants say it.
void addNotices(const Writing& w, const ReportExperiment& experiment) {
  QStringList told;
  for (const auto& run : experiment.runs) {
    const auto& summary = run.series.summary();
    std::vector<wire::Message> failures = summary ? summary->failure : std::vector<wire::Message>();
    if (const auto failure = run.series.failure(); failure && failures.empty()) failures = failure->messages;
    for (const auto& message : failures)
      if (const auto text = w.text(message); !told.contains(text)) {
        told << text;
        w.flow.paragraph(w.text(wire::Message{"report.failed", {{"why", text.toStdString()}}}), ink().bad);
      }
    if (summary && summary->status == "interrupted" && !told.contains(w.text("report.interrupted"))) {
      told << w.text("report.interrupted");
      w.flow.paragraph(w.text("report.interrupted"), ink().warn);
    }
    if (!summary) continue;
    for (const auto& message : summary->notices)
      if (const auto text = w.text(message); !told.contains(text)) {
        told << text;
        w.flow.paragraph(text, ink().warn, 9);
      }
  }
}

QColor verdictColour(const std::string& verdict) {
  if (verdict == "faster") return ink().good;
  if (verdict == "slower") return ink().bad;
  return verdict == "machine-busy" ? ink().warn : ink().text;
}

// What a verdict means, where its name alone could be taken for more; followed by a space.
QString meaningOf(const Writing& w, const std::string& verdict) {
  const auto id = "report.verdict_why." + verdict;
  return w.catalog.has(id) ? w.text(id) + QLatin1Char(' ') : QString();
}

void addComparison(const Writing& w, const wire::Comparison& one) {
  const auto variant = QString::fromStdString(one.variant).toUpper().toStdString();
  const auto verdict = w.text(wire::Message{"report.verdict." + one.verdict, {{"variant", variant}}});
  const auto meaning = meaningOf(w, one.verdict);
  if (!one.ratio) {
    w.flow.verdict(verdict, verdictColour(one.verdict), meaning + w.text("report.no_ratio"));
    return;
  }
  const wire::Message sentence{"report.race",
                               {{"variant", variant},
                                {"interval", w.format.interval(*one.ratio)},
                                {"pairs", w.format.integer(one.pairs)},
                                {"discarded", w.format.integer(one.discarded_pairs)}}};
  const auto quality = w.text(one.same_quality ? "report.same_quality" : "report.other_quality");
  w.flow.verdict(QString::fromStdString(w.format.ratio(one.ratio->median)) + QStringLiteral("  ") + verdict,
                 verdictColour(one.verdict), meaning + w.text(sentence) + QLatin1Char(' ') + quality);
  w.flow.figure(pt(34), [ratio = *one.ratio, colour = verdictColour(one.verdict), format = w.format](
                            QPainter& painter, const QRectF& area) { drawRatio(painter, area, ratio, colour, format); });
}

}  // namespace

// Each variant against a.
void addRace(const Writing& w, const wire::RaceSummary& race) {
  for (const auto& comparison : race.comparisons()) addComparison(w, comparison);
}

void addExperiments(const Writing& w) {
  if (w.content.experiments.isEmpty()) {
    w.flow.heading(w.text("report.experiments"));
    w.flow.paragraph(w.text("report.nothing"), ink().soft);
    return;
  }
  for (const auto& experiment : w.content.experiments) {
    w.flow.heading(experiment.title);
    w.flow.paragraph(experiment.mark, ink().warn);
    addAsked(w, experiment);
    if (experiment.race) addRace(w, *experiment.race);
    addNotices(w, experiment);
    addProfile(w, experiment);
    addSearch(w, experiment);
    addFigureTable(w, experiment);
    addNaive(w, experiment);
    addPlots(w, experiment);
  }
}

}  // namespace atelier::app::report
