#include "engine_command.h"

#include <algorithm>

namespace atelier::app {
namespace {

// A JSON value as --b key=value wants it: text bare, all else as JSON, numbers without the locale.
std::string plainText(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

QString assignment(const std::string& key, const std::string& value) {
  return QString::fromStdString(key + "=" + value);
}

}  // namespace

QStringList EngineCommand::arguments() const {
  QStringList all{QString::fromStdString(verb), answers() ? QStringLiteral("--json") : QStringLiteral("--events"),
                  QStringLiteral("--spec"), QStringLiteral("-")};
  if (verb == "script") all << QStringLiteral("--run");
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!others[i].is_object()) continue;
    const auto flag = QStringLiteral("--") + QLatin1Char(static_cast<char>('b' + i));
    for (const auto& [key, value] : others[i].items()) all << flag << assignment(key, plainText(value));
  }
  for (const auto& [key, values] : grid) {
    std::string list;
    for (const auto& value : values) list += (list.empty() ? "" : ",") + value;
    all << QStringLiteral("--grid") << assignment(key, list);
  }
  return all;
}

int EngineCommand::runs() const {
  if (verb == "race") return 1 + std::max(1, static_cast<int>(others.size()));
  if (verb != "sweep") return 1;
  int points = 1;
  for (const auto& [key, values] : grid) points *= static_cast<int>(values.size());
  return points + (points > 1 ? 1 : 0);  // the drift check
}

}  // namespace atelier::app
