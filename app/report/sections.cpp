#include "sections.h"

#include <QLocale>

#include <cmath>

#include "command.h"

namespace atelier::app::report {
namespace {

// The GPUs by name, or why there is none. The environment keeps only the reason's id, not its values.
QString gpuValue(const Writing& w) {
  const auto& machine = w.content.machine;
  QStringList names;
  if (const auto found = machine.find("gpus"); found != machine.end() && found->is_array())
    for (const auto& name : *found)
      if (name.is_string()) names << QString::fromStdString(name.get<std::string>());
  if (!names.isEmpty()) return names.join(QStringLiteral(", "));
  const auto reason = machine.find("gpu_reason");
  if (reason == machine.end() || !reason->is_string() || reason->get<std::string>().empty()) return {};
  return w.text(wire::Message{reason->get<std::string>(), {{"error", "—"}}});
}

// One value of the environment in the reader's words; "" when it was not recorded, or says nothing.
QString machineValue(const Writing& w, const std::string& key) {
  const auto& machine = w.content.machine;
  if (!machine.is_object()) return {};
  if (key == "gpu") return gpuValue(w);
  if (!machine.contains(key) || machine[key].is_null()) return {};
  const auto& value = machine[key];
  if (value.is_string()) return value == "unknown" ? QString() : QString::fromStdString(value.get<std::string>());
  if (value.is_boolean()) return w.text(value.get<bool>() ? "report.yes" : "report.no");
  if (!value.is_number()) return {};
  const auto number = value.get<double>();
  if (key.ends_with("_bytes")) return QString::fromStdString(w.format.bytes(static_cast<std::int64_t>(number)));
  if (value.is_number_integer()) return QString::fromStdString(w.format.integer(value.get<std::int64_t>()));
  return QString::fromStdString(w.format.number(number, 2));
}

QString quantity(const Writing& w, const std::string& unit, double value) {
  if (unit == "ratio") return QString::fromStdString(w.format.ratio(value));
  if (unit == "bytes")
    return QString::fromStdString(std::isfinite(value) ? w.format.bytes(std::llround(value)) : w.format.number(value));
  if (unit == "percent") return QString::fromStdString(w.format.percent(value));
  if (unit == "number") return QString::fromStdString(w.format.compact(value, 8));
  return QString::fromStdString(w.format.number(value)) + QLatin1Char(' ') + w.named("report.unit.", unit);
}

QString quantityRange(const Writing& w, const std::string& unit, const wire::Interval& value) {
  if (value.low == value.high) return {};
  if (unit != "bytes" && unit != "percent") return w.interval(value);
  return w.text(wire::Message{
      "report.range",
      {{"low", quantity(w, unit, value.low).toStdString()}, {"high", quantity(w, unit, value.high).toStdString()}}});
}

constexpr std::size_t kCodeColumns = 92;  // that a line of code holds

struct Sign {
  const char* text;
  QColor colour;
};

Sign signOf(lab::CheckState state) {
  switch (state) {
    case lab::CheckState::Passed:
      return {"✓", ink().good};
    case lab::CheckState::Failed:
      return {"✗", ink().bad};
    case lab::CheckState::Noise:
      return {"~", ink().warn};
    default:
      return {"○", ink().soft};
  }
}

}  // namespace

QString Writing::named(const std::string& prefix, const std::string& name) const {
  return QString::fromStdString(catalog.has(prefix + name) ? catalog.text(prefix + name) : name);
}

QString Writing::signedPercent(double share, int decimals) const {
  const auto size = QString::fromStdString(format.percent(std::fabs(share), decimals));
  return share > 0 ? QLatin1Char('+') + size : share < 0 ? QChar(0x2212) + size : size;
}

QString dateText(const ReportContent& content) {
  const QLocale locale(content.language == QLatin1String("fr") ? QLocale(QLocale::French, QLocale::France)
                                                               : QLocale(QLocale::English, QLocale::UnitedKingdom));
  const auto created = content.created.isValid() ? content.created : QDateTime::currentDateTime();
  return locale.toString(created.date(), QLocale::LongFormat) + QStringLiteral(", ") +
         created.toString(QStringLiteral("HH:mm"));
}

void addTitle(const Writing& w) {
  w.flow.title(w.content.overline, w.content.title, w.content.subtitle);
  const auto date = dateText(w.content).toStdString();
  w.flow.paragraph(
      w.content.learner.trimmed().isEmpty()
          ? w.text(wire::Message{"report.date", {{"date", date}}})
          : w.text(wire::Message{"report.by", {{"learner", w.content.learner.trimmed().toStdString()}, {"date", date}}}),
      ink().soft, 9);
}

void addMachine(const Writing& w) {
  QVector<Cell> cells;
  for (const char* key : {"cpu", "gpu", "driver", "device", "cores", "threads", "memory_bytes", "os", "kernel", "governor",
                          "load", "torch", "atelier", "revision"}) {
    const auto value = machineValue(w, key);
    if (value.isEmpty()) continue;
    cells << Cell{w.text(std::string("report.machine.") + key), ink().soft} << Cell{value, {}};
  }
  if (cells.isEmpty()) return;
  if (cells.size() % 4) cells << Cell{{}, {}} << Cell{{}, {}};
  QVector<QVector<Cell>> rows;
  for (qsizetype i = 0; i < cells.size(); i += 4) rows.append(cells.mid(i, 4));
  w.flow.heading(w.text("report.machine"));
  w.flow.table({{{}, 1.05}, {{}, 2.1}, {{}, 1.05}, {{}, 1.7}}, rows);
}

void addPredictions(const Writing& w) {
  QVector<QVector<Cell>> rows;
  for (std::size_t i = 0; i < w.content.predictions.size(); ++i) {
    const auto& p = w.content.predictions[i];
    const auto title = w.content.predictionTitles.value(static_cast<qsizetype>(i), QString::fromStdString(p.step));
    Cell predicted{w.text("report.not_predicted"), ink().soft};
    if (!p.chosen.empty()) predicted = {QString::fromStdString(p.chosen), {}};
    else if (p.predicted && p.unit != "name") predicted = {quantity(w, p.unit, *p.predicted), {}};
    Cell measured{w.text("report.not_run"), ink().soft};
    if (!p.found.empty()) measured = {QString::fromStdString(p.found), {}, true};
    if (p.measured) measured = {quantity(w, p.unit, p.measured->median), {}, true, quantityRange(w, p.unit, *p.measured)};
    Cell off{QStringLiteral("—"), ink().soft};
    // As in the window: how far the prediction is from what was measured.
    if (p.predicted && p.measured && p.measured->median != 0)
      off = {w.signedPercent(*p.predicted / p.measured->median - 1, 0), {}};
    rows.append({{title, {}, false, w.named("report.quantity.", p.quantity)}, predicted, measured, off});
  }
  if (rows.isEmpty()) return;
  w.flow.heading(w.text("report.predictions"));
  w.flow.table({{w.text("report.step"), 2.2},
                {w.text("report.predicted"), 1.3, Align::Right},
                {w.text("report.measured"), 1.5, Align::Right},
                {w.text("report.off"), 0.8, Align::Right}},
               rows);
}

void addChecks(const Writing& w) {
  QVector<QVector<Cell>> rows;
  for (std::size_t i = 0; i < w.content.checks.size(); ++i) {
    const auto& check = w.content.checks[i];
    const auto sign = signOf(check.state);
    const auto word = w.text("check.state." + std::string(lab::stateName(check.state)));
    auto below = w.content.checkTitles.value(static_cast<qsizetype>(i), QString::fromStdString(check.step));
    if (check.solution_shown) below += QStringLiteral(" · ") + w.text("report.solution_shown");
    const wire::Message finding{
        "report.check",
        {{"name", w.catalog.text("check." + check.kind + ".name")}, {"sentence", lab::sentenceText(check, w.catalog)}}};
    rows.append(
        {{QString::fromUtf8(sign.text) + QLatin1Char(' ') + word, sign.colour, true}, {w.text(finding), {}, false, below}});
  }
  if (rows.isEmpty()) return;
  w.flow.heading(w.text("report.checks"));
  w.flow.table({{w.text("report.verdict"), 1.1}, {w.text("report.finding"), 4}}, rows);
}

void addRerun(const Writing& w) {
  bool first = true;
  for (const auto& experiment : w.content.experiments) {
    if (experiment.runs.isEmpty() && !experiment.spec.is_object()) continue;
    if (first) {
      w.flow.heading(w.text("report.rerun"));
      w.flow.paragraph(w.text("report.rerun_why"), ink().soft, 9);
    }
    first = false;
    w.flow.subheading(experiment.title);
    QStringList seeds;
    for (const auto& run : experiment.runs) {
      const auto& summary = run.series.summary();
      if (summary) seeds << run.series.label() + QLatin1Char(' ') + QString::number(summary->seed);
    }
    if (!seeds.isEmpty())
      w.flow.paragraph(w.text(wire::Message{"report.seeds", {{"seeds", seeds.join(QStringLiteral(", ")).toStdString()}}}),
                       ink().soft, 9, true);
    const bool pair = experiment.verb == QLatin1String("race") && experiment.runs.size() > 1;
    const auto& asked = experiment.runs.isEmpty() ? experiment.spec : experiment.runs[0].series.spec();
    const auto command = rerunCommand(experiment.verb.toStdString(), asked,
                                      pair ? experiment.runs[1].series.spec() : nlohmann::json(), w.content.schema);
    w.flow.code(QString::fromStdString(folded(command, kCodeColumns)));
  }
}

}  // namespace atelier::app::report
