#include "headless_lab.h"

#include <QDateTime>
#include <QDir>

#include <filesystem>

#include "app/report/report.h"
#include "core/registry/registry.h"
#include "labs/class/results.h"
#include "labs/ladder_text.h"

namespace atelier::app {
namespace {

constexpr qint64 kRedraw = 200;  // milliseconds: drawing must not disturb what is measured

const char* signOf(lab::CheckState state) {
  switch (state) {
    case lab::CheckState::Passed:
      return "✓";
    case lab::CheckState::Failed:
      return "✗";
    case lab::CheckState::Noise:
      return "~";
    default:
      return "○";
  }
}

// A run that was cut short, or one side of a race that was, is shown and never judged.
bool complete(const wire::RunSummary& summary) {
  return summary.status == "done";
}

}  // namespace

HeadlessLab::HeadlessLab(EngineClient& engine, const wire::Catalog& catalog, Terminal& terminal, Job job, QObject* parent)
    : QObject(parent),
      m_engine(engine),
      m_catalog(catalog),
      m_format(catalog.language()),
      m_terminal(terminal),
      m_job(std::move(job)) {
  connect(&m_engine, &EngineClient::event, this, &HeadlessLab::take);
  connect(&m_engine, &EngineClient::ended, this, &HeadlessLab::endStep);
}

void HeadlessLab::start() {
  const auto& lab = m_job.session.lab();
  m_terminal.print(text({"headless.title", {{"number", lab.number}, {"title", lab.title}}}));
  m_terminal.print(QString::fromStdString(lab.question));
  m_index = 0;
  next();
}

void HeadlessLab::interrupt() {
  if (m_interrupted) {
    conclude(wire::ExitCode::Interrupted);
    return;
  }
  m_interrupted = true;
  m_terminal.endBar();
  m_terminal.tell(text("headless.stopping"));
  if (m_engine.running()) m_engine.stop();
}

void HeadlessLab::next() {
  const auto& steps = m_job.session.lab().steps;
  for (; m_index < steps.size() && !m_interrupted; ++m_index) {
    if (!steps[m_index].experiment) continue;
    tellStep(steps[m_index]);
    const auto obstacle = m_job.session.obstacle(steps[m_index].id);
    if (!obstacle) return begin(steps[m_index]);
    m_terminal.print(QString::fromStdString(lab::localText(*obstacle, m_catalog)));
  }
  conclude(m_interrupted ? wire::ExitCode::Interrupted : wire::ExitCode::Done);
}

void HeadlessLab::tellStep(const lab::Step& step) {
  m_terminal.print(QString());
  m_terminal.print(text({"headless.step",
                         {{"step", std::to_string(m_index + 1)},
                          {"steps", std::to_string(m_job.session.lab().steps.size())},
                          {"title", step.title}}}));
}

void HeadlessLab::begin(const lab::Step& step) {
  const auto request = m_job.session.request(step.id);
  m_verb = request.verb;
  m_origin.reset();
  m_notes = {};
  m_outcome.reset();
  m_variants.clear();
  m_told.clear();
  m_rate = 0;
  m_progress = RunProgress();
  m_progress.start(request.verb == "race" ? 2 : 1, step.experiment->seconds);
  m_shown.invalidate();
  EngineCommand command{request.verb, request.spec, {}, {}};
  if (request.verb == "race" && request.b.is_object()) command.others.push_back(request.b);
  m_engine.start(command);
}

void HeadlessLab::take(const wire::RunEvent& event) {
  m_progress.take(event);
  m_notes.take(event);
  if (const auto* progress = std::get_if<wire::Progress>(&event.body)) {
    m_rate = progress->samples_per_second;
    showProgress();
  } else if (std::holds_alternative<wire::PhaseChanged>(event.body)) {
    showProgress();
  } else if (const auto* started = std::get_if<wire::RunStarted>(&event.body)) {
    m_machine = started->environment;
    tellNotices(started->notices);
  } else if (const auto* notice = std::get_if<wire::Noticed>(&event.body)) {
    tellNotices({notice->message});
  } else if (const auto* looked = std::get_if<wire::HealthSampled>(&event.body)) {
    lab::noteOrigin(m_origin, looked->health);
  } else if (const auto* finished = std::get_if<wire::RunFinished>(&event.body)) {
    takeSummary(finished->summary, event.variant);
  } else if (const auto* race = std::get_if<wire::RaceFinished>(&event.body)) {
    if (complete(race->race.a) && complete(race->race.b))
      m_outcome = lab::Outcome{"race", wire::toJson(race->race), {race->race.a.id, race->race.b.id}};
  } else if (const auto* answered = std::get_if<wire::Answered>(&event.body)) {
    if (auto outcome = lab::batchOutcome(answered->answer); !outcome.result.empty()) m_outcome = std::move(outcome);
  } else if (const auto* failed = std::get_if<wire::RunFailed>(&event.body)) {
    m_failure = failed->code;
    tellFailure(failed->messages);
  }
}

void HeadlessLab::takeSummary(const wire::RunSummary& summary, const std::string& variant) {
  m_variants.push_back(summary);
  tellNotices(summary.notices);
  if (variant.empty() && complete(summary))
    m_outcome = lab::outcomeOf(m_verb, summary, m_origin, m_job.home.toStdString());
}

// Each thing once a step: both variants say it, and a summary repeats what was said at the start.
void HeadlessLab::tellNotices(const std::vector<wire::Message>& notices) {
  for (const auto& notice : notices)
    if (const auto line = text(notice); !m_told.contains(line)) {
      m_told << line;
      m_terminal.tell(line);
    }
}

void HeadlessLab::tellFailure(const std::vector<wire::Message>& messages) {
  m_terminal.endBar();
  for (const auto& message : messages) {
    m_terminal.tell(text({"headless.failed", {{"why", m_catalog.text(message)}}}));
    for (const auto& [name, value] : message.args)
      if (name == "log" && !value.empty()) m_terminal.tell(QString::fromStdString(value));
  }
}

void HeadlessLab::endStep(int exitCode) {
  if (m_outcome && !m_interrupted && !m_failure) m_terminal.bar(1, text("headless.done"));
  m_terminal.endBar();
  const auto& step = m_job.session.lab().steps[m_index];
  if (m_outcome) {
    m_notes.addTo(m_outcome->result);
    m_job.session.record(step.id, *m_outcome);
    showResult(step);
  } else if (!m_variants.empty()) {
    showRuns(m_variants);
    m_terminal.print(text("headless.not_counted"));
  }
  // The engine was stopped from outside: as good as an interruption here, only nobody asked us.
  if (exitCode == static_cast<int>(wire::ExitCode::Interrupted) || m_failure == wire::ExitCode::Interrupted)
    m_interrupted = true;
  if (m_interrupted) return conclude(wire::ExitCode::Interrupted);
  if (m_failure) return conclude(*m_failure);
  ++m_index;
  next();
}

void HeadlessLab::conclude(wire::ExitCode code) {
  disconnect(&m_engine, nullptr, this, nullptr);
  const bool written = writeFiles();
  Q_EMIT finished(static_cast<int>(written || code != wire::ExitCode::Done ? code : wire::ExitCode::Failed));
}

bool HeadlessLab::writeFiles() {
  m_terminal.print(QString());
  QDir().mkpath(m_job.folder);
  const QDir folder(m_job.folder);
  const auto checks =
      lab::toJson(m_job.session.allChecks()).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  bool good = true;
  if (const auto status = registry::writeWhole(folder.filePath(QStringLiteral("checks.json")).toStdString(), checks); !status) {
    tellFailure(status.error().messages);
    good = false;
  }
  const auto file = folder.absoluteFilePath(QStringLiteral("report.pdf"));
  auto content = labReport(m_job.session, m_job.learner, QString::fromStdString(m_catalog.language()), m_job.home);
  content.schema = m_job.schema;
  if (const auto pages = writeReport(content, file); !pages) {
    tellFailure(pages.error().messages);
    return false;
  }
  m_terminal.print(text({"headless.report", {{"file", file.toStdString()}}}));
  return (m_job.results.isEmpty() || putResults(file)) && good;
}

bool HeadlessLab::putResults(const QString& report) {
  const auto put = lab::writeResults(
      m_job.results.toStdString(), m_job.session,
      {m_job.learner.toStdString(), lab::originOf(m_job.home.toStdString()), m_machine, QDateTime::currentMSecsSinceEpoch()});
  if (!put) {
    tellFailure(put.error().messages);
    return false;
  }
  const auto pages = registry::readWhole(report.toStdString());
  const auto copied = pages ? registry::writeWhole(*put / "report.pdf", *pages) : wire::Status(pages.error());
  if (!copied) tellFailure(copied.error().messages);
  else m_terminal.print(text({"class.written", {{"folder", put->string()}}}));
  return copied.ok();
}

void HeadlessLab::showProgress() {
  if (m_shown.isValid() && m_shown.elapsed() < kRedraw) return;
  m_shown.start();
  QStringList parts{phaseText()};
  if (m_rate > 0) parts << text({"headless.rate", {{"rate", m_format.number(m_rate)}}});
  if (const auto left = m_progress.secondsLeft()) parts << text({"headless.left", {{"time", m_format.duration(*left)}}});
  m_terminal.bar(m_progress.share(), parts.join(QStringLiteral(" · ")));
}

// A phase that is newer than this program is told in the engine's words, or by its name.
QString HeadlessLab::phaseText() const {
  const auto& phase = m_progress.phase();
  for (const char* prefix : {"headless.phase.", "phase."})
    if (const auto id = prefix + phase.toStdString(); m_catalog.has(id)) return QString::fromStdString(m_catalog.text(id));
  return phase;
}

void HeadlessLab::showResult(const lab::Step& step) {
  if (m_outcome->verb == "race") {
    const auto race = wire::raceSummaryFromJson(m_outcome->result);
    showRuns({race.a, race.b});
    if (race.ratio)
      m_terminal.print(text({"headless.ratio",
                             {{"ratio", m_format.ratio(race.ratio->median)},
                              {"interval", m_format.interval(*race.ratio)},
                              {"verdict", m_catalog.text("headless.verdict." + race.verdict)}}}));
  } else if (m_outcome->verb == "max-batch") {
    for (const auto& message : lab::batchFindings(m_outcome->result))
      m_terminal.print(QString::fromStdString(lab::localText(message, m_catalog)));
  } else {
    showRuns({wire::runSummaryFromJson(m_outcome->result)});
  }
  showFindings();
  showLadder(step);
  showChecks(step);
}

// What a profile's diagnosis names, worst first.
void HeadlessLab::showFindings() {
  for (const auto& title : lab::findingTitles(m_outcome->result))
    m_terminal.print(text({"headless.finding", {{"finding", lab::localText(title, m_catalog)}}}));
}

// The whole ladder, once the race of all that was kept stands on it.
void HeadlessLab::showLadder(const lab::Step& step) {
  if (!step.experiment->climbs() || m_outcome->verb != "race" || !step.experiment->b.empty()) return;
  QVector<QStringList> rows;
  const auto row = [](const auto&... cells) { return QStringList{QString::fromStdString(cells)...}; };
  const auto head = lab::ladderHead(m_catalog);
  rows.append(row(head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7]));
  for (const auto& line : lab::ladderLines(m_job.session.ladder(step.experiment->ladder), m_catalog))
    rows.append(row(line.change, line.gain + " " + line.interval, line.factor + " " + line.factor_range, line.rate, line.epoch,
                    line.memory, line.accuracy, line.verdict));
  m_terminal.print(text("ladder.plot.title"));
  m_terminal.table(rows);
}

