// Folders of pictures: what is found in them, what is refused, and the pixels that come out.
#include <iterator>
#include <string_view>
#include <numeric>

#include <gtest/gtest.h>

#include "core/engine/data/data_error.h"
#include "core/engine/data/image_decode.h"
#include "core/engine/data/image_files.h"
#include "core/engine/data/image_header.h"
#include "core/engine/data/image_resize.h"
#include "core/engine/data/loader.h"
#include "core/engine/data/picture_dataset.h"
#include "picture_fixture.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;
namespace fs = std::filesystem;

wire::Result<std::shared_ptr<const Dataset>> load(const fs::path& folder, int side = 16) {
  const auto spec = specOf({{"data_dir", folder.string()}, {"image_size", side}});
  return dataUnit("image-folder").load({0, spec});
}

std::string refusal(const wire::Result<std::shared_ptr<const Dataset>>& loaded) {
  return loaded.ok() ? "" : loaded.error().messages.front().id;
}

// Twelve red and two green pictures.
void writeTwoClasses(const fs::path& folder) {
  for (int i = 0; i < 12; ++i)
    writeJpeg(folder / "red" / (std::to_string(10 + i) + ".jpg"), plainPicture(20 + i, 24, 200, 20, 20));
  for (int i = 0; i < 2; ++i) writePng(folder / "green" / (std::to_string(i) + ".PNG"), plainPicture(40, 33, 10, 210, 30));
}

std::string decodeFailure(const fs::path& file) {
  DecodeScratch scratch;
  std::vector<std::uint8_t> out(3 * 8 * 8);
  const auto done = decodeImage(file, 8, out.data(), scratch);
  return done.ok() ? "" : done.error().messages.front().id;
}

std::string headerFailure(const fs::path& file) {
  const auto header = readImageHeader(file);
  return header.ok() ? "" : header.error().messages.front().id;
}

}  // namespace

TEST(ImageFolder, ClassesAndPicturesAreNumberedByName) {
  const TextFolder folder;
  writeTwoClasses(folder.path());
  writeBytes(folder.path() / "red" / "notes.txt", "no picture");
  writeBytes(folder.path() / ".hidden" / "x.jpg", "no class");
  writeBytes(folder.path() / "readme.md", "no class either");
  const auto loaded = load(folder.path());
  ASSERT_TRUE(loaded.ok()) << refusal(loaded);
  const auto& data = **loaded;
  EXPECT_EQ(data.shape.classes, 2);
  EXPECT_EQ(data.shape.channels, 3);
  EXPECT_EQ(data.shape.height, 16);
  EXPECT_EQ(data.count(Split::Train), 12) << "one green, eleven red";
  EXPECT_EQ(data.count(Split::Test), 2);
  EXPECT_EQ(data.count(Split::Validation), 0);
  EXPECT_EQ(data.sampleName(Split::Train, 0), (folder.path() / "green" / "0.PNG").string());
  EXPECT_EQ(data.sampleName(Split::Test, 1), (folder.path() / "red" / "19.jpg").string());
  const std::int64_t indices[] = {0, 5};
  const auto batch = data.batch(Split::Train, indices, 2);
  EXPECT_EQ(batch.target[0].item<std::int64_t>(), 0);
  EXPECT_EQ(batch.target[1].item<std::int64_t>(), 1);
  const auto value = [](int byte) { return (static_cast<float>(byte) / 255 - 0.45F) / 0.23F; };
  EXPECT_NEAR(batch.input[0][1][8][8].item<float>(), value(210), 1e-4F);
  EXPECT_NEAR(batch.input[1][0][8][8].item<float>(), value(200), 0.06F) << "JPEG loses a little";
}

TEST(ImageFolder, ATestFolderBesideTheTrainingFolderIsTestedOn) {
  const TextFolder folder;
  writeTwoClasses(folder.path() / "train");
  writePng(folder.path() / "val" / "green" / "a.png", plainPicture(8, 8, 1, 2, 3));
  writePng(folder.path() / "val" / "red" / "b.png", plainPicture(8, 8, 1, 2, 3));
  const auto loaded = load(folder.path());
  ASSERT_TRUE(loaded.ok()) << refusal(loaded);
  EXPECT_EQ((*loaded)->count(Split::Train), 14);
  EXPECT_EQ((*loaded)->count(Split::Test), 2);
  writePng(folder.path() / "val" / "blue" / "c.png", plainPicture(8, 8, 1, 2, 3));
  EXPECT_EQ(refusal(load(folder.path())), "data.class_unknown");
}

