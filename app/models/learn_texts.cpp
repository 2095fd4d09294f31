#include "learn_texts.h"

#include <cmath>

#include "core/wire/json_read.h"
#include "core/wire/number.h"
#include "labs/outcome.h"

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

// An old or foreign record may hold anything: what is not text counts as absent.
// The name of the GPU that a run's device ("cuda:1") stands for; the device itself where no name was recorded.
std::string gpuName(const nlohmann::json& environment, const std::string& device) {
  const auto names = environment.find("gpus");
  const auto colon = device.find(':');
  const auto index = colon == std::string::npos ? std::optional<std::int64_t>(0) : wire::parseInteger(device.substr(colon + 1));
  if (names == environment.end() || !names->is_array() || !index || *index < 0) return device;
  const auto at = static_cast<std::size_t>(*index);
  return at < names->size() && (*names)[at].is_string() ? (*names)[at].get<std::string>() : device;
}

QString signOf(lab::CheckState state) {
  switch (state) {
    case lab::CheckState::Passed:
      return QStringLiteral("✓");
    case lab::CheckState::Failed:
      return QStringLiteral("✗");
    case lab::CheckState::Noise:
      return QStringLiteral("~");
    default:
      return QStringLiteral("○");
  }
}

}  // namespace

ResultText LearnTexts::result(const lab::Outcome& outcome) const {
  if (outcome.verb == "race") return race(wire::raceSummaryFromJson(outcome.result));
  if (outcome.verb == "max-batch") return search(outcome.result);
  auto result = run(wire::runSummaryFromJson(outcome.result));
  if (outcome.result.contains("diagnosis")) result.details = findings(outcome.result) + QLatin1Char(' ') + result.details;
  return result;
}

// The largest batch, what came of the next one, and what was tried.
ResultText LearnTexts::search(const nlohmann::json& result) const {
  ResultText shown;
  const auto batch = wire::getNumber(result, "batch");
  shown.big = batch ? qt(m_format.integer(static_cast<std::int64_t>(*batch))) : QStringLiteral("—");
  shown.unit = text("batch.unit");
  QStringList sentences;
  for (const auto& message : lab::batchFindings(result)) sentences << qt(lab::localText(message, m_catalog));
  if (!sentences.isEmpty()) shown.details = sentences.takeLast();
  shown.sentence = sentences.join(QLatin1Char(' '));
  return shown;
}

QString LearnTexts::findings(const nlohmann::json& result) const {
  QStringList titles;
  for (const auto& title : lab::findingTitles(result)) titles << qt(lab::localText(title, m_catalog));
  if (titles.isEmpty()) return text("app.result.no_findings");
  return text("app.result.findings", {{"findings", titles.join(QStringLiteral(" · ")).toStdString()}});
}

QStringList LearnTexts::figures(const wire::RunSummary& summary) const {
  QStringList parts;
  if (summary.step_p50) parts << text("app.result.batch", {{"ms", m_format.number(*summary.step_p50)}});
  if (summary.stages.wall > 0) parts << stages(summary.stages);
  parts << text("app.result.memory", {{"bytes", m_format.bytes(summary.peak_memory_bytes.total)}});
  if (summary.first_step_milliseconds)
    parts << text("app.result.first_step", {{"time", m_format.duration(*summary.first_step_milliseconds / 1000)}});
  if (summary.accuracy) parts << text("app.result.accuracy", {{"accuracy", m_format.percent(*summary.accuracy)}});
  if (summary.loss) parts << text("app.result.loss", {{"loss", m_format.number(*summary.loss)}});
  return parts;
}

QString LearnTexts::stages(const wire::StageTimes& stages) const {
  const auto share = [&](std::int64_t part) {
    return m_format.percent(static_cast<double>(part) / static_cast<double>(stages.wall), 0);
  };
  return text("app.result.stages", {{"data", share(stages.data)},
                                    {"forward", share(stages.forward)},
                                    {"backward", share(stages.backward)},
                                    {"optimizer", share(stages.optimizer)},
                                    {"other", share(stages.other)}});
}

