#include <algorithm>
#include <array>
#include <charconv>

#include "course_walk.h"
#include "lab_file.h"
#include "lab_keys.h"
#include "load.h"
#include "toml_tree.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

struct CourseShape {
  std::vector<HalfDay> half_days;  // every lab of course.toml still planned
};

// A title in the reader's language: title = { en = "…", fr = "…" }; a course in one language gives it in that one.
std::string titleOf(TableReader& reader, const std::string& file, std::string_view language,
                    std::vector<wire::Message>& mistakes) {
  const auto* table = reader.table("title", TableReader::Need::Required);
  if (!table) return {};
  TableReader titles(*table, file, mistakes);
  const auto english = titles.text("en", titles.has("fr") ? TableReader::Need::Optional : TableReader::Need::Required);
  const auto french = titles.text("fr", TableReader::Need::Optional);
  titles.finish({"en", "fr"});
  return english.empty() || (language == "fr" && !french.empty()) ? french : english;
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
      auto number = planned.labNumber("number");
      day.planned.push_back({std::move(number), titleOf(planned, file, language, mistakes)});
      planned.finish(keysOf("planned_lab"));
    }
    reader.finish(keysOf("half_day"));
    const bool twice = std::any_of(shape.half_days.begin(), shape.half_days.end(),
                                   [&](const HalfDay& other) { return !day.id.empty() && other.id == day.id; });
    if (twice) reader.mistake("lab.twice", reader.lineOf("id"), {{"given", day.id}});
    shape.half_days.push_back(std::move(day));
  }
  course.finish(keysOf("course"));
  if (!mistakes.empty()) return wire::Error{wire::ExitCode::Usage, std::move(mistakes)};
  return shape;
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

// The language to read a lab in: the one asked for, or the other when only that has texts.
std::string_view languageOf(const fs::path& folder, std::string_view wanted) {
  const std::string_view other = wanted == "fr" ? "en" : "fr";
  const auto has = [&](std::string_view language) { return isThere(folder / (std::string(language) + ".md")); };
  return !has(wanted) && has(other) ? other : wanted;
}

class CourseReader {
 public:
  CourseReader(Course& course, fs::path root, std::string_view language)
      : m_course(course), m_root(std::move(root)), m_language(language) {}

  void readHalfDay(HalfDay& day, const fs::path& folder) {
    for (const auto& labFolder : subfolders(folder, m_root, m_course.refused)) {
      if (++m_labs > kMostLabs) {
        if (m_labs == kMostLabs + 1) refuse("lab.too_many_labs", labFolder);
        break;
      }
      auto lab = loadLab(labFolder, languageOf(labFolder, m_language));
      const auto status = lab.ok() ? place(m_course, day, std::move(lab).value()) : wire::Status(lab.error());
      if (!status.ok()) m_course.refused.push_back(status.error());
    }
    std::sort(day.labs.begin(), day.labs.end(),
              [](const Lab& a, const Lab& b) { return numberKey(a.number) < numberKey(b.number); });
    for (const auto& lab : day.labs)
      if (!lab.notices.empty()) m_course.refused.push_back({wire::ExitCode::Usage, lab.notices});
  }

  // A folder that is a lab, not a course: its half-day is named by its id.
  void readLab() {
    auto lab = loadLab(m_root, languageOf(m_root, m_language));
    if (!lab.ok()) return m_course.refused.push_back(lab.error());
    if (!lab->notices.empty()) m_course.refused.push_back({wire::ExitCode::Usage, lab->notices});
    HalfDay day{lab->half_day, lab->half_day, {}, {}};
    day.labs.push_back(std::move(lab).value());
    m_course.half_days.push_back(std::move(day));
  }

  void refuse(const char* id, const fs::path& path) {
    m_course.refused.push_back(
        {wire::ExitCode::Usage, fileMessage(id, path.string(), 0, {{"limit", std::to_string(kMostLabs)}})});
  }

 private:
  Course& m_course;
  fs::path m_root;
  std::string_view m_language;
  std::size_t m_labs = 0;
};

HalfDay* dayOf(Course& course, const fs::path& folder) {
  const auto found = std::find_if(course.half_days.begin(), course.half_days.end(),
                                  [&](const HalfDay& day) { return day.id == folder.filename().string(); });
  return found == course.half_days.end() ? nullptr : &*found;
}

}  // namespace

Course loadCourse(const fs::path& folder, std::string_view language) {
  Course course;
  CourseReader reader(course, folder, language);
  if (std::error_code error; !fs::is_directory(folder, error)) {
    reader.refuse("lab.no_folder", folder);
    return course;
  }
  if (isThere(folder / "lab.toml")) {
    reader.readLab();
    return course;
  }
  const auto file = (folder / "course.toml").string();
  const auto content = readLabFile(folder, "course.toml");
  auto shape = content.ok() ? parseCourse(*content, file, language) : wire::Result<CourseShape>(content.error());
  if (shape.ok()) course.half_days = std::move(shape->half_days);
  else course.refused.push_back(shape.error());
  for (const auto& dayFolder : subfolders(folder, folder, course.refused)) {
    // Without a readable course.toml the labs can still be taken, under their folders' names.
    if (!shape.ok()) course.half_days.push_back({dayFolder.filename().string(), dayFolder.filename().string(), {}, {}});
    if (auto* day = dayOf(course, dayFolder)) reader.readHalfDay(*day, dayFolder);
    else reader.refuse("lab.unknown_half_day", dayFolder);
  }
  return course;
}

}  // namespace atelier::lab
