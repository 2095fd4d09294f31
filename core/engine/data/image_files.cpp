#include "image_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "image_header.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using wire::Error;
using wire::ExitCode;

constexpr std::size_t kMostMistakes = 5;
constexpr std::size_t kTestShare = 10;

Error aboutFolder(const char* id, const fs::path& folder) {
  return {ExitCode::Failed, {id, {{"folder", folder.string()}}}};
}

// Names in a folder, sorted; hidden ones are none of ours.
wire::Result<std::vector<fs::directory_entry>> entries(const fs::path& folder) {
  std::vector<fs::directory_entry> result;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (!at->path().filename().string().starts_with('.')) result.push_back(*at);
  if (failed)
    return Error{ExitCode::Failed, {"data.folder_unreadable", {{"folder", folder.string()}, {"why", failed.message()}}}};
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.path() < b.path(); });
  return result;
}

bool isFolder(const fs::directory_entry& entry) {
  std::error_code failed;
  return entry.is_directory(failed);
}

// Extensions tell what is meant to be a picture; whether it is one, its header tells.
enum class Kind { Picture, OtherPicture, Other };
Kind kindOf(const fs::path& file) {
  constexpr std::array<std::string_view, 3> kPictures{".jpg", ".jpeg", ".png"};
  constexpr std::array<std::string_view, 9> kOthers{".gif", ".bmp", ".webp", ".tif", ".tiff", ".heic", ".avif", ".ppm", ".jp2"};
  auto ending = file.extension().string();
  for (auto& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto among = [&](const auto& all) { return std::find(all.begin(), all.end(), ending) != all.end(); };
  return among(kPictures) ? Kind::Picture : among(kOthers) ? Kind::OtherPicture : Kind::Other;
}

using Classes = std::map<std::string, std::vector<std::string>>;  // class → its pictures, from the root

wire::Result<Classes> classesOf(const fs::path& root, const fs::path& folder) {
  auto folders = entries(folder);
  if (!folders.ok()) return folders.error();
  Classes classes;
  for (const auto& entry : *folders) {
    if (!isFolder(entry)) continue;
    auto files = entries(entry.path());
    if (!files.ok()) return files.error();
    auto& pictures = classes[entry.path().filename().string()];
    for (const auto& file : *files) {
      const auto kind = kindOf(file.path());
      if (kind == Kind::OtherPicture) return imageError("data.image_format", file.path());
      if (kind == Kind::Picture && !isFolder(file)) pictures.push_back(file.path().lexically_relative(root).string());
    }
    if (pictures.empty()) return aboutFolder("data.empty_class", entry.path());
  }
  if (classes.size() < 2) return aboutFolder("data.no_classes", folder);
  return classes;
}

std::optional<fs::path> firstFolder(const fs::path& root, std::initializer_list<const char*> names) {
  std::error_code failed;
  for (const char* name : names)
    if (fs::is_directory(root / name, failed)) return root / name;
  return std::nullopt;
}

// Where no folder of test pictures is: every tenth of a class, or the last of fewer.
bool keptForTesting(std::size_t index, std::size_t count) {
  return index % kTestShare == kTestShare - 1 || (count > 1 && count < kTestShare && index + 1 == count);
}

}  // namespace

wire::Result<ImageFiles> findImageFiles(const fs::path& folder) {
  if (folder.empty()) return Error{ExitCode::Usage, {"data.no_folder"}};
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) return aboutFolder("data.folder_missing", folder);
  ImageFiles result;
  result.root = folder;
  const auto trainFolder = firstFolder(folder, {"train"});
  const auto testFolder = trainFolder ? firstFolder(folder, {"test", "val", "validation"}) : std::nullopt;
  const auto train = classesOf(folder, trainFolder.value_or(folder));
  if (!train.ok()) return train.error();
  const auto test = testFolder ? classesOf(folder, *testFolder) : wire::Result<Classes>(Classes{});
  if (!test.ok()) return test.error();
  for (const auto& [name, pictures] : *train) {
    const auto label = static_cast<std::int64_t>(result.classes.size());
    result.classes.push_back(name);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const bool kept = !testFolder && keptForTesting(i, pictures.size());
      (kept ? result.test : result.train).push_back({pictures[i], label});
    }
    if (const auto found = test->find(name); found != test->end())
      for (const auto& picture : found->second) result.test.push_back({picture, label});
  }
  for (const auto& [name, pictures] : *test)
    if (!train->contains(name)) return aboutFolder("data.class_unknown", *testFolder / name);
  if (result.test.empty()) return aboutFolder("data.no_test_pictures", folder);
  return result;
}

wire::Status checkImageFiles(const ImageFiles& files) {
  Error mistakes{ExitCode::Failed, std::vector<wire::Message>{}};
  for (const auto* split : {&files.train, &files.test})
    for (const auto& file : *split) {
      if (mistakes.messages.size() >= kMostMistakes) break;
      const auto header = readImageHeader(files.root / file.path);
      if (!header.ok()) mistakes.messages.push_back(header.error().messages.front());
    }
  if (!mistakes.messages.empty()) return mistakes;
  return wire::success();
}

}  // namespace atelier::engine
