#include "core/engine/data/augment.h"

#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/data/image_dataset.h"
#include "core/engine/data/loader.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

Augmentation asked(const char* kind, int seed = 7) {
  return augmentationOf(fixture::specOf({{"augment", kind}, {"seed", seed}}));
}

ImageDataset pictures() {
  ImageDataset data;
  data.shape = {};
  data.shape.channels = 1;
  data.shape.height = data.shape.width = 16;
  data.mean = 0.5F;
  data.deviation = 0.25F;
  data.train.count = 40;
  for (int i = 0; i < 40 * 256; ++i) data.train.pixels.push_back(static_cast<std::uint8_t>(i * 37 % 251));
  data.train.labels.assign(40, 1);
  data.evaluation = data.train;
  return data;
}

// Batches of two epochs, put together in the order of the epoch.
std::vector<at::Tensor> inputs(std::int64_t batch, std::int64_t workers, const Augmentation& augmentation) {
  const auto data = pictures();
  LoaderOptions options;
  options.batch = batch;
  options.workers = workers;
  options.seed = 7;
  Loader loader(
      40,
      [&](const Loader::Request& request) {
        return data.batch({Split::Train, request.indices, request.count, request.epoch, &augmentation, &request.watch});
      },
      options);
  std::vector<at::Tensor> epochs;
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<at::Tensor> all;
    for (std::int64_t i = 0; i < loader.batches(); ++i) all.push_back(loader.next().input);
    epochs.push_back(at::cat(all));
  }
  return epochs;
}

}  // namespace

// pt#5059: neither workers nor epochs share draws, and how the work is cut does not matter.
TEST(Augment, AnyNumberOfWorkersAndAnyBatchGivesTheSamePictures) {
  const auto strong = asked("strong");
  const auto expected = inputs(8, 0, strong);
  EXPECT_FALSE(at::equal(expected[0], expected[1]));
  for (const auto& [batch, workers] : std::vector<std::pair<int, int>>{{8, 1}, {8, 3}, {5, 2}, {40, 2}, {1, 0}}) {
    const auto seen = inputs(batch, workers, strong);
    for (std::size_t epoch = 0; epoch < 2; ++epoch)
      EXPECT_TRUE(at::equal(seen[epoch], expected[epoch])) << batch << ", " << workers << ", epoch " << epoch;
  }
}

TEST(Augment, ASampleChangesWithEpochSeedAndNumberOnly) {
  const auto strong = asked("strong"), other = asked("strong", 8);
  std::set<std::pair<int, int>> shifts;
  int same = 0;
  for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
    const auto change = drawChange(strong, epoch, 11, 32, 32), again = drawChange(strong, epoch, 11, 32, 32);
    EXPECT_EQ(change.down, again.down);
    EXPECT_EQ(change.sine, again.sine);
    EXPECT_EQ(change.erase_top, again.erase_top);
    shifts.insert({change.down, change.right});
    same += change.sine == drawChange(other, epoch, 11, 32, 32).sine ? 1 : 0;
    same += change.sine == drawChange(strong, epoch, 12, 32, 32).sine ? 1 : 0;
  }
  EXPECT_GT(shifts.size(), 20U);
  EXPECT_LT(same, 3);
}

TEST(Augment, DrawsAreSpreadOverAllThatIsAllowed) {
  const auto strong = asked("strong");
  std::map<int, int> down;
  int mirrored = 0, erased = 0;
  constexpr int kSamples = 9000;
  for (int i = 0; i < kSamples; ++i) {
    const auto change = drawChange(strong, 2, i, 32, 24);
    ++down[change.down];
    mirrored += change.mirrored ? 1 : 0;
    EXPECT_LE(std::abs(change.right), 3);
    EXPECT_LE(std::abs(change.sine), 16962 + 1) << "sin 15° in 2⁻¹⁶";
    EXPECT_NEAR(static_cast<double>(change.sine) * change.sine + static_cast<double>(change.cosine) * change.cosine, 65536.0 * 65536,
                2e5);
    if (!change.erases()) continue;
    ++erased;
    EXPECT_TRUE(change.erase_height >= 4 && change.erase_height <= 10) << change.erase_height;
    EXPECT_TRUE(change.erase_width >= 3 && change.erase_width <= 8) << change.erase_width;
    EXPECT_TRUE(change.erase_top >= 0 && change.erase_top + change.erase_height <= 32);
    EXPECT_TRUE(change.erase_left >= 0 && change.erase_left + change.erase_width <= 24);
  }
  ASSERT_EQ(down.size(), 9U) << "−4 … 4";
  for (const auto& [shift, count] : down) EXPECT_NEAR(count, kSamples / 9, 150) << shift;
  EXPECT_NEAR(mirrored, kSamples / 2, 200);
  EXPECT_NEAR(erased, kSamples / 2, 200);
}

TEST(Augment, EachKindDoesWhatItsNameSaysAndDrawsTheSame) {
  EXPECT_FALSE(asked("none").any());
  EXPECT_TRUE(asked("flip").flip && !asked("flip").crop);
  EXPECT_TRUE(asked("crop").crop && !asked("crop").flip);
  for (std::int64_t i = 0; i < 100; ++i) {
    const auto flip = drawChange(asked("flip"), 1, i, 28, 28), crop = drawChange(asked("crop"), 1, i, 28, 28);
    const auto standard = drawChange(asked("standard"), 1, i, 28, 28), strong = drawChange(asked("strong"), 1, i, 28, 28);
    EXPECT_EQ(standard.mirrored, flip.mirrored);
    EXPECT_EQ(standard.down, crop.down);
    EXPECT_EQ(strong.right, crop.right);
    EXPECT_FALSE(standard.turned() || standard.erases() || flip.down != 0);
  }
}

TEST(Augment, OnlyWhenABatchAsksForIt) {
  const auto data = pictures();
  const std::int64_t index = 3;
  const auto plain = data.batch(Split::Train, &index, 1).input, test = data.batch(Split::Test, &index, 1).input;
  EXPECT_TRUE(at::equal(plain, test));
  EXPECT_NEAR(plain[0][0][0][0].item<float>(), (static_cast<float>(3 * 256 * 37 % 251) / 255 - 0.5F) / 0.25F, 1e-5F);
  const auto strong = asked("strong");
  EXPECT_FALSE(at::equal(data.batch({Split::Train, &index, 1, 0, &strong}).input, plain));
}

TEST(Augment, TheSmallestPicturesCanBeChangedToo) {
  const auto strong = asked("strong");
  for (std::int64_t i = 0; i < 200; ++i) {
    const auto change = drawChange(strong, 0, i, 1, 2);
    EXPECT_LE(std::abs(change.down), 1);
    EXPECT_TRUE(!change.erases() || (change.erase_height == 1 && change.erase_width == 1));
  }
}

}  // namespace atelier::engine
