#include "core/engine/data/dataset.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

namespace atelier::engine {
namespace {

const DataUnit& unit(const std::string& id) {
  for (const auto& data : allData())
    if (data.id == id) return data;
  throw std::runtime_error(id);
}

}  // namespace

TEST(FashionMnist, IsWholeAndItsConstantsAreItsOwn) {
  const auto data = unit("fashion-mnist").load(0);
  ASSERT_TRUE(data.ok()) << data.error().messages.front().id;
  const auto& train = (*data)->train;
  EXPECT_EQ(train.count, 60000);
  EXPECT_EQ((*data)->evaluation.count, 10000);
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
  EXPECT_NEAR((*data)->mean, mean, 1e-3);
  EXPECT_NEAR((*data)->deviation, deviation, 1e-3);
}

TEST(FashionMnist, DamagedOrMissingFilesAreNamed) {
  const auto folder = std::filesystem::temp_directory_path() / "atelier-damaged-data";
  std::filesystem::create_directories(folder);
  setenv("ATELIER_FASHION_MNIST", folder.c_str(), 1);
  EXPECT_EQ(unit("fashion-mnist").load(0).error().messages.front().id, "data.missing");
  std::ofstream(folder / "train-images-idx3-ubyte.gz") << "not gzip at all";
  EXPECT_EQ(unit("fashion-mnist").load(0).error().messages.front().id, "data.damaged");
  unsetenv("ATELIER_FASHION_MNIST");
  std::filesystem::remove_all(folder);
}

TEST(SyntheticImages, DependOnTheSeedAlone) {
  const auto first = unit("synthetic-images").load(3), again = unit("synthetic-images").load(3),
             other = unit("synthetic-images").load(4);
  EXPECT_EQ((*first)->train.pixels, (*again)->train.pixels);
  EXPECT_NE((*first)->train.pixels, (*other)->train.pixels);
  std::vector<std::int64_t> all(static_cast<std::size_t>((*first)->train.count));
  std::iota(all.begin(), all.end(), 0);
  const auto batch = makeBatch(**first, (*first)->train, all.data(), 512);
  EXPECT_NEAR(batch.input.mean().item<double>(), 0, 0.1);
  EXPECT_NEAR(batch.input.std().item<double>(), 1, 0.2);
}

TEST(MakeBatch, RefusesASampleOutsideTheSet) {
  const auto data = unit("synthetic-images").load(0);
  const std::int64_t bad = (*data)->train.count;
  EXPECT_THROW(makeBatch(**data, (*data)->train, &bad, 1), c10::Error);
}

}  // namespace atelier::engine