ResultText LearnTexts::run(const wire::RunSummary& summary) const {
  ResultText result;
  result.unit = unitName("samples_per_second");
  result.details = figures(summary).join(QStringLiteral(" "));
  if (!summary.samples_per_second) {
    result.big = QStringLiteral("—");
    result.sentence = text("app.result.nothing");
    return result;
  }
  const auto& rate = *summary.samples_per_second;
  result.big = qt(m_format.number(rate.median));
  // With no calm block at all the engine keeps the disturbed ones rather than nothing.
  const bool allDisturbed = summary.blocks > 0 && summary.disturbed_blocks >= summary.blocks;
  const int kept = allDisturbed ? summary.blocks : summary.blocks - summary.disturbed_blocks;
  result.sentence = text(allDisturbed ? "app.result.run_disturbed" : "app.result.run",
                         {{"low", m_format.compact(rate.low)},
                          {"high", m_format.compact(rate.high)},
                          {"blocks", m_format.integer(kept)},
                          {"discarded", m_format.integer(summary.disturbed_blocks)}});
  return result;
}

ResultText LearnTexts::race(const wire::RaceSummary& race) const {
  ResultText result;
  result.big = race.ratio ? qt(m_format.ratio(race.ratio->median)) : QStringLiteral("—");
  QStringList parts{text("app.verdict." + race.verdict)};
  if (race.ratio) {
    parts << text("app.result.race", {{"low", m_format.compact(race.ratio->low)},
                                      {"high", m_format.compact(race.ratio->high)},
                                      {"pairs", m_format.integer(race.pairs)},
                                      {"discarded", m_format.integer(race.discarded_pairs)}});
  }
  if (race.a.accuracy && race.b.accuracy) {
    parts << text(race.same_quality ? "app.result.same_quality" : "app.result.other_quality",
                  {{"a", m_format.percent(*race.a.accuracy)}, {"b", m_format.percent(*race.b.accuracy)}});
  }
  result.sentence = parts.join(QLatin1Char(' '));
  return result;
}

