#include "learn_texts.h"

#include <cmath>

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;

QString qt(const std::string& text) { return QString::fromStdString(text); }

// An old or foreign record may hold anything: what is not text counts as absent.
std::string textAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

ResultText LearnTexts::result(const lab::Outcome& outcome) const {
  return outcome.verb == "race" ? race(wire::raceSummaryFromJson(outcome.result)) : run(wire::runSummaryFromJson(outcome.result));
}

QStringList LearnTexts::figures(const wire::RunSummary& summary) const {
  QStringList parts;
  if (summary.step_p50) parts << text("app.result.batch", {{"ms", m_format.number(*summary.step_p50)}});
  parts << text("app.result.memory", {{"bytes", m_format.bytes(summary.peak_memory_bytes.total)}});
  if (summary.first_step_milliseconds)
    parts << text("app.result.first_step", {{"time", m_format.duration(*summary.first_step_milliseconds / 1000)}});
  if (summary.accuracy) parts << text("app.result.accuracy", {{"accuracy", m_format.percent(*summary.accuracy)}});
  if (summary.loss) parts << text("app.result.loss", {{"loss", m_format.number(*summary.loss)}});
  return parts;
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
  result.sentence = text("app.result.run", {{"low", m_format.number(rate.low)},
                                            {"high", m_format.number(rate.high)},
                                            {"blocks", m_format.integer(summary.blocks - summary.disturbed_blocks)},
                                            {"discarded", m_format.integer(summary.disturbed_blocks)}});
  return result;
}

ResultText LearnTexts::race(const wire::RaceSummary& race) const {
  ResultText result;
  result.big = race.ratio ? qt(m_format.ratio(race.ratio->median)) : QStringLiteral("—");
  QStringList parts{text("app.verdict." + race.verdict)};
  if (race.ratio) {
    parts << text("app.result.race", {{"low", m_format.number(race.ratio->low)},
                                      {"high", m_format.number(race.ratio->high)},
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
  return text("app.race.so_far", {{"ratio", m_format.ratio(race.ratio.median)},
                                  {"low", m_format.number(race.ratio.low)},
                                  {"high", m_format.number(race.ratio.high)},
                                  {"pairs", m_format.integer(race.pairs)},
                                  {"planned", m_format.integer(race.planned_pairs)},
                                  {"discarded", m_format.integer(race.discarded_pairs)}});
}

QString LearnTexts::checkTone(lab::CheckState state) {
  switch (state) {
    case lab::CheckState::Passed: return QStringLiteral("good");
    case lab::CheckState::Failed: return QStringLiteral("bad");
    case lab::CheckState::Noise: return QStringLiteral("warn");
    default: return QStringLiteral("soft");
  }
}

QString LearnTexts::check(const lab::CheckResult& check) const {
  const auto state = std::string(lab::stateName(check.state));
  auto line = text("app.check." + state) + QStringLiteral("  ") + qt(m_catalog.text(check.sentence));
  if (check.solution_shown) line += QLatin1Char(' ') + text("app.check.solution_shown");
  return line;
}

QString LearnTexts::comparison(const lab::LabSession::Comparison& comparison) const {
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
  const char* id = !std::isfinite(off) ? "app.prediction.plain" : std::fabs(off) <= kClose ? "app.prediction.close"
                   : off > 0           ? "app.prediction.high"
                                       : "app.prediction.low";
  return text(id, std::move(args));
}

QString LearnTexts::figure(double value, const std::string& unit) const {
  if (unit == "bytes") return qt(m_format.bytes(static_cast<std::int64_t>(value)));
  if (unit == "ratio") return qt(m_format.ratio(value));
  if (unit == "percent") return qt(m_format.percent(value));
  return qt(m_format.number(value)) + QStringLiteral("\u00a0") + unitName(unit);
}

QString LearnTexts::unitName(const std::string& unit) const { return text("app.unit." + unit); }

double LearnTexts::unitFactor(const std::string& unit, const std::string& quantity) {
  if (unit == "bytes") return kMebi;
  if (unit == "percent" && quantity != "cpu_percent") return 0.01;
  return 1;
}

QString LearnTexts::failureForSupport(const wire::RunFailed& failed, const nlohmann::json& spec,
                                      const nlohmann::json& machine) const {
  nlohmann::json record{{"code", static_cast<int>(failed.code)}, {"messages", wire::toJson(failed.messages)},
                        {"spec", spec}, {"environment", machine}};
  return qt(record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

QString LearnTexts::machine(const nlohmann::json& environment) const {
  if (!environment.is_object() || environment.empty()) return QString();
  const auto gpu = textAt(environment, "gpu");
  const bool none = gpu.empty() || gpu.starts_with("none");
  const auto cpu = textAt(environment, "cpu");
  const auto device = none ? (cpu.empty() ? std::string("CPU") : cpu) : gpu;
  const auto found = environment.find("threads");
  const auto threads = found != environment.end() && found->is_number() ? found->get<std::int64_t>() : 0;
  if (threads == 0) return qt(device);
  return text("app.machine", {{"device", device}, {"threads", m_format.integer(threads)}});
}

}  // namespace atelier::app
