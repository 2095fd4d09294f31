#include "core/engine/data/image_dataset.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;

wire::Result<std::shared_ptr<const Dataset>> load(const std::string& id, std::uint64_t seed = 0) {
  const auto spec = specOf(nlohmann::json::object());
  return dataUnit(id).load({seed, spec});
}

const ImageDataset& images(const std::shared_ptr<const Dataset>& data) {
  return dynamic_cast<const ImageDataset&>(*data);
}

}  // namespace

TEST(FashionMnist, IsWholeAndItsConstantsAreItsOwn) {
  const auto data = load("fashion-mnist");
  ASSERT_TRUE(data.ok()) << data.error().messages.front().id;
  const auto& train = images(*data).train;
  EXPECT_EQ((*data)->count(Split::Train), 60000);
  EXPECT_EQ((*data)->count(Split::Validation), 0);
  EXPECT_EQ((*data)->count(Split::Test), 10000);
  std::array<int, 10> counts{};
  for (const auto label : train.labels) ++counts[label];
  for (const int count : counts) EXPECT_EQ(count, 6000);
  double sum = 0, squares = 0;
  for (const auto pixel : train.pixels) {
    sum += pixel;
    squares += static_cast<double>(pixel) * pixel;
  }
  const double n = static_cast<double>(train.pixels.size()), mean = sum / n / 255,
               deviation = std::sqrt(squares / n / 255 / 255 - mean * mean);
  EXPECT_NEAR(images(*data).mean, mean, 1e-3);
  EXPECT_NEAR(images(*data).deviation, deviation, 1e-3);
}

TEST(FashionMnist, DamagedOrMissingFilesAreNamed) {
  const auto folder = std::filesystem::temp_directory_path() / "atelier-damaged-data";
  std::filesystem::create_directories(folder);
  setenv("ATELIER_FASHION_MNIST", folder.c_str(), 1);
  EXPECT_EQ(load("fashion-mnist").error().messages.front().id, "data.missing");
  std::ofstream(folder / "train-images-idx3-ubyte.gz") << "not gzip at all";
  EXPECT_EQ(load("fashion-mnist").error().messages.front().id, "data.damaged");
  unsetenv("ATELIER_FASHION_MNIST");
  std::filesystem::remove_all(folder);
}

TEST(SyntheticImages, DependOnTheSeedAlone) {
  const auto first = load("synthetic-images", 3), again = load("synthetic-images", 3), other = load("synthetic-images", 4);
  EXPECT_EQ(images(*first).train.pixels, images(*again).train.pixels);
  EXPECT_NE(images(*first).train.pixels, images(*other).train.pixels);
  std::vector<std::int64_t> all(static_cast<std::size_t>((*first)->count(Split::Train)));
  std::iota(all.begin(), all.end(), 0);
  const auto batch = (*first)->batch(Split::Train, all.data(), 512);
  EXPECT_NEAR(batch.input.mean().item<double>(), 0, 0.1);
  EXPECT_NEAR(batch.input.std().item<double>(), 1, 0.2);
}

TEST(ImageDataset, RefusesASampleOutsideTheSplit) {
  const auto data = load("synthetic-images");
  for (const auto split : {Split::Train, Split::Test})
    for (const auto bad : {(*data)->count(split), std::int64_t{-1}})
      EXPECT_THROW((*data)->batch(split, &bad, 1), c10::Error) << bad;
}

TEST(ImageDataset, TheSplitsAreDifferentImages) {
  const auto data = load("synthetic-images");
  const std::int64_t first = 0;
  EXPECT_FALSE(at::equal((*data)->batch(Split::Train, &first, 1).input, (*data)->batch(Split::Test, &first, 1).input));
}

}  // namespace atelier::engine
