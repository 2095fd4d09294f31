#include "command.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace atelier::app::report {
namespace {

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c)) || std::string_view("_-.,:/=+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

bool isDefault(const std::string& key, const nlohmann::json& value, const wire::Schema& schema) {
  const auto* option = schema.find(key);
  if (!option) return false;
  const auto read = wire::readValue(*option, value);
  return read.ok() && *read == option->fallback;
}

std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string shownValue(const std::string& key, const nlohmann::json& value, const std::optional<wire::Schema>& schema) {
  const auto* option = schema ? schema->find(key) : nullptr;
  if (option) {
    const auto read = wire::readValue(*option, value);
    if (read.ok()) return wire::valueText(*option, *read);
  }
  return value.is_string() ? value.get<std::string>() : dumped(value);
}

std::string folded(const std::string& command, std::size_t columns) {
  std::string result;
  std::size_t from = 0, line = 0;
  while (from < command.size()) {
    bool inQuotes = command[from] == '\'';
    std::size_t to = from + 1;
    for (; to < command.size(); ++to) {
      if (command[to] == '\'') inQuotes = !inQuotes;
      const std::string_view rest = std::string_view(command).substr(to);
      if (!inQuotes && (rest.starts_with(" --") || rest.starts_with(" | "))) break;
    }
    if (line > 0 && line + (to - from) > columns) {
      result += " \\\n ";
      line = 1;
    }
    result += command.substr(from, to - from);
    line += to - from;
    from = to;
  }
  return result;
}

nlohmann::json differing(const nlohmann::json& a, const nlohmann::json& b) {
  auto result = nlohmann::json::object();
  if (!b.is_object()) return result;
  for (const auto& [key, value] : b.items())
    if (!a.is_object() || !a.contains(key) || a[key] != value) result[key] = value;
  return result;
}

std::string rerunCommand(const std::string& verb, const nlohmann::json& spec, const nlohmann::json& b,
                         const std::optional<wire::Schema>& schema) {
  std::string command = "atelier-engine " + verb;
  if (!schema) {
    command += " --spec -";
  } else if (spec.is_object()) {
    for (const auto& [key, value] : spec.items())
      if (!isDefault(key, value, *schema)) command += " --set " + quoted(key + "=" + shownValue(key, value, schema));
  }
  const auto changed = differing(spec, b);
  for (const auto& [key, value] : changed.items()) command += " --b " + quoted(key + "=" + shownValue(key, value, schema));
  return schema ? command
                : "printf '%s' " + quoted(dumped(spec.is_object() ? spec : nlohmann::json::object())) + " | " + command;
}

}  // namespace atelier::app::report
