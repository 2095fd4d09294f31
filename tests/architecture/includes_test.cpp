// Reads the #include lines of every source and fails when one goes against the rooms' arrows.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = ATELIER_SOURCE_DIR;

std::string roomOf(const std::string& path) {
  for (const char* room :
       {"core/wire", "core/pretrained", "core/trace", "core/registry", "core/engine", "core/worker", "kernels", "labs", "app"})
    if (path.starts_with(std::string(room) + "/")) return room;
  return "";
}

struct Include {
  std::string file, target;
};

std::vector<Include> includes() {
  std::vector<Include> all;
  const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^">]+)[">])");
  for (const char* top : {"core", "kernels", "labs", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const auto ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".h" && ending != ".cu" && ending != ".cuh") continue;
      std::ifstream input(entry.path());
      std::smatch match;
      for (std::string line; std::getline(input, line);)
        if (std::regex_search(line, match, pattern)) all.push_back({fs::relative(entry.path(), kRoot).string(), match[1]});
    }
  return all;
}

}  // namespace

TEST(Architecture, IncludesFollowTheArrows) {
  const std::map<std::string, std::set<std::string>> allowed{
      {"core/wire", {}},
      {"core/pretrained", {"core/wire"}},
      {"core/trace", {"core/wire"}},
      {"core/registry", {"core/wire"}},
      {"kernels", {}},
      {"core/engine", {"kernels", "core/wire", "core/pretrained", "core/trace"}},
      {"core/worker", {"core/engine", "core/registry", "core/wire", "core/pretrained", "core/trace"}},
      {"labs", {"core/registry", "core/wire"}},
      {"app", {"labs", "core/registry", "core/wire", "core/trace"}}};
  int seen = 0;
  for (const auto& include : includes()) {
    const auto from = roomOf(include.file), to = roomOf(include.target);
    if (to.empty()) continue;
    ++seen;
    EXPECT_TRUE(from == to || allowed.at(from).contains(to)) << include.file << " includes " << include.target;
  }
  EXPECT_GT(seen, 100);
}

TEST(Architecture, TorchAndQtStayInTheirRooms) {
  int torch = 0, qt = 0;
  for (const auto& include : includes()) {
    const auto room = roomOf(include.file);
    const bool isTorch =
        include.target.starts_with("torch/") || include.target.starts_with("ATen/") || include.target.starts_with("c10/");
    const bool isQt =
        include.target.size() > 1 && include.target[0] == 'Q' && std::isupper(static_cast<unsigned char>(include.target[1]));
    torch += isTorch;
    qt += isQt;
    EXPECT_TRUE(!isTorch || room == "core/engine" || room == "core/worker") << include.file << " includes " << include.target;
    EXPECT_TRUE(!isQt || room == "app") << include.file << " includes " << include.target;
  }
  EXPECT_GT(torch, 10);
  EXPECT_GT(qt, 10);
}

TEST(Architecture, FilesAreShort) {
  for (const char* top : {"core", "kernels", "labs", "app", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const auto ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".h") continue;
      std::ifstream input(entry.path());
      int lines = 0;
      for (std::string line; std::getline(input, line);) ++lines;
      EXPECT_LE(lines, 500) << entry.path();
    }
}

TEST(Architecture, MainWindowIsNavigationOnly) {
  std::ifstream input(kRoot / "app/shell/main_window.h");
  int lines = 0;
  for (std::string line; std::getline(input, line);) ++lines;
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, 120);
}