void HeadlessLab::showRuns(const std::vector<wire::RunSummary>& runs) {
  QVector<QStringList> rows{{QString(), text("headless.samples_per_second"), text("headless.interval"),
                             text("headless.milliseconds"), text("headless.memory"), text("headless.accuracy"),
                             text("headless.loss")}};
  const auto number = [this](const std::optional<double>& value) {
    return QString::fromStdString(value ? m_format.number(*value) : "—");
  };
  for (const auto& run : runs) {
    const auto& rate = run.samples_per_second;
    rows.append({run.variant == "b" ? QStringLiteral("B") : QStringLiteral("A"),
                 number(rate ? std::optional(rate->median) : std::nullopt),
                 rate ? QString::fromStdString(m_format.interval(*rate)) : QStringLiteral("—"), number(run.step_p50),
                 QString::fromStdString(m_format.bytes(run.peak_memory_bytes.total)),
                 run.accuracy ? QString::fromStdString(m_format.percent(*run.accuracy)) : QStringLiteral("—"),
                 number(run.loss)});
  }
  m_terminal.table(rows);
}

void HeadlessLab::showChecks(const lab::Step& step) {
  for (const auto& check : m_job.session.checks(step.id)) {
    m_terminal.print(text({"headless.check",
                           {{"sign", signOf(check.state)},
                            {"name", m_catalog.text("check." + check.kind + ".name")},
                            {"sentence", lab::sentenceText(check, m_catalog)}}}));
  }
}

}  // namespace atelier::app