TEST(ImageFolder, FoldersThatHoldNoClassesAreRefused) {
  const TextFolder folder;
  EXPECT_EQ(refusal(load("")), "data.no_folder");
  EXPECT_EQ(refusal(load(folder.path() / "nowhere")), "data.folder_missing");
  EXPECT_EQ(refusal(load(folder.path())), "data.no_classes");
  writePng(folder.path() / "one" / "a.png", plainPicture(8, 8, 1, 2, 3));
  EXPECT_EQ(refusal(load(folder.path())), "data.no_classes");
  fs::create_directories(folder.path() / "two");
  EXPECT_EQ(refusal(load(folder.path())), "data.empty_class");
  writePng(folder.path() / "two" / "a.png", plainPicture(8, 8, 1, 2, 3));
  EXPECT_EQ(refusal(load(folder.path())), "data.no_test_pictures");
  writeBytes(folder.path() / "two" / "b.webp", "RIFF");
  EXPECT_EQ(refusal(load(folder.path())), "data.image_format");
}

TEST(ImageFolder, EveryFileThatCantBeUsedIsNamedBeforeTheRun) {
  const TextFolder folder;
  writeTwoClasses(folder.path());
  writeBytes(folder.path() / "red" / "00.jpg", "");
  writeBytes(folder.path() / "red" / "01.jpg", "<html>not found</html>");
  writeBytes(folder.path() / "red" / "02.png", std::string("\x89PNG\r\n\x1a\n\0\0", 10));
  const auto loaded = load(folder.path());
  ASSERT_FALSE(loaded.ok());
  std::vector<std::string> ids;
  for (const auto& message : loaded.error().messages) {
    ids.push_back(message.id);
    EXPECT_EQ(message.args.at(0).second, (folder.path() / "red" / ("0" + std::to_string(ids.size() - 1))).string() +
                                             (ids.size() == 3 ? ".png" : ".jpg"));
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"data.image_truncated", "data.image_unknown", "data.image_truncated"}));
}

TEST(ImageHeader, BombsAreRefusedByTheirHeaders) {
  const TextFolder folder;
  const auto file = folder.path() / "bomb.png";
  writePng(file, plainPicture(8, 8, 1, 2, 3));
  auto bytes = bytesOf(file);
  for (const std::size_t at : {16U, 20U}) bytes.replace(at, 4, std::string("\0\1\0\0", 4));  // 65,536 × 65,536
  writeBytes(file, bytes);
  EXPECT_EQ(headerFailure(file), "data.image_huge");
  EXPECT_EQ(readImageHeader(file).error().messages.front().args.at(1).second, "65536");
  EXPECT_NE(decodeFailure(file), "");
  const auto jpeg = folder.path() / "bomb.jpg";
  writeJpeg(jpeg, plainPicture(16, 16, 1, 2, 3));
  bytes = bytesOf(jpeg);
  const auto frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  bytes.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  writeBytes(jpeg, bytes);
  EXPECT_EQ(headerFailure(jpeg), "data.image_huge");
  EXPECT_EQ(decodeFailure(jpeg), "data.image_huge");
}

TEST(ImageHeader, ReadsSizesOfBothKinds) {
  const TextFolder folder;
  writeJpeg(folder.path() / "a.jpg", plainPicture(31, 17, 1, 2, 3), true);
  writePng(folder.path() / "b.png", plainPicture(5, 300, 1, 2, 3));
  const auto jpeg = readImageHeader(folder.path() / "a.jpg"), png = readImageHeader(folder.path() / "b.png");
  ASSERT_TRUE(jpeg.ok() && png.ok());
  EXPECT_TRUE(jpeg->width == 31 && jpeg->height == 17 && !jpeg->png);
  EXPECT_TRUE(png->width == 5 && png->height == 300 && png->png);
  EXPECT_EQ(headerFailure(folder.path() / "none.jpg"), "data.image_unreadable");
  EXPECT_EQ(headerFailure(folder.path()), "data.image_unreadable");
}

// Cut at any place, with any byte turned: refused, or decoded; never a crash, never half a picture in silence.
TEST(ImageDecode, CutAndDamagedFilesAreRefusedOrWhole) {
  const TextFolder folder;
  const auto speckled = picture(40, 40, [](int y, int x, int c) { return (y * 31 + x * 17 + c * 7) % 256; });
  writeJpeg(folder.path() / "a.jpg", speckled);
  writeJpeg(folder.path() / "b.jpg", speckled, true);
  writePng(folder.path() / "c.png", speckled);
  for (const char* name : {"a.jpg", "b.jpg", "c.png"}) {
    const auto whole = bytesOf(folder.path() / name);
    EXPECT_EQ(decodeFailure(folder.path() / name), "");
    const auto file = folder.path() / "part";
    // A PNG's pixels are whole without its last chunk and the checksums before it; a JPEG's end is two bytes.
    const std::size_t end = std::string_view(name).ends_with("png") ? 24 : 2;
    for (std::size_t size = 0; size + end < whole.size(); size += 1 + whole.size() / 97) {
      writeBytes(file, whole.substr(0, size));
      EXPECT_NE(decodeFailure(file), "") << name << " cut to " << size << " of " << whole.size();
    }
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 211) {
      auto bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
      writeBytes(file, bytes);
      decodeFailure(file);  // whatever it says, it says it
    }
  }
}

