// When a profiler looks: `skip_first` and then, `repeat` times, `wait` steps not looked at, `warmup` steps looked at and thrown
// away, `active` steps kept; as torch.profiler.schedule. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/wire/result.h"

namespace atelier::engine {

struct ProfileSchedule {
  std::int64_t wait = 1, warmup = 1, active = 3, repeat = 1, skip_first = 0;
  std::int64_t steps() const { return skip_first + repeat * (wait + warmup + active); }
};

enum class ProfilePhase { Off, Warmup, Active };
// What a profiler does in a step, the first being 0. Off before and after the schedule.
ProfilePhase phaseAt(const ProfileSchedule& schedule, std::int64_t step);

// "off" → nullopt; "on" → the default; "wait=1,warmup=1,active=3,repeat=1", any of them. Fails with profile.schedule {given,
// why}: the part that can't be used.
wire::Result<std::optional<ProfileSchedule>> parseSchedule(const std::string& text);
std::string scheduleText(const ProfileSchedule& schedule);

}  // namespace atelier::engine
