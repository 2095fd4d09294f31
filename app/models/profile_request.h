// ProfileRequest: what the engine is asked when a run is to be profiled: the spec, and when the profiler looks. Pure; any
// thread.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "run_desk.h"

namespace atelier::app {

// As the spec's key `profile` has it: steps that are waited, thrown away, kept; and how often.
struct LookSchedule {
  std::int64_t wait = 1, warmup = 1, active = 3, repeat = 1;
  bool operator==(const LookSchedule&) const = default;

  std::string text() const;  // "wait=1,warmup=1,active=3,repeat=1"
  // "off" and what can't be read: nullopt; "on": the default. Parts that are not told keep theirs.
  static std::optional<LookSchedule> read(const std::string& text);
};

// Whether the spec itself says when the profiler looks.
bool saysWhen(const nlohmann::json& spec);

// `schedule`: nullopt leaves it to the spec, or to the engine where that says nothing.
Job profileJob(nlohmann::json spec, const std::optional<LookSchedule>& schedule, const QString& label);

}  // namespace atelier::app
