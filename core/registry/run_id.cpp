#include "run_id.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>

#include "registry.h"
#include "run_lock.h"

namespace atelier::registry {
namespace {

constexpr std::int64_t kTicks = 4096;  // a second: three hexadecimal digits
constexpr std::int64_t kNanoseconds = 1'000'000'000;

bool isAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<int> digits(std::string_view text, int base = 10) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || stop != text.data() + text.size() || text.front() == '-') return std::nullopt;
  return value;
}

}  // namespace

bool validId(std::string_view id) {
  if (id.empty() || id.size() > 64 || !isAlphanumeric(id.front()) || id.find("..") != std::string_view::npos) return false;
  return std::all_of(id.begin(), id.end(), [](char c) { return isAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

wire::Status checkId(std::string_view id) {
  if (validId(id)) return wire::success();
  return wire::Error{wire::ExitCode::Usage, wire::Message{"registry.bad_id", {{"run", std::string(id)}}}};
}

std::optional<std::int64_t> idMilliseconds(std::string_view id) {
  if (id.size() != 22 || id[8] != '-' || id[15] != '-') return std::nullopt;
  const auto year = digits(id.substr(0, 4)), month = digits(id.substr(4, 2)), day = digits(id.substr(6, 2));
  const auto hour = digits(id.substr(9, 2)), minute = digits(id.substr(11, 2)), second = digits(id.substr(13, 2));
  const auto tick = digits(id.substr(16, 3), 16);
  if (!year || !month || !day || !hour || !minute || !second || !tick) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((std::int64_t{days} * 24 + *hour) * 60 + *minute) * 60 + *second;
  return seconds * 1000 + *tick * 1000 / kTicks;
}

std::string utcStamp(std::int64_t seconds) {
  const time_t time = static_cast<time_t>(seconds);
  struct tm utc {};
  ::gmtime_r(&time, &utc);
  char text[64];
  std::snprintf(text, sizeof text, "%04d%02d%02d-%02d%02d%02d", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                utc.tm_min, utc.tm_sec);
  return text;
}

std::string makeRunId() {
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto self = ownMark();
  const auto mix = std::hash<std::string>{}(self.boot + self.host) ^ static_cast<std::size_t>(::gettid());
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "-%03x%03x", static_cast<unsigned>(now.tv_nsec * kTicks / kNanoseconds),
                static_cast<unsigned>(mix % kTicks));
  // Sleeping past the tick keeps two ids of one thread apart without any state.
  const struct timespec tick { 0, kNanoseconds / kTicks + 1 };
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &tick, nullptr);
  return utcStamp(now.tv_sec) + suffix;
}

}  // namespace atelier::registry