TEST(ImageDecode, ADamagedPictureIsNamedWhenItsBatchIsMade) {
  const TextFolder folder;
  writeTwoClasses(folder.path());
  const auto bad = folder.path() / "red" / "15.jpg";
  const auto bytes = bytesOf(bad);
  writeBytes(bad, bytes.substr(0, bytes.size() * 3 / 4));
  const auto loaded = load(folder.path());
  ASSERT_TRUE(loaded.ok()) << "its header is whole";
  for (const int workers : {0, 2}) {
    LoaderOptions options;
    options.batch = 4;
    options.workers = workers;
    Loader loader(
        (*loaded)->count(Split::Train),
        [&](const Loader::Request& request) {
          return (*loaded)->batch({Split::Train, request.indices, request.count, request.epoch, nullptr, &request.watch});
        },
        options);
    wire::Message said;
    for (int i = 0; i < 3 && said.id.empty(); ++i) try {
        loader.next();
      } catch (const DataError& problem) {
        said = problem.error().messages.front();
      }
    EXPECT_EQ(said.id, "data.image_truncated");
    ASSERT_FALSE(said.args.empty());
    EXPECT_EQ(said.args.front().second, bad.string());
  }
}

TEST(ImageDecode, AShrunkenPictureIsThePictureMadeSmaller) {
  const TextFolder folder;
  const auto file = folder.path() / "wide.jpg";
  // Left third red, middle green, right third blue; the middle square is green alone.
  writeJpeg(file, picture(384, 128, [](int, int x, int c) { return c == x / 128 ? 220 : 15; }));
  DecodeScratch scratch;
  for (const int side : {7, 16, 33, 64, 128, 200}) {
    std::vector<std::uint8_t> out(static_cast<std::size_t>(3 * side * side));
    ASSERT_TRUE(decodeImage(file, side, out.data(), scratch).ok());
    const auto at = [&](int c) { return out[static_cast<std::size_t>((c * side + side / 2) * side + side / 2)]; };
    EXPECT_NEAR(at(0), 15, 4) << side;
    EXPECT_NEAR(at(1), 220, 4) << side;
    EXPECT_NEAR(at(2), 15, 4) << side;
  }
}

TEST(ImageResize, HalvesMeanDoublesInterpolateAndEqualCopies) {
  const auto ramp = picture(4, 4, [](int y, int x, int c) { return 60 * x + 4 * y + c; });
  std::vector<std::uint8_t> out(3 * 4 * 4);
  squarePlanes(ramp.rgb.data(), 4, 4, 4, out.data());
  EXPECT_EQ(out[2], 120);
  EXPECT_EQ(out[16 + 5], 60 + 4 + 1);
  squarePlanes(ramp.rgb.data(), 4, 4, 2, out.data());
  EXPECT_EQ(out[0], 32) << "(0 + 60 + 4 + 64) / 4";
  EXPECT_EQ(out[4 + 3], 32 + 120 + 8 + 1);
  std::vector<std::uint8_t> large(3 * 8 * 8);
  squarePlanes(ramp.rgb.data(), 4, 4, 8, large.data());
  EXPECT_EQ(large[0], 0) << "edges are kept";
  EXPECT_EQ(large[7], 180);
  EXPECT_EQ(large[1], 15) << "a quarter of the way";
  const auto dot = plainPicture(1, 9, 5, 6, 7);
  squarePlanes(dot.rgb.data(), 1, 9, 4, out.data());
  EXPECT_EQ(out[16], 6) << "a single pixel fills all";
}

TEST(SyntheticPictures, AreWrittenOnceWholeAndDependOnTheSeed) {
  const TextFolder home;
  const EnvironmentVariable variable("ATELIER_HOME", home.path().string());
  const auto spec = specOf({{"image_size", 32}});
  const auto made = dataUnit("synthetic-pictures").load({3, spec});
  ASSERT_TRUE(made.ok()) << refusal(made);
  EXPECT_EQ((*made)->count(Split::Train), 1024);
  EXPECT_EQ((*made)->count(Split::Test), 256);
  EXPECT_EQ((*made)->shape.classes, 10);
  const auto folder = home.path() / "data" / "synthetic-pictures-1-3";
  const auto file = (*made)->sampleName(Split::Train, 0);
  EXPECT_TRUE(file.starts_with(folder.string())) << file;
  EXPECT_EQ(readImageHeader(file)->width, 256);
  EXPECT_EQ(std::distance(fs::directory_iterator(home.path() / "data"), fs::directory_iterator()), 1) << "nothing is left aside";
  const auto bytes = bytesOf(file);
  const auto written = fs::last_write_time(file);
  ASSERT_TRUE(dataUnit("synthetic-pictures").load({3, spec}).ok());
  EXPECT_EQ(fs::last_write_time(file), written) << "it was made again";
  fs::remove(file);  // damaged: made again, and the same
  ASSERT_TRUE(dataUnit("synthetic-pictures").load({3, spec}).ok());
  EXPECT_EQ(bytesOf(file), bytes);
}

}  // namespace atelier::engine
