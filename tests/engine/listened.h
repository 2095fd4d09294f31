// A small trainer, and all that its techniques say.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "profiled.h"

namespace atelier::engine {

struct Listened {
  explicit Listened(const nlohmann::json& keys)
      : trainer(profiled::planOf(keys), installedMemory(),
                [this](wire::EventBody body) { events.push_back(std::move(body)); }) {
    trainer.activate();
  }

  void steps(int count) {
    for (int i = 0; i < count; ++i) trainer.step();
  }
  template <class Body>
  std::vector<Body> said() const {
    std::vector<Body> all;
    for (const auto& event : events)
      if (const auto* body = std::get_if<Body>(&event)) all.push_back(*body);
    return all;
  }
  // Ids of what was noticed, in order.
  std::vector<std::string> noticed() const {
    std::vector<std::string> ids;
    for (const auto& notice : said<wire::Noticed>()) ids.push_back(notice.message.id);
    return ids;
  }

  std::vector<wire::EventBody> events{};
  Trainer trainer;
};

// An argument of a message; "" when it has none such.
inline std::string argument(const wire::Message& message, const std::string& name) {
  for (const auto& [key, value] : message.args)
    if (key == name) return value;
  return "";
}

}  // namespace atelier::engine
