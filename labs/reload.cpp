#include "reload.h"

#include <algorithm>
#include <functional>

#include "load.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCounted = 10'000;
constexpr int kDeepest = 3;  // half-day / lab / recorded / file

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return value;
}

std::uint64_t stampOf(const fs::directory_entry& entry) {
  std::error_code error;
  const auto status = entry.symlink_status(error);
  auto stamp = mixed(std::hash<std::string>{}(entry.path().string()) + static_cast<std::uint64_t>(status.type()));
  if (fs::is_symlink(status)) return stamp;
  if (fs::is_regular_file(status)) stamp = mixed(stamp + entry.file_size(error));
  return mixed(stamp + static_cast<std::uint64_t>(entry.last_write_time(error).time_since_epoch().count()));
}

bool isRefused(const Course& course, const fs::path& folder) {
  const auto prefix = (folder / "").string();
  for (const auto& error : course.refused)
    for (const auto& message : error.messages)
      for (const auto& [name, value] : message.args)
        if (name == "file" && value.starts_with(prefix)) return true;
  return false;
}

HalfDay& dayOf(Course& course, const HalfDay& wanted) {
  const auto found =
      std::find_if(course.half_days.begin(), course.half_days.end(), [&](const HalfDay& day) { return day.id == wanted.id; });
  if (found != course.half_days.end()) return *found;
  return course.half_days.emplace_back(HalfDay{wanted.id, wanted.title, {}, {}});
}

// Where the lab stood before: behind its predecessor that is still there.
void putBack(HalfDay& day, const std::vector<Lab>& before, std::size_t index) {
  auto place = day.labs.begin();
  for (std::size_t i = 0; i < index; ++i) {
    const auto found = std::find_if(day.labs.begin(), day.labs.end(), [&](const Lab& lab) { return lab.id == before[i].id; });
    if (found != day.labs.end()) place = found + 1;
  }
  auto lab = before[index];
  lab.outdated = true;
  std::erase_if(day.planned, [&](const PlannedLab& planned) { return planned.number == lab.number; });
  day.labs.insert(place, std::move(lab));
}

// Whether course.toml could not be read: half-days then have but their folders' names.
bool lostItsTitles(const Course& read, const fs::path& folder) {
  const auto file = (folder / "course.toml").string();
  for (const auto& error : read.refused)
    for (const auto& message : error.messages)
      for (const auto& [name, value] : message.args)
        if (name == "file" && value == file) return true;
  return false;
}

// Half-days in the order and under the titles that they had.
void keepTitles(Course& read, const Course& shown) {
  std::vector<HalfDay> ordered;
  for (const auto& day : shown.half_days) {
    HalfDay kept{day.id, day.title, {}, day.planned};
    for (auto& now : read.half_days)
      if (now.id == day.id) kept.labs = std::move(now.labs);
    ordered.push_back(std::move(kept));
  }
  for (auto& now : read.half_days) {
    const bool known = std::any_of(ordered.begin(), ordered.end(), [&](const HalfDay& day) { return day.id == now.id; });
    if (!known) ordered.push_back(std::move(now));
  }
  read.half_days = std::move(ordered);
}

}  // namespace

std::uint64_t courseStamp(const fs::path& folder) {
  std::error_code error;
  std::uint64_t stamp = 0;
  std::size_t counted = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  if (error) return 0;
  for (const fs::recursive_directory_iterator end; !error && entry != end && counted < kMostCounted; entry.increment(error)) {
    if (entry->path().filename().string().starts_with('.')) {
      entry.disable_recursion_pending();
      continue;
    }
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    // A sum: the order in which a folder tells its entries means nothing.
    stamp += stampOf(*entry);
    ++counted;
  }
  return mixed(stamp + counted) | 1;
}

Course reloadCourse(const fs::path& folder, std::string_view language, const Course& shown) {
  auto read = loadCourse(folder, language);
  if (!shown.half_days.empty() && lostItsTitles(read, folder)) keepTitles(read, shown);
  for (const auto& day : shown.half_days)
    for (std::size_t i = 0; i < day.labs.size(); ++i) {
      const auto& lab = day.labs[i];
      std::error_code gone;
      if (read.find(lab.id) || !fs::is_directory(lab.folder, gone) || !isRefused(read, lab.folder)) continue;
      putBack(dayOf(read, day), day.labs, i);
    }
  return read;
}

}  // namespace atelier::lab
