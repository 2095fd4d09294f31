// synthetic-pictures: 1,024 training and 256 test pictures, JPEG, 256 pixels a side, ten classes, made from the seed, so that
// decoding weighs as it does with real ones. A class is a direction and a width of stripes; colours, place and some dots are by
// chance. Written once into the data folder, under another name until all of them are there.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <jpeglib.h>

#include "augment.h"
#include "core/engine/script/builder.h"
#include "picture_dataset.h"
#include "picture_script.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 256, kClasses = 10, kQuality = 90, kDots = 40;
constexpr std::int64_t kTrain = 1024, kTest = 256;

// Colours of two stripes, and what a dot is.
struct Look {
  std::int32_t along, across, period, phase;
  std::uint8_t colours[2][3];
};
struct Dot {
  int y, x, radius;
  std::uint8_t colour[3];
};

// Directions (along, across) of unequal slopes; a class is one of them, wide or narrow.
Look lookOf(std::int64_t label, Draws& draws) {
  constexpr std::int32_t kDirections[5][2] = {{0, 16}, {16, 0}, {11, 11}, {11, -11}, {15, 6}};
  Look look{};
  look.along = kDirections[label % 5][0];
  look.across = kDirections[label % 5][1];
  look.period = (label < 5 ? 24 : 56) * 16;
  look.phase = static_cast<std::int32_t>(draws.below(static_cast<std::uint32_t>(look.period)));
  for (auto& colour : look.colours)
    for (auto& part : colour) part = static_cast<std::uint8_t>(draws.below(256));
  return look;
}

void paintStripes(const Look& look, std::uint8_t* rgb) {
  for (std::int32_t y = 0; y < kSide; ++y)
    for (std::int32_t x = 0; x < kSide; ++x) {
      auto place = (look.along * y + look.across * x + look.phase) % look.period;
      if (place < 0) place += look.period;
      // A triangle wave, so that edges are soft as a lens makes them.
      const auto weight = place < look.period / 2 ? 512 * place / look.period : 512 - 512 * place / look.period;
      for (int c = 0; c < 3; ++c)
        *rgb++ = static_cast<std::uint8_t>((look.colours[0][c] * (256 - weight) + look.colours[1][c] * weight) >> 8);
    }
}

void paintDot(const Dot& dot, std::uint8_t* rgb) {
  for (int y = std::max(0, dot.y - dot.radius); y < std::min(kSide, dot.y + dot.radius); ++y)
    for (int x = std::max(0, dot.x - dot.radius); x < std::min(kSide, dot.x + dot.radius); ++x)
      if ((y - dot.y) * (y - dot.y) + (x - dot.x) * (x - dot.x) < dot.radius * dot.radius)
        std::copy(dot.colour, dot.colour + 3, rgb + (y * kSide + x) * 3);
}

std::vector<std::uint8_t> paint(std::uint64_t seed, std::int64_t split, std::int64_t number) {
  Draws draws(seed ^ 0x91c7U, split, number);
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(kSide) * kSide * 3);
  paintStripes(lookOf(number % kClasses, draws), rgb.data());
  for (int i = 0; i < kDots; ++i) {
    Dot dot{static_cast<int>(draws.below(kSide)), static_cast<int>(draws.below(kSide)), 2 + static_cast<int>(draws.below(9)), {}};
    for (auto& part : dot.colour) part = static_cast<std::uint8_t>(draws.below(256));
    paintDot(dot, rgb.data());
  }
  for (auto& value : rgb) value = static_cast<std::uint8_t>(std::clamp(value + static_cast<int>(draws.next() >> 60) - 8, 0, 255));
  return rgb;
}

struct FreeBytes {
  void operator()(unsigned char* bytes) const { std::free(bytes); }
};

// libjpeg's own failure here is a lack of memory, on which it ends the program; the picture's size is fixed and small.
bool writeJpeg(const fs::path& path, std::vector<std::uint8_t>& rgb) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = info.image_height = kSide;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kQuality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = rgb.data() + static_cast<std::size_t>(info.next_scanline) * kSide * 3;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::unique_ptr<unsigned char, FreeBytes> owned(bytes);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  const bool written = std::fwrite(bytes, 1, size, file) == size;
  return std::fclose(file) == 0 && written;
}

std::string numbered(std::int64_t number) {
  auto digits = std::to_string(number);
  return std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits;
}

bool writeSplit(const fs::path& folder, std::uint64_t seed, std::int64_t split, std::int64_t count) {
  std::error_code failed;
  for (int label = 0; label < kClasses; ++label) {
    fs::create_directories(folder / ("class" + std::to_string(label)), failed);
    if (failed) return false;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    auto rgb = paint(seed, split, i);
    if (!writeJpeg(folder / ("class" + std::to_string(i % kClasses)) / (numbered(i) + ".jpg"), rgb)) return false;
  }
  return true;
}

// $ATELIER_HOME/data, or the user's cache where no home was chosen.
fs::path dataFolder() {
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value ? value : "");
  };
  if (const auto home = named("ATELIER_HOME"); !home.empty()) return home / "data";
  if (const auto cache = named("XDG_CACHE_HOME"); !cache.empty()) return cache / "atelier";
  if (const auto home = named("HOME"); !home.empty()) return home / ".cache" / "atelier";
  return fs::temp_directory_path() / "atelier-data";
}

// The number in its name rises when the pictures change.
fs::path folderFor(std::uint64_t seed) {
  return dataFolder() / ("synthetic-pictures-1-" + std::to_string(seed));
}

bool whole(const wire::Result<ImageFiles>& files) {
  return files.ok() && files->train.size() == kTrain && files->test.size() == kTest && checkImageFiles(*files).ok();
}

// Makes all of them aside and renames the folder; whoever was faster has made the same.
wire::Result<ImageFiles> make(std::uint64_t seed) {
  const auto folder = folderFor(seed), aside = fs::path(folder.string() + ".partial-" + std::to_string(getpid()));
  std::error_code failed;
  fs::remove_all(aside, failed);
  const bool written = writeSplit(aside / "train", seed, 0, kTrain) && writeSplit(aside / "test", seed, 1, kTest);
  if (written && !whole(findImageFiles(folder))) {
    fs::remove_all(folder, failed);  // damaged, or not there
    fs::rename(aside, folder, failed);
  }
  fs::remove_all(aside, failed);
  auto files = findImageFiles(folder);
  if (whole(files)) return files;
  return wire::Error{wire::ExitCode::Failed, {"data.pictures_unwritten", {{"folder", folder.string()}}}};
}

wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest& request) {
  auto files = findImageFiles(folderFor(request.seed));
  if (!whole(files)) files = make(request.seed);
  if (!files.ok()) return files.error();
  return std::shared_ptr<const Dataset>(
      std::make_shared<PictureDataset>("synthetic-pictures", std::move(files).value(), request.spec.integer("image_size")));
}

DataFacts script(ScriptBuilder& script) {
  const auto folder = folderFor(static_cast<std::uint64_t>(script.integer("seed"))).string();
  addPictures(script, script.path(folder, 11));
  script.remark("data: the native engine makes these pictures from the seed and keeps them in that folder.");
  DataFacts facts{{}, kTrain, kTest};
  facts.shape.channels = 3;
  facts.shape.height = facts.shape.width = script.integer("image_size");
  facts.shape.classes = kClasses;
  return facts;
}

}  // namespace

DataUnit data_synthetic_pictures() {
  return {"synthetic-pictures", true, load, script};
}

}  // namespace atelier::engine
