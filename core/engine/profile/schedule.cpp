#include "schedule.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/wire/number.h"

namespace atelier::engine {
namespace {

struct Field {
  std::string_view key;
  std::int64_t ProfileSchedule::*member;
  std::int64_t least;
};
constexpr std::array kFields{Field{"wait", &ProfileSchedule::wait, 0}, Field{"warmup", &ProfileSchedule::warmup, 0},
                             Field{"active", &ProfileSchedule::active, 1}, Field{"repeat", &ProfileSchedule::repeat, 1},
                             Field{"skip_first", &ProfileSchedule::skip_first, 0}};
constexpr std::int64_t kMost = 1'000'000;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

ProfilePhase phaseAt(const ProfileSchedule& schedule, std::int64_t step) {
  if (step < schedule.skip_first || step >= schedule.steps()) return ProfilePhase::Off;
  const auto place = (step - schedule.skip_first) % (schedule.wait + schedule.warmup + schedule.active);
  if (place < schedule.wait) return ProfilePhase::Off;
  return place < schedule.wait + schedule.warmup ? ProfilePhase::Warmup : ProfilePhase::Active;
}

wire::Result<std::optional<ProfileSchedule>> parseSchedule(const std::string& text) {
  using Parsed = std::optional<ProfileSchedule>;
  const auto whole = trimmed(text);
  if (whole == "off") return Parsed{};
  ProfileSchedule schedule;
  if (whole == "on") return Parsed{schedule};
  std::vector<std::string_view> seen;
  for (std::size_t from = 0; from <= whole.size();) {
    const auto end = std::min(whole.find(',', from), whole.size());
    const auto part = trimmed(whole.substr(from, end - from));
    from = end + 1;
    const auto equals = std::min(part.find('='), part.size());
    const auto key = trimmed(part.substr(0, equals));
    const auto field = std::find_if(kFields.begin(), kFields.end(), [&](const Field& one) { return one.key == key; });
    const auto value = wire::parseInteger(trimmed(part.substr(std::min(equals + 1, part.size()))));
    if (field == kFields.end() || std::count(seen.begin(), seen.end(), key) > 0 || !value || *value < field->least ||
        *value > kMost)
      return wire::Error{wire::ExitCode::Usage, {"profile.schedule", {{"given", text}, {"why", std::string(part)}}}};
    schedule.*(field->member) = *value;
    seen.push_back(key);
  }
  return Parsed{schedule};
}

std::string scheduleText(const ProfileSchedule& schedule) {
  std::string text;
  for (const auto& field : kFields) {
    const auto value = schedule.*(field.member);
    if (field.key == "skip_first" && value == 0) continue;
    text.append(text.empty() ? "" : ",").append(field.key).append("=").append(std::to_string(value));
  }
  return text;
}

}  // namespace atelier::engine
