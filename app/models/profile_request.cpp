#include "profile_request.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/wire/json_read.h"
#include "core/wire/number.h"

namespace atelier::app {

namespace {

std::int64_t* partOf(LookSchedule& schedule, std::string_view name) {
  if (name == "wait") return &schedule.wait;
  if (name == "warmup") return &schedule.warmup;
  if (name == "active") return &schedule.active;
  return name == "repeat" ? &schedule.repeat : nullptr;
}

}  // namespace

std::string LookSchedule::text() const {
  return "wait=" + std::to_string(wait) + ",warmup=" + std::to_string(warmup) + ",active=" + std::to_string(active) +
         ",repeat=" + std::to_string(repeat);
}

std::optional<LookSchedule> LookSchedule::read(const std::string& text) {
  LookSchedule schedule;
  if (text == "on") return schedule;
  const std::string_view whole = text;
  for (std::size_t from = 0; from <= whole.size();) {
    const auto end = std::min(whole.find(',', from), whole.size());
    const auto part = whole.substr(from, end - from);
    from = end + 1;
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    auto* number = partOf(schedule, part.substr(0, equals));
    const auto value = wire::parseInteger(part.substr(equals + 1));
    if (!number || !value || *value < 0) return std::nullopt;
    *number = *value;
  }
  return schedule;
}

bool saysWhen(const nlohmann::json& spec) {
  const auto said = wire::textAt(spec, "profile");
  return !said.empty() && said != "off";
}

Job profileJob(nlohmann::json spec, const std::optional<LookSchedule>& schedule, const QString& label) {
  if (!spec.is_object()) spec = nlohmann::json::object();
  if (schedule) spec["profile"] = schedule->text();
  Job job;
  job.command.verb = "profile";
  job.command.spec = std::move(spec);
  job.label = label;
  job.origin = QStringLiteral("profile");
  return job;
}

}  // namespace atelier::app
