// Finds the results below a folder and groups them by learner.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "labs/plain_text.h"
#include "read_result.h"
#include "roll_up.h"

namespace atelier::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProblems = 200;

class Finder {
 public:
  Finder(Class& all, std::int64_t now_ms) : m_all(all), m_now(now_ms) {}

  std::vector<ReadResult> find() {
    look(m_all.folder, 0);
    return std::move(m_found);
  }

 private:
  void tell(const char* id, const fs::path& path, const std::string& limit = {}) {
    constexpr std::size_t kLongestPath = 4096;
    if (m_all.problems.size() < kMostProblems)
      m_all.problems.push_back({id, {{"file", plainLine(path.string(), kLongestPath)}, {"limit", limit}}});
  }

  // Folders in the order of their names, so that what a limit leaves out does not depend on the file system.
  void look(const fs::path& folder, int depth) {
    if (m_full) return;
    std::vector<fs::path> folders;
    bool results = false;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (++m_entries > kMostClassEntries) {
        if (!std::exchange(m_full, true)) tell("class.too_many_entries", folder, std::to_string(kMostClassEntries));
        return;
      }
      std::error_code gone;
      const auto name = entry->path().filename().string();
      if (name == "results.json") results = true;
      const bool isFolder = entry->symlink_status(gone).type() == fs::file_type::directory;
      if (isFolder && !name.starts_with('.')) folders.push_back(entry->path());
    }
    if (error) tell(depth == 0 ? "class.no_folder_to_read" : "class.unreadable", folder);
    if (results) take(folder / "results.json");
    std::sort(folders.begin(), folders.end());
    if (depth == kDeepestResult && !folders.empty()) tell("class.too_deep", folder, std::to_string(kDeepestResult));
    if (depth == kDeepestResult) return;
    for (const auto& below : folders) look(below, depth + 1);
  }

  void take(const fs::path& file) {
    if (m_found.size() == kMostResults) {
      if (!std::exchange(m_full, true)) tell("class.too_many_results", file, std::to_string(kMostResults));
      return;
    }
    std::error_code error;
    const auto size = fs::file_size(file, error);
    m_bytes += error ? 0 : std::min(size, kLargestResult);
    if (m_bytes > kMostClassBytes) {
      if (!std::exchange(m_full, true)) tell("class.too_large", file, std::to_string(kMostClassBytes >> 20));
      return;
    }
    auto read = readResult(file, m_now);
    if (read.ok()) m_found.push_back(std::move(read).value());
    else if (m_all.problems.size() < kMostProblems) m_all.problems.push_back(read.error().messages.front());
  }

  Class& m_all;
  std::int64_t m_now;
  std::vector<ReadResult> m_found;
  std::size_t m_entries = 0;
  std::uintmax_t m_bytes = 0;
  bool m_full = false;
};

// "2.10" after "2.9".
std::pair<int, int> numberKey(const std::string& number) {
  std::pair<int, int> key;
  const auto dot = std::min(number.find('.'), number.size());
  std::from_chars(number.data(), number.data() + dot, key.first);
  if (dot < number.size()) std::from_chars(number.data() + dot + 1, number.data() + number.size(), key.second);
  return key;
}

// One learner's labs, the newest copy of each.
void keep(Learner& learner, LabResult result, int& superseded) {
  const auto same =
      std::find_if(learner.labs.begin(), learner.labs.end(), [&](const LabResult& other) { return other.lab == result.lab; });
  if (same == learner.labs.end()) {
    learner.labs.push_back(std::move(result));
    return;
  }
  ++superseded;
  const auto newer = [](const LabResult& a, const LabResult& b) {
    return std::pair(a.written_ms, a.stepsDone()) > std::pair(b.written_ms, b.stepsDone());
  };
  if (newer(result, *same)) *same = std::move(result);
}

// Equal names are told apart by numbers, and so are those who typed none.
void label(std::vector<Learner>& learners) {
  std::map<std::string, int> all, seen;
  for (const auto& learner : learners) ++all[learner.name];
  for (auto& learner : learners) {
    const int number = ++seen[learner.name];
    learner.label = learner.name;
    if (all[learner.name] > 1 || learner.name.empty())
      learner.label += (learner.name.empty() ? "(" : " (") + std::to_string(number) + ")";
  }
}

std::vector<Learner> group(std::vector<ReadResult> found, int& superseded) {
  std::map<std::pair<std::string, std::string>, Learner> learners;
  for (auto& read : found) {
    auto& learner = learners[{read.learner, read.origin}];
    learner.name = read.learner;
    keep(learner, std::move(read.result), superseded);
  }
  std::vector<Learner> all;
  for (auto& [who, learner] : learners) {
    std::sort(learner.labs.begin(), learner.labs.end(), [](const LabResult& a, const LabResult& b) {
      return std::pair(numberKey(a.number), a.lab) < std::pair(numberKey(b.number), b.lab);
    });
    for (const auto& lab : learner.labs) learner.last_activity_ms = std::max(learner.last_activity_ms, lab.last_activity_ms);
    all.push_back(std::move(learner));
  }
  label(all);
  return all;
}

}  // namespace

Class readClass(const fs::path& folder, std::int64_t now_ms) {
  Class all;
  all.folder = folder;
  all.learners = group(Finder(all, now_ms).find(), all.superseded);
  for (const auto& learner : all.learners) all.latest_ms = std::max(all.latest_ms, learner.last_activity_ms);
  markStuck(all.learners);
  all.labs = rollUp(all.learners);
  std::sort(all.labs.begin(), all.labs.end(), [](const LabRollUp& a, const LabRollUp& b) {
    return std::pair(numberKey(a.number), a.lab) < std::pair(numberKey(b.number), b.lab);
  });
  return all;
}

}  // namespace atelier::lab
