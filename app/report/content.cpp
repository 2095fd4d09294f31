#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>

#include <algorithm>
#include <set>

#include "core/registry/registry.h"
#include "core/wire/catalog.h"
#include "report.h"

namespace atelier::app {
namespace {

constexpr int kAskedParagraphs = 2;  // of a step's text: what was asked, not the whole lesson

// The opening paragraphs of a step's Markdown as plain text; code, lists and headings are left to the course.
QString opening(const std::string& markdown) {
  QTextDocument document;
  document.setMarkdown(QString::fromStdString(markdown));
  QStringList paragraphs;
  for (auto block = document.begin(); block.isValid() && paragraphs.size() < kAskedParagraphs; block = block.next()) {
    const bool plain = block.blockFormat().headingLevel() == 0 && !block.textList() &&
                       !block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage) &&
                       !block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
    if (plain && !QTextCursor(block).currentTable() && !block.text().trimmed().isEmpty()) paragraphs << block.text().trimmed();
  }
  return paragraphs.join(QLatin1Char('\n'));
}

// The run's recorded events; without them (deleted, or a registry that can't be read) its summary and spec alone.
ReportRun recordedRun(registry::Registry* store, const QString& label, int order, const wire::RunSummary& summary,
                      const nlohmann::json& spec) {
  ReportRun run{RunSeries(label, order)};
  wire::RunEvent started;
  started.body = wire::RunStarted{summary.id, spec, nlohmann::json::object(), summary.steps, 0, summary.blocks, {}};
  run.series.take(started);
  std::int64_t last = 0;
  if (store && !summary.id.empty())
    if (const auto events = store->events(summary.id); events)
      for (const auto& event : *events) {
        // A race's two runs may have recorded each other's events; each keeps its own.
        if (!summary.variant.empty() && !event.variant.empty() && event.variant != summary.variant) continue;
        last = std::max(last, event.t);
        run.series.take(event);
      }
  // The outcome is what was judged: it has the last word over the record.
  wire::RunEvent finished;
  finished.t = last;
  finished.body = wire::RunFinished{summary};
  run.series.take(finished);
  return run;
}

// "b" → "B".
QString variantLabel(const std::string& variant) {
  return QString::fromStdString(variant).toUpper();
}

std::unique_ptr<registry::Registry> openStore(const QString& home) {
  auto opened = registry::Registry::open(home.toStdString());
  return opened ? std::move(*opened) : nullptr;
}

nlohmann::json merged(nlohmann::json spec, const nlohmann::json& over) {
  if (over.is_object())
    for (const auto& [key, value] : over.items()) spec[key] = value;
  return spec;
}

ReportExperiment stepExperiment(const lab::LabSession& session, const lab::Step& step, const lab::Outcome& outcome,
                                const QString& language, registry::Registry* store) {
  ReportExperiment experiment;
  experiment.title = QString::fromStdString(step.title);
  experiment.text = opening(session.body(step, language.toStdString()));
  experiment.verb = QString::fromStdString(outcome.verb);
  const auto request = session.request(step.id);
  if (outcome.verb == "max-batch") {
    experiment.search = outcome.result;
    experiment.spec = request.spec;
    return experiment;
  }
  if (outcome.verb != "race") {
    experiment.runs.append(recordedRun(store, QStringLiteral("A"), 0, wire::runSummaryFromJson(outcome.result), request.spec));
    if (outcome.result.contains("diagnosis")) experiment.profile = outcome.result;
    return experiment;
  }
  experiment.race = wire::raceSummaryFromJson(outcome.result);
  experiment.runs.append(recordedRun(store, variantLabel("a"), 0, experiment.race->a, request.spec));
  experiment.runs.append(recordedRun(store, variantLabel("b"), 1, experiment.race->b, merged(request.spec, request.b)));
  return experiment;
}

void takeMachine(ReportContent& content) {
  for (const auto& experiment : content.experiments)
    for (const auto& run : experiment.runs)
      if (run.series.environment().is_object() && !run.series.environment().empty()) {
        content.machine = run.series.environment();
        return;
      }
}

QString runTitle(const registry::RunRecord& record) {
  return QString::fromStdString(record.labels.name.empty() ? record.id : record.labels.name);
}

ReportExperiment runExperiment(const registry::RunRecord& record, registry::Registry* store, int order) {
  ReportExperiment experiment;
  experiment.title = runTitle(record);
  experiment.text = QString::fromStdString(record.labels.note);
  experiment.runs.append(recordedRun(store, runTitle(record), order, record.summary, record.spec));
  return experiment;
}

// The chosen runs of one race as one experiment; nullopt when the race can't be found.
std::optional<ReportExperiment> raceExperiment(const std::vector<const registry::RunRecord*>& members,
                                               registry::Registry* store) {
  auto race = store->race(members.front()->race);
  if (!race) return std::nullopt;
  ReportExperiment experiment;
  QStringList titles;
  for (const auto* member : members) {
    titles << runTitle(*member);
    experiment.runs.append(recordedRun(store, variantLabel(member->summary.variant),
                                       static_cast<int>(experiment.runs.size()), member->summary, member->spec));
  }
  // What was not chosen is not told.
  std::erase_if(race->others, [&](const wire::Comparison& other) {
    return std::none_of(members.begin(), members.end(),
                        [&](const auto* member) { return member->summary.variant == other.variant; });
  });
  experiment.title = titles.join(QStringLiteral(" / "));
  experiment.verb = QStringLiteral("race");
  experiment.race = std::move(*race);
  return experiment;
}

// The chosen runs of the same race in the variants' order; empty unless a, which the others are compared with, and b are there.
std::vector<const registry::RunRecord*> racedWith(const std::vector<registry::RunRecord>& records,
                                                  const registry::RunRecord& of) {
  std::vector<const registry::RunRecord*> members;
  for (const auto& other : records)
    if (!of.race.empty() && other.race == of.race) members.push_back(&other);
  std::sort(members.begin(), members.end(),
            [](const auto* x, const auto* y) { return x->summary.variant < y->summary.variant; });
  const bool whole = members.size() > 1 && members[0]->summary.variant == "a" && members[1]->summary.variant == "b";
  return whole ? members : std::vector<const registry::RunRecord*>();
}

QVector<ReportExperiment> grouped(const std::vector<registry::RunRecord>& records, registry::Registry* store) {
  QVector<ReportExperiment> experiments;
  std::set<std::string> told;
  for (const auto& record : records) {
    if (!told.insert(record.id).second) continue;
    const auto members = racedWith(records, record);
    auto race = members.empty() ? std::nullopt : raceExperiment(members, store);
    if (race)
      for (const auto* member : members) told.insert(member->id);
    experiments.append(race ? *race : runExperiment(record, store, static_cast<int>(experiments.size())));
  }
  return experiments;
}

}  // namespace

