#include "resume.h"

#include <set>
#include <string>

#include "core/wire/option.h"

namespace atelier::engine {
namespace {

// Not among them: workers and prefetch, which give the same batches, but make the steps that follow an evaluation more or
// fewer.
const std::set<std::string>& freeKeys() {
  static const std::set<std::string> all{
      "steps",          "epochs",          "threads", "pinned",           "memory_budget", "profile",      "profile_shapes",
      "profile_memory", "profile_modules", "save",    "checkpoint_every", "rollback",      "spike_factor", "stop_when_decided"};
  return all;
}

}  // namespace

wire::Result<std::vector<wire::Message>> mayResume(const wire::RunSpec& was, const wire::RunSpec& now) {
  std::vector<wire::Message> refused, said;
  const auto text = [](const wire::Value& value) {
    const auto json = wire::valueJson(value);
    return json.is_string() ? json.get<std::string>() : json.dump();
  };
  for (const auto& [key, value] : now.values()) {
    const auto& before = was.values().at(key);
    if (value == before) continue;
    if (!freeKeys().contains(key))
      refused.push_back({"resume.key_differs", {{"key", key}, {"was", text(before)}, {"now", text(value)}}});
    if (key == "threads") said.push_back({"resume.threads", {{"was", text(before)}, {"now", text(value)}}});
  }
  if (!refused.empty()) return wire::Error{wire::ExitCode::Usage, std::move(refused)};
  const bool longer = was.integer("steps") != now.integer("steps") || was.integer("epochs") != now.integer("epochs");
  if (longer && now.text("schedule") != "none") said.push_back({"resume.schedule", {{"schedule", now.text("schedule")}}});
  return said;
}

}  // namespace atelier::engine
