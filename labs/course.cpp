#include <algorithm>
#include <array>
#include <charconv>

#include "lab_file.h"
#include "load.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

struct CourseShape {
  std::vector<HalfDay> half_days;  // every lab of course.toml still planned
};

// A title in the reader's language: title = { en = "…", fr = "…" }.
std::string titleOf(TableReader& reader, const std::string& file, std::string_view language,
                    std::vector<wire::Message>& mistakes) {
  const auto* table = reader.table("title", TableReader::Need::Required);
  if (!table) return {};
  TableReader titles(*table, file, mistakes);
  const auto english = titles.text("en"), french = titles.text("fr");
  titles.finish();
  return language == "fr" ? french : english;
}

wire::Result<CourseShape> parseCourse(std::string_view content, const std::string& file, std::string_view language) {
  const auto root = parseToml(content, file);
  if (!root.ok()) return root.error();
  CourseShape shape;
  std::vector<wire::Message> mistakes;
  TableReader course(*root, file, mistakes);
  for (const auto* half : course.tables("half_day")) {
    HalfDay day;
    TableReader reader(*half, file, mistakes);
    day.id = reader.identifier("id");
    day.title = titleOf(reader, file, language, mistakes);
    for (const auto* entry : reader.tables("lab")) {
      TableReader planned(*entry, file, mistakes);
      auto number = planned.text("number");
      day.planned.push_back({std::move(number), titleOf(planned, file, language, mistakes)});
      planned.finish();
    }
    reader.finish();
    shape.half_days.push_back(std::move(day));
  }
  course.finish();
  if (!mistakes.empty()) return wire::Error{wire::ExitCode::Usage, std::move(mistakes)};
  return shape;
}

std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (std::error_code unreadable; entry->is_directory(unreadable) && !entry->path().filename().string().starts_with('.'))
      all.push_back(entry->path());
  std::sort(all.begin(), all.end());
  return all;
}

// "2.10" as {2, 10}, so that it comes after "2.9".
std::array<int, 2> numberKey(const std::string& number) {
  std::array<int, 2> key{};
  const auto dot = std::min(number.find('.'), number.size());
  std::from_chars(number.data(), number.data() + dot, key[0]);
  if (dot < number.size()) std::from_chars(number.data() + dot + 1, number.data() + number.size(), key[1]);
  return key;
}

wire::Status place(Course& course, HalfDay& day, Lab lab) {
  const auto file = (lab.folder / "lab.toml").string();
  const auto refuse = [&](const char* id, const std::string& given, const std::string& wanted) {
    return wire::Error{wire::ExitCode::Usage, fileMessage(id, file, 0, {{"given", given}, {"wanted", wanted}})};
  };
  if (lab.id != lab.folder.filename().string()) return refuse("lab.id_is_not_folder", lab.id, lab.folder.filename().string());
  if (lab.half_day != day.id) return refuse("lab.other_half_day", lab.half_day, day.id);
  if (course.find(lab.id) || course.find(lab.number)) return refuse("lab.number_twice", lab.number, lab.id);
  std::erase_if(day.planned, [&](const PlannedLab& planned) { return planned.number == lab.number; });
  day.labs.push_back(std::move(lab));
  return wire::success();
}

void readHalfDay(Course& course, HalfDay& day, const fs::path& folder, const fs::path& root, std::string_view language) {
  for (const auto& labFolder : subfolders(folder)) {
    if (!liesWithin(labFolder, root)) {
      course.refused.push_back({wire::ExitCode::Usage, fileMessage("lab.outside", labFolder.string(), 0)});
      continue;
    }
    auto lab = loadLab(labFolder, language);
    const auto status = lab.ok() ? place(course, day, std::move(lab).value()) : wire::Status(lab.error());
    if (!status.ok()) course.refused.push_back(status.error());
  }
  std::sort(day.labs.begin(), day.labs.end(),
            [](const Lab& a, const Lab& b) { return numberKey(a.number) < numberKey(b.number); });
}

HalfDay* dayOf(Course& course, const fs::path& folder) {
  const auto found = std::find_if(course.half_days.begin(), course.half_days.end(),
                                  [&](const HalfDay& day) { return day.id == folder.filename().string(); });
  return found == course.half_days.end() ? nullptr : &*found;
}

}  // namespace

Course loadCourse(const fs::path& folder, std::string_view language) {
  Course course;
  const auto file = (folder / "course.toml").string();
  const auto content = readLabFile(folder, "course.toml");
  auto shape = content.ok() ? parseCourse(*content, file, language) : wire::Result<CourseShape>(content.error());
  if (shape.ok()) course.half_days = std::move(shape->half_days);
  else course.refused.push_back(shape.error());
  for (const auto& dayFolder : subfolders(folder)) {
    // Without a readable course.toml the labs can still be taken, under their folders' names.
    if (!shape.ok()) course.half_days.push_back({dayFolder.filename().string(), dayFolder.filename().string(), {}, {}});
    if (auto* day = dayOf(course, dayFolder)) readHalfDay(course, *day, dayFolder, folder, language);
    else course.refused.push_back({wire::ExitCode::Usage, fileMessage("lab.unknown_half_day", dayFolder.string(), 0)});
  }
  return course;
}

}  // namespace atelier::lab
