#include "support.h"

#include <QDir>
#include <QStringList>
#include <QSysInfo>

#include <array>

namespace atelier::app {

namespace {

constexpr std::array kOfMachine{"atelier",      "revision", "torch",  "device", "cpu",    "cores",   "threads",
                                "memory_bytes", "gpus",     "driver", "os",     "kernel", "governor"};
constexpr qsizetype kShortestName = 2;  // one letter stands everywhere

QString plain(const nlohmann::json& value) {
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  return QString::fromStdString(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

QString withoutPerson(QString text, const SupportFacts& facts) {
  if (!facts.home.isEmpty()) text.replace(facts.home, QStringLiteral("$ATELIER_HOME"));
  const auto account = QDir::homePath();
  if (account.size() > kShortestName) text.replace(account, QStringLiteral("~"));
  if (facts.learner.size() >= kShortestName) text.replace(facts.learner, QStringLiteral("…"), Qt::CaseInsensitive);
  return text;
}

}  // namespace

QString supportText(const SupportFacts& facts, const wire::Catalog& catalog) {
  QStringList lines{QStringLiteral("window: ") + facts.version, QStringLiteral("qt: ") + QLatin1String(qVersion()),
                    QStringLiteral("system: ") + QSysInfo::prettyProductName(), QStringLiteral("language: ") + facts.language,
                    QStringLiteral("theme: ") + facts.theme};
  if (facts.machine.is_object())
    for (const char* key : kOfMachine)
      if (const auto found = facts.machine.find(key); found != facts.machine.end())
        lines << QLatin1String(key) + QStringLiteral(": ") + plain(*found);
  if (facts.last_error) {
    lines << QStringLiteral("error: ") + QString::number(static_cast<int>(facts.last_error->code));
    for (const auto& message : facts.last_error->messages)
      lines << QStringLiteral("  ") + QString::fromStdString(message.id + ": " + catalog.text(message));
  }
  return withoutPerson(lines.join(QLatin1Char('\n')), facts) + QLatin1Char('\n');
}

}  // namespace atelier::app
