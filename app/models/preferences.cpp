#include "preferences.h"

#include <QStringList>

#include <algorithm>

#include "core/wire/number.h"

namespace atelier::app {

namespace {

constexpr qsizetype kLongestName = 120;

QString oneOf(const QString& value, const QStringList& allowed) {
  return allowed.contains(value) ? value : QString();
}

bool isSize(const QString& text) {
  return wire::parseBytes(text.toStdString()).value_or(0) > 0;
}

}  // namespace

QVariant Preferences::value(const char* key, const QVariant& fallback) const {
  return m_settings.value(QLatin1String(key), fallback);
}

void Preferences::set(const char* key, const QVariant& value) {
  m_settings.set(QLatin1String(key), value);
}

QString Preferences::theme() const {
  return oneOf(value(kTheme).toString(), {QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("contrast")});
}

QString Preferences::language() const {
  return oneOf(value(kLanguage).toString(), {QStringLiteral("en"), QStringLiteral("fr")});
}

int Preferences::textSize() const {
  bool ok = false;
  const int percent = value(kTextSize, 100).toInt(&ok);
  return ok && percent >= kLeastText && percent <= kLargestText ? percent : 100;
}

bool Preferences::reducedMotion() const {
  return value(kReducedMotion, false).toBool();
}

int Preferences::threads() const {
  bool ok = false;
  const int count = value(kThreads, 0).toInt(&ok);
  return ok && count >= 0 && count <= kMostThreads ? count : 0;
}

QString Preferences::memoryBudget() const {
  const auto text = value(kBudget).toString();
  return isSize(text) ? text : QString();
}

QString Preferences::learner() const {
  return value(kLearner).toString().simplified().left(kLongestName);
}

QString Preferences::resultsFolder() const {
  return value(kResults).toString();
}

void Preferences::setTheme(const QString& name) {
  set(kTheme, name);
}

void Preferences::setLanguage(const QString& language) {
  set(kLanguage, language);
}

void Preferences::setTextSize(int percent) {
  set(kTextSize, std::clamp(percent, kLeastText, kLargestText));
}

void Preferences::setReducedMotion(bool reduced) {
  set(kReducedMotion, reduced);
}

void Preferences::setThreads(int threads) {
  set(kThreads, std::clamp(threads, 0, kMostThreads));
}

bool Preferences::setMemoryBudget(const QString& text) {
  const auto typed = text.trimmed();
  if (!typed.isEmpty() && !isSize(typed)) return false;
  set(kBudget, typed);
  return true;
}

void Preferences::setLearner(const QString& name) {
  set(kLearner, name.simplified().left(kLongestName));
}

void Preferences::setResultsFolder(const QString& folder) {
  set(kResults, folder);
}

nlohmann::json Preferences::runDefaults() const {
  auto defaults = nlohmann::json::object();
  if (threads() > 0) defaults["threads"] = threads();
  if (const auto budget = memoryBudget(); !budget.isEmpty()) defaults["memory_budget"] = budget.toStdString();
  return defaults;
}

void Preferences::reset() {
  for (const char* key : {kTheme, kLanguage, kTextSize, kReducedMotion, kThreads, kBudget, kLearner, kResults})
    m_settings.remove(QLatin1String(key));
}

}  // namespace atelier::app
