#include "profile_cells.h"

#include <algorithm>
#include <cmath>

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;

QString qt(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

void ProfileCells::addColumn(TraceRows& table, const char* id, bool figure) const {
  table.columns.append({m_words.text(id), figure});
}

void ProfileCells::addColumns(TraceRows& table, std::initializer_list<ColumnId> columns) const {
  for (const auto& column : columns) addColumn(table, column.id, column.figure);
}

QString ProfileCells::known(const std::string& prefix, const std::string& name) const {
  const auto id = prefix + name;
  return m_words.catalog().has(id) ? m_words.text(id) : qt(name);
}

TraceCell ProfileCells::words(const QString& text) {
  TraceCell cell;
  cell.text = text;
  return cell;
}

TraceCell ProfileCells::none() {
  return words(QStringLiteral("—"));
}

TraceCell ProfileCells::number(double value, double scale) const {
  TraceCell cell;
  cell.text = qt(m_words.format().number(value / scale));
  cell.value = value;
  return cell;
}

TraceCell ProfileCells::count(double value) const {
  TraceCell cell;
  cell.text = qt(m_words.format().compact(value));
  cell.value = value;
  return cell;
}

TraceCell ProfileCells::positive(double value, double scale) const {
  return value > 0 ? number(value, scale) : none();
}

TraceCell ProfileCells::wide(double value) const {
  TraceCell cell;
  cell.text = wideText(value, m_words.format());
  cell.value = value;
  return cell;
}

TraceCell ProfileCells::mebibytes(double bytes) const {
  return positive(bytes, kMebi);
}

TraceCell ProfileCells::share(double part, double whole) const {
  if (!(whole > 0)) return none();
  TraceCell cell;
  cell.value = part / whole;
  cell.text = qt(m_words.format().percent(cell.value));
  cell.from = 0;
  cell.to = std::clamp(cell.value, 0.0, 1.0);
  return cell;
}

QString wideText(double value, const wire::Format& format) {
  constexpr double kSmall = 1e-3, kLarge = 1e6;
  const double size = std::fabs(value);
  if (!std::isfinite(value) || value == 0 || (size >= kSmall && size < kLarge)) return qt(format.number(value));
  static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  const int power = static_cast<int>(std::floor(std::log10(size)));
  QString raised;
  for (const QChar digit : QString::number(std::abs(power))) raised += kDigits[digit.digitValue()];
  if (power < 0) raised.prepend(QChar(0x207B));  // ⁻
  return qt(format.fixed(value / std::pow(10.0, power), 2)) + QStringLiteral("·10") + raised;
}

double stepsOf(const TraceDocument::Content& content) {
  return static_cast<double>(std::max<std::int64_t>(1, content.report.breakdown.steps));
}

}  // namespace atelier::app
