#include "run_texts.h"

#include <QDateTime>

#include <cmath>

#include "core/wire/json_read.h"
#include "words.h"

namespace atelier::app {

namespace {

constexpr double kMebi = 1024.0 * 1024.0;
constexpr auto kAbsent = "—";

QString plain(const std::string& text) {
  return QString::fromStdString(text);
}

bool whole(double value) {
  constexpr double kExact = 9e15;
  return std::isfinite(value) && std::fabs(value) < kExact && value == std::floor(value);
}

const char* signOf(const std::string& status) {
  if (status == "done") return "✓";
  if (status == "failed") return "✗";
  if (status == "running") return "▶";
  return "■";
}

// "20261130-104512-3f9a1c" → "3f9a1c": what tells two runs of one day apart.
std::string tail(const std::string& id) {
  const auto dash = id.rfind('-');
  return dash == std::string::npos ? id : id.substr(dash + 1);
}

QString unitOf(const registry::FieldInfo& info, const Words& words) {
  if (info.unit == "unit.bytes") return QStringLiteral("MiB");
  if (info.unit == "unit.ms") return QStringLiteral("ms");
  if (info.unit == "unit.percent") return QStringLiteral("%");
  if (info.unit.empty() || info.unit == "unit.share") return QString();
  return words.text(info.unit);
}

}  // namespace

void RunTexts::setSchema(const wire::Schema& schema) {
  m_options.clear();
  m_defaults.clear();
  m_keys.clear();
  for (const auto& option : schema.options()) {
    m_options.emplace(option.key, option);
    m_defaults.emplace(option.key, wire::valueJson(option.fallback));
    m_keys.push_back(option.key);
  }
}

QString RunTexts::name(const registry::RunRecord& run) const {
  return plain(run.labels.name.empty() ? run.id : run.labels.name);
}

QString RunTexts::label(const registry::RunRecord& run) const {
  if (!run.labels.name.empty()) return plain(run.labels.name);
  const auto model = registry::field(run, "model");
  const auto* text = std::get_if<std::string>(&model);
  return plain((text ? *text + " " : std::string()) + tail(run.id));
}

QString RunTexts::status(const std::string& status) const {
  const auto id = "status." + status;
  const auto word = m_words.catalog().has(id) ? m_words.text(id) : plain(status);
  return QString::fromUtf8(signOf(status)) + QLatin1Char(' ') + word;
}

QString RunTexts::tone(const std::string& status) {
  if (status == "done") return QStringLiteral("good");
  if (status == "failed") return QStringLiteral("bad");
  return status == "running" ? QStringLiteral("accent") : QStringLiteral("warn");
}

// The order of a query's dates, in both languages; seconds would only lengthen the column.
QString RunTexts::created(std::int64_t milliseconds) const {
  return QDateTime::fromMSecsSinceEpoch(milliseconds).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString RunTexts::shortSpec(const nlohmann::json& spec) const {
  if (!spec.is_object() || m_defaults.empty()) return QString();
  QStringList parts;
  for (const auto& [key, value] : spec.items()) {
    if (key == "model") continue;  // it has a column of its own
    const auto known = m_defaults.find(key);
    if (known == m_defaults.end() || known->second == value) continue;
    const auto& option = m_options.at(key);
    const auto read = wire::readValue(option, value);
    if (!read || *read == option.fallback) continue;
    if (value.is_boolean() && value.get<bool>()) parts << plain(key);
    else if (option.type == wire::OptionType::Choice) parts << plain(wire::valueText(option, *read));
    else parts << plain(key + "=" + wire::valueText(option, *read));
  }
  return parts.join(QStringLiteral(" · "));
}

QString RunTexts::specTitle(const nlohmann::json& spec) const {
  QStringList parts{QString::fromStdString(wire::textAt(spec, "model")), shortSpec(spec)};
  parts.removeAll(QString());
  return parts.isEmpty() ? m_words.text("experiments.job.defaults") : parts.join(QStringLiteral(" · "));
}

QString RunTexts::figure(double value, const registry::FieldInfo* info) const {
  const auto& format = m_words.format();
  const std::string unit = info ? info->unit : "";
  if (info && info->kind == registry::FieldKind::Time) return created(static_cast<std::int64_t>(value));
  if (unit == "unit.bytes") return plain(format.number(value / kMebi));
  if (unit == "unit.share") return plain(format.percent(value));
  if (unit.empty() && whole(value)) return plain(format.integer(static_cast<std::int64_t>(value)));
  // A key of the spec is shown as it was asked for, a figure with three digits.
  if (!info || info->of_spec) return plain(format.compact(value, 6));
  return plain(format.number(value));
}

QString RunTexts::cell(const registry::RunRecord& run, const std::string& column) const {
  if (column == kRun) return name(run);
  if (column == kDiffers) return shortSpec(run.spec);
  if (column == "status") return status(run.summary.status);
  const auto value = registry::field(run, column);
  if (const auto* number = std::get_if<double>(&value)) {
    auto text = figure(*number, registry::findField(column));
    if (column == "samples_per_second" && run.summary.samples_per_second)
      text += QLatin1Char(' ') + plain(m_words.format().interval(*run.summary.samples_per_second));
    return text;
  }
  if (const auto* flag = std::get_if<bool>(&value)) return m_words.text(*flag ? "experiments.yes" : "experiments.no");
  if (const auto* text = std::get_if<std::string>(&value)) return plain(*text).simplified();
  return QString::fromUtf8(kAbsent);
}

QString RunTexts::title(const std::string& column) const {
  const auto own = "experiments.column." + column;
  if (m_words.catalog().has(own)) return m_words.text(own);
  const auto* info = registry::findField(column);
  const auto label = m_words.text(info ? info->label : "option." + column + ".label").trimmed();
  const auto unit = info ? unitOf(*info, m_words) : QString();
  return unit.isEmpty() ? label : label + QStringLiteral(" (") + unit + QLatin1Char(')');
}

bool RunTexts::numeric(const std::string& column) {
  const auto* info = registry::findField(column);
  return info && info->kind == registry::FieldKind::Number;
}

std::vector<std::string> RunTexts::columns() {
  std::vector<std::string> all{kRun, kDiffers};
  for (const auto& info : registry::knownFields())
    if (info.name != "name") all.push_back(info.name);
  return all;
}

QStringList RunTexts::defaultColumns() {
  return {QString::fromLatin1(kRun),     QStringLiteral("model"),
          QString::fromLatin1(kDiffers), QStringLiteral("samples_per_second"),
          QStringLiteral("peak_memory"), QStringLiteral("accuracy"),
          QStringLiteral("status"),      QStringLiteral("created"),
          QStringLiteral("tag")};
}

}  // namespace atelier::app
