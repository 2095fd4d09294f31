#include "run_export.h"

#include <QDateTime>

#include "core/registry/runs_json.h"
#include "core/wire/csv.h"
#include "core/wire/number.h"

namespace atelier::app {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string csv(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += wire::csvRow(row);
  return text;
}

// A bar would end the cell, a line break the table.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return result;
}

std::string markdown(const Rows& rows, const std::vector<bool>& right) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += "|";
    for (const auto& cell : rows[r]) text += " " + escaped(cell) + " |";
    text += "\n";
    if (r > 0) continue;
    text += "|";
    for (std::size_t i = 0; i < rows[r].size(); ++i) text += i < right.size() && right[i] ? " ---: |" : " --- |";
    text += "\n";
  }
  return text;
}

std::string rawText(const registry::RunRecord& run, const registry::FieldInfo& info) {
  const auto value = registry::field(run, info.name);
  if (const auto* number = std::get_if<double>(&value)) {
    if (info.kind != registry::FieldKind::Time) return wire::numberText(*number);
    const auto time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(*number), Qt::UTC);
    return time.toString(Qt::ISODate).toStdString();
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}

Rows shownRows(const QAbstractItemModel& table) {
  Rows rows(1);
  for (int column = 0; column < table.columnCount(); ++column)
    rows.front().push_back(table.headerData(column, Qt::Horizontal).toString().toStdString());
  for (int row = 0; row < table.rowCount(); ++row) {
    auto& cells = rows.emplace_back();
    for (int column = 0; column < table.columnCount(); ++column)
      cells.push_back(table.index(row, column).data().toString().toStdString());
  }
  return rows;
}

}  // namespace

std::string csvOf(const std::vector<RunPtr>& runs) {
  Rows rows(1);
  for (const auto& info : registry::knownFields()) {
    rows.front().push_back(info.name);
    if (info.name != "samples_per_second") continue;
    rows.front().push_back("samples_per_second_low");
    rows.front().push_back("samples_per_second_high");
  }
  for (const auto& run : runs) {
    auto& cells = rows.emplace_back();
    for (const auto& info : registry::knownFields()) {
      cells.push_back(rawText(*run, info));
      if (info.name != "samples_per_second") continue;
      const auto& rate = run->summary.samples_per_second;
      cells.push_back(rate ? wire::numberText(rate->low) : "");
      cells.push_back(rate ? wire::numberText(rate->high) : "");
    }
  }
  return csv(rows);
}

std::string markdownOf(const std::vector<RunPtr>& runs, const std::vector<std::string>& columns, const RunTexts& texts) {
  Rows rows(1);
  std::vector<bool> right;
  for (const auto& column : columns) {
    rows.front().push_back(texts.title(column).toStdString());
    right.push_back(RunTexts::numeric(column));
  }
  for (const auto& run : runs) {
    auto& cells = rows.emplace_back();
    for (const auto& column : columns) cells.push_back(texts.cell(*run, column).toStdString());
  }
  return markdown(rows, right);
}

std::string jsonOf(registry::Registry& registry, const std::vector<RunPtr>& runs) {
  std::vector<const registry::RunRecord*> all;
  for (const auto& run : runs) all.push_back(run.get());
  return registry::runsJson(registry, all);
}

std::string markdownOf(const QAbstractItemModel& table) {
  std::vector<bool> right(static_cast<std::size_t>(table.columnCount()), true);
  if (!right.empty()) right.front() = false;
  return markdown(shownRows(table), right);
}

std::string csvOf(const QAbstractItemModel& table) {
  return csv(shownRows(table));
}

}  // namespace atelier::app
