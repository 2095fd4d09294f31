// Reading members of a JSON object that may have been written by anybody: what is absent or of another type is nothing, never
// an exception. Any thread; pure.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace atelier::wire {

// The member as a text; "" when there is none, also when `object` is no object.
inline std::string textAt(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The member, or null.
inline nlohmann::json memberAt(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found == object.end() ? nlohmann::json() : *found;
}

}  // namespace atelier::wire