ReportContent labReport(const lab::LabSession& session, const QString& learner, const QString& language, const QString& home) {
  const auto catalog = wire::Catalog::builtIn(language.toStdString());
  const auto& lab = session.lab();
  ReportContent content;
  content.overline = QString::fromStdString(catalog.text({"report.lab", {{"number", lab.number}}}));
  content.title = QString::fromStdString(lab.title);
  content.subtitle = QString::fromStdString(lab.question);
  content.learner = learner;
  content.language = language;
  content.created = QDateTime::currentDateTime();
  content.predictions = session.predictions();
  content.checks = session.allChecks();
  const auto titleOf = [&lab](const std::string& id) {
    const auto* step = lab.find(id);
    return QString::fromStdString(step ? step->title : id);
  };
  for (const auto& prediction : content.predictions) content.predictionTitles.append(titleOf(prediction.step));
  for (const auto& check : content.checks) content.checkTitles.append(titleOf(check.step));
  const auto store = openStore(home);
  for (const auto& step : lab.steps)
    if (const auto& outcome = session.progress(step.id).outcome; outcome && step.experiment)
      content.experiments.append(stepExperiment(session, step, *outcome, language, store.get()));
  for (const auto& step : lab.steps)
    for (auto& fix : session.fixes(step.id)) content.fixes.append({titleOf(fix.step), std::move(fix)});
  for (const auto& step : lab.steps)
    if (auto ladder = session.ladder(step.id); ladder.anyRaced()) content.ladders.append(std::move(ladder));
  takeMachine(content);
  return content;
}

wire::Result<ReportContent> runsReport(const QStringList& runs, const QString& learner, const QString& language,
                                       const QString& home) {
  const auto catalog = wire::Catalog::builtIn(language.toStdString());
  auto opened = registry::Registry::open(home.toStdString());
  if (!opened) return opened.error();
  auto& store = **opened;
  std::vector<registry::RunRecord> records;
  for (const auto& id : runs) {
    auto record = store.find(id.toStdString());
    if (!record) return record.error();
    records.push_back(std::move(*record));
  }
  ReportContent content;
  content.learner = learner;
  content.language = language;
  content.created = QDateTime::currentDateTime();
  content.experiments = grouped(records, &store);
  content.title = content.experiments.size() == 1
                      ? content.experiments.front().title
                      : QString::fromStdString(catalog.text({"report.runs", {{"count", std::to_string(records.size())}}}));
  takeMachine(content);
  return content;
}

}  // namespace atelier::app