std::vector<NaiveRow> LearnTexts::naive(const lab::Outcome& outcome) const {
  std::vector<NaiveRow> rows;
  if (outcome.verb == "race") return rows;
  for (const auto& reading : wire::runSummaryFromJson(outcome.result).naive) {
    NaiveRow row{text("app.naive." + reading.kind), QStringLiteral("—"), QString()};
    if (reading.samples_per_second) row.reading = figure(*reading.samples_per_second, "samples_per_second");
    if (reading.ratio) {
      const double off = *reading.ratio - 1;
      row.lie = text(off < 0 ? "app.naive.too_low" : "app.naive.too_high", {{"percent", m_format.percent(std::fabs(off), 0)}});
    } else if (!reading.reason.empty()) {
      row.lie = text(reading.reason);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

QString LearnTexts::raceSoFar(const wire::RaceUpdated& race) const {
  if (race.pairs == 0)
    return text("app.race.none_yet",
                {{"planned", m_format.integer(race.planned_pairs)}, {"discarded", m_format.integer(race.discarded_pairs)}});
  return text("app.race.so_far", {{"ratio", m_format.ratio(race.ratio.median)},
                                  {"low", m_format.compact(race.ratio.low)},
                                  {"high", m_format.compact(race.ratio.high)},
                                  {"pairs", m_format.integer(race.pairs)},
                                  {"planned", m_format.integer(race.planned_pairs)},
                                  {"discarded", m_format.integer(race.discarded_pairs)}});
}

QString LearnTexts::checkTone(lab::CheckState state) {
  switch (state) {
    case lab::CheckState::Passed:
      return QStringLiteral("good");
    case lab::CheckState::Failed:
      return QStringLiteral("bad");
    case lab::CheckState::Noise:
      return QStringLiteral("warn");
    default:
      return QStringLiteral("soft");
  }
}

CheckText LearnTexts::checkText(const lab::CheckResult& check) const {
  CheckText shown{signOf(check.state), text("check." + check.kind + ".name"), qt(lab::sentenceText(check, m_catalog))};
  if (check.solution_shown) shown.sentence += QLatin1Char(' ') + text("app.check.solution_shown");
  return shown;
}

QString LearnTexts::check(const lab::CheckResult& check) const {
  const auto shown = checkText(check);
  return text(
      "app.check.line",
      {{"sign", shown.sign.toStdString()}, {"name", shown.name.toStdString()}, {"sentence", shown.sentence.toStdString()}});
}

QString LearnTexts::comparison(const lab::LabSession::Comparison& comparison) const {
  if (!comparison.chosen.empty() && !comparison.found.empty())
    return text("app.prediction.chose_measured", {{"predicted", comparison.chosen}, {"measured", comparison.found}});
  if (!comparison.predicted || !comparison.measured) return QString();
  const double predicted = *comparison.predicted, measured = comparison.measured->median;
  const auto& unit = comparison.unit;
  const double factor = unitFactor(unit, comparison.quantity);
  const auto shown = [&](double value) { return figure(value, unit).toStdString(); };
  Args args{{"predicted", shown(predicted)}, {"measured", shown(measured)}};
  const wire::Interval interval{measured / factor, comparison.measured->low / factor, comparison.measured->high / factor, 0};
  args.emplace_back("interval", comparison.measured->count > 1 ? " " + m_format.interval(interval) : std::string());
  const double off = measured == 0 ? NAN : predicted / measured - 1;
  args.emplace_back("percent", m_format.percent(std::fabs(off), 0));
  constexpr double kClose = 0.05;
  const char* id = !std::isfinite(off)        ? "app.prediction.plain"
                   : std::fabs(off) <= kClose ? "app.prediction.close"
                   : off > 0                  ? "app.prediction.high"
                                              : "app.prediction.low";
  return text(id, std::move(args));
}

QString LearnTexts::figure(double value, const std::string& unit) const {
  if (unit == "bytes") return qt(m_format.bytes(static_cast<std::int64_t>(value)));
  if (unit == "ratio") return qt(m_format.ratio(value));
  if (unit == "percent") return qt(m_format.percent(value));
  if (unit == "number") return qt(m_format.compact(value, 8));  // as many digits as a float32 has
  return qt(m_format.number(value)) + QStringLiteral("\u00a0") + unitName(unit);
}

QString LearnTexts::unitName(const std::string& unit) const {
  return text("app.unit." + unit);
}

double LearnTexts::unitFactor(const std::string& unit, const std::string& quantity) {
  if (unit == "bytes") return kMebi;
  if (unit == "percent" && quantity != "cpu_percent") return 0.01;
  return 1;
}

QString LearnTexts::failureForSupport(const wire::RunFailed& failed, const nlohmann::json& spec,
                                      const nlohmann::json& machine) const {
  nlohmann::json record{{"code", static_cast<int>(failed.code)},
                        {"messages", wire::toJson(failed.messages)},
                        {"spec", spec},
                        {"environment", machine}};
  return qt(record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

QString LearnTexts::machine(const nlohmann::json& environment) const {
  if (!environment.is_object() || environment.empty()) return QString();
  const auto used = wire::textAt(environment, "device");
  const auto device = used.starts_with("cuda") ? gpuName(environment, used) : m_catalog.text("app.machine.cpu");
  const auto found = environment.find("threads");
  const auto threads = found != environment.end() && found->is_number() ? found->get<std::int64_t>() : 0;
  if (threads == 0) return qt(device);
  return text("app.machine", {{"device", device}, {"threads", m_format.integer(threads)}});
}

}  // namespace atelier::app
