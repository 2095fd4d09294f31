#include <algorithm>
#include <cmath>

#include "sections.h"

namespace atelier::app::report {
namespace {

constexpr qsizetype kColumns = 4;  // runs side by side; more go into a further table

using Getter = std::function<Cell(const wire::RunSummary&)>;

Cell missing() {
  return {QStringLiteral("—"), ink().soft};
}

struct Row {
  const char* id;
  Getter get;
};

Cell numberCell(const Writing& w, const std::optional<double>& value) {
  return value ? Cell{QString::fromStdString(w.format.number(*value)), {}} : missing();
}

Cell bytesCell(const Writing& w, std::int64_t bytes) {
  return {QString::fromStdString(w.format.fixed(static_cast<double>(bytes) / (1 << 20), 1)), {}};
}

QVector<Row> speedRows(const Writing& w) {
  return {
      {"samples_per_second",
       [&w](const wire::RunSummary& s) {
         if (!s.samples_per_second) return missing();
         return Cell{QString::fromStdString(w.format.number(s.samples_per_second->median)),
                     {},
                     true,
                     w.interval(*s.samples_per_second)};
       }},
      {"p50", [&w](const wire::RunSummary& s) { return numberCell(w, s.step_p50); }},
      {"p99", [&w](const wire::RunSummary& s) { return numberCell(w, s.step_p99); }},
      {"first_step", [&w](const wire::RunSummary& s) { return numberCell(w, s.first_step_milliseconds); }},
      {"cpu", [&w](const wire::RunSummary& s) { return numberCell(w, s.cpu_percent); }},
      {"accuracy",
       [&w](const wire::RunSummary& s) {
         if (!s.accuracy) return missing();
         return Cell{QString::fromStdString(w.format.percent(*s.accuracy)),
                     {},
                     false,
                     w.text(wire::Message{"report.evaluated", {{"count", w.format.integer(s.evaluated)}}})};
       }},
      {"loss", [&w](const wire::RunSummary& s) { return numberCell(w, s.loss); }},
  };
}

QVector<Row> memoryRows(const Writing& w) {
  const auto part = [&w](std::int64_t wire::MemoryBytes::*member, bool strong) -> Getter {
    return [&w, member, strong](const wire::RunSummary& s) {
      auto cell = bytesCell(w, s.peak_memory_bytes.*member);
      cell.strong = strong;
      return cell;
    };
  };
  using Memory = wire::MemoryBytes;
  return {{"memory", part(&Memory::total, true)},
          {"weights", part(&Memory::weights, false)},
          {"gradients", part(&Memory::gradients, false)},
          {"optimizer", part(&Memory::optimizer, false)},
          {"activations", part(&Memory::activations, false)},
          {"other", part(&Memory::other, false)},
          {"rss", [&w](const wire::RunSummary& s) { return s.rss_bytes > 0 ? bytesCell(w, s.rss_bytes) : missing(); }}};
}

QVector<Row> stageRows(const Writing& w) {
  const auto part = [&w](std::int64_t wire::StageTimes::*member) -> Getter {
    return [&w, member](const wire::RunSummary& s) {
      if (s.stages.wall <= 0) return missing();
      const double share = static_cast<double>(s.stages.*member) / static_cast<double>(s.stages.wall);
      return Cell{QString::fromStdString(w.format.fixed(share * 100, 1)), {}};
    };
  };
  using Stages = wire::StageTimes;
  return {{"stage_data", part(&Stages::data)},
          {"stage_forward", part(&Stages::forward)},
          {"stage_backward", part(&Stages::backward)},
          {"stage_optimizer", part(&Stages::optimizer)},
          {"stage_other", part(&Stages::other)}};
}

QVector<Row> countRows(const Writing& w) {
  return {{"steps",
           [&w](const wire::RunSummary& s) {
             return Cell{QString::fromStdString(w.format.integer(s.steps)), {}};
           }},
          {"skipped",
           [&w](const wire::RunSummary& s) {
             return s.skipped_steps > 0 ? Cell{QString::fromStdString(w.format.integer(s.skipped_steps)), {}} : missing();
           }},
          {"blocks",
           [&w](const wire::RunSummary& s) {
             Cell cell{QString::fromStdString(w.format.integer(s.blocks)), {}};
             if (s.disturbed_blocks > 0)
               cell.second = w.text(wire::Message{s.disturbed_blocks < s.blocks ? "report.disturbed" : "report.all_disturbed",
                                                  {{"count", w.format.integer(s.disturbed_blocks)}}});
             return cell;
           }},
          {"seed", [](const wire::RunSummary& s) {
             return Cell{QString::number(s.seed), {}};
           }}};
}

void addColumns(const Writing& w, const QVector<ReportRun>& runs, const QVector<Row>& wanted) {
  QVector<Column> columns{{w.text("report.figure"), 2}};
  for (const auto& run : runs) columns.append({run.series.label(), 1.2, Align::Right});
  // A lone run's figures stand near their names, not at the far edge of the page.
  if (runs.size() == 1) columns.append({QString(), 1.2});
  QVector<QVector<Cell>> rows;
  for (const auto& row : wanted) {
    QVector<Cell> cells{{w.text(std::string("report.figure.") + row.id), {}}};
    bool any = false;
    for (const auto& run : runs) {
      cells.append(run.series.summary() ? row.get(*run.series.summary()) : missing());
      any = any || cells.last().text != missing().text;
    }
    if (any) rows.append(cells);
  }
  w.flow.table(columns, rows);
}

// How far the stopwatch is off, in the words of its kind; a second timing of a reused model is off from the first.
QVector<Cell> naiveCells(const Writing& w, const wire::NaiveReading& reading) {
  const Cell name{w.named("report.naive.", reading.kind), {}};
  if (!reading.ratio) {
    const auto why = reading.reason.empty() ? w.text("report.not_measured") : w.text(reading.reason);
    return {name, {w.text("report.not_measurable"), ink().soft, false, why}, missing(), missing()};
  }
  const double lie = *reading.ratio - 1;
  return {name,
          numberCell(w, reading.samples_per_second),
          {QString::fromStdString(w.format.ratio(*reading.ratio)), {}},
          {w.signedPercent(lie, 1), std::fabs(lie) >= 0.05 ? ink().bad : ink().text, true}};
}

}  // namespace

void addFigureTable(const Writing& w, const ReportExperiment& experiment) {
  for (qsizetype from = 0; from < experiment.runs.size(); from += kColumns)
    addColumns(w, experiment.runs.mid(from, kColumns), speedRows(w) + stageRows(w) + memoryRows(w) + countRows(w));
}

void addNaive(const Writing& w, const ReportExperiment& experiment) {
  for (const auto& run : experiment.runs) {
    const auto& summary = run.series.summary();
    if (!summary || summary->naive.empty()) continue;
    QVector<QVector<Cell>> rows;
    if (summary->samples_per_second)
      rows.append({{w.text("report.naive.honest"), {}, true},
                   {QString::fromStdString(w.format.number(summary->samples_per_second->median)),
                    {},
                    true,
                    w.interval(*summary->samples_per_second)},
                   {QString::fromStdString(w.format.ratio(1)), {}},
                   missing()});
    for (const auto& reading : summary->naive) rows.append(naiveCells(w, reading));
    w.flow.subheading(w.text("report.naive"));
    w.flow.paragraph(w.text("report.naive_why"), ink().soft, 9, true);
    w.flow.table({{w.text("report.naive.kind"), 1.9},
                  {w.text("report.figure.samples_per_second"), 2, Align::Right},
                  {w.text("report.naive.ratio"), 0.9, Align::Right},
                  {w.text("report.naive.lie"), 0.9, Align::Right}},
                 rows);
  }
}

}  // namespace atelier::app::report
