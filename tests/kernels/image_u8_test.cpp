#include "kernels/image_u8/image_u8.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace atelier::kernels {
namespace {

using Pixels = std::vector<std::uint8_t>;

Pixels noise(const ImageSize& size, unsigned seed) {
  std::mt19937 generator(seed);
  Pixels pixels(size.pixels());
  for (auto& pixel : pixels) pixel = static_cast<std::uint8_t>(generator());
  return pixels;
}

ImageChange turnedBy(double degrees) {
  ImageChange change;
  change.cosine = static_cast<std::int32_t>(std::lround(std::cos(degrees * 3.14159265358979 / 180) * kUnturned));
  change.sine = static_cast<std::int32_t>(std::lround(std::sin(degrees * 3.14159265358979 / 180) * kUnturned));
  return change;
}

Pixels changed(const Pixels& pixels, const ImageSize& size, const ImageChange& change) {
  ImageScratch scratch;
  Pixels out(size.pixels() + 1, 77);
  changeImageU8(pixels.data(), out.data(), size, change, scratch);
  EXPECT_EQ(out.back(), 77) << "wrote past the end";
  out.pop_back();
  return out;
}

Pixels reference(const Pixels& pixels, const ImageSize& size, const ImageChange& change) {
  Pixels out(size.pixels());
  changeImageU8Reference(pixels.data(), out.data(), size, change);
  return out;
}

}  // namespace

TEST(ImageU8, AgreesWithTheReferenceBitForBit) {
  std::mt19937 generator(3);
  const auto upTo = [&](int most) { return static_cast<int>(generator() % static_cast<unsigned>(2 * most + 1)) - most; };
  for (const ImageSize size : {ImageSize{1, 1, 1}, ImageSize{1, 1, 7}, ImageSize{3, 5, 1}, ImageSize{1, 28, 28}, ImageSize{3, 33, 17},
                               ImageSize{3, 64, 64}, ImageSize{2, 9, 130}})
    for (int i = 0; i < 200; ++i) {
      const auto pixels = noise(size, generator());
      auto change = i % 3 == 0 ? ImageChange{} : turnedBy(upTo(i % 3 == 1 ? 15 : 180));
      change.down = upTo(size.height + 1);
      change.right = upTo(size.width + 1);
      change.mirrored = generator() % 2 == 0;
      change.erase_top = upTo(size.height);
      change.erase_left = upTo(size.width);
      change.erase_height = upTo(size.height);
      change.erase_width = upTo(size.width);
      change.fill = static_cast<std::uint8_t>(generator());
      ASSERT_EQ(changed(pixels, size, change), reference(pixels, size, change)) << size.height << "×" << size.width << ", " << i;
    }
}

TEST(ImageU8, ShiftsMirrorsAndErasesAsItSays) {
  const ImageSize size{1, 2, 3};
  const Pixels pixels{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(changed(pixels, size, {}), pixels);
  ImageChange change;
  change.right = 1;
  EXPECT_EQ(changed(pixels, size, change), (Pixels{2, 3, 0, 5, 6, 0}));
  change.mirrored = true;
  EXPECT_EQ(changed(pixels, size, change), (Pixels{0, 3, 2, 0, 6, 5}));
  change = {};
  change.down = -1;
  EXPECT_EQ(changed(pixels, size, change), (Pixels{0, 0, 0, 1, 2, 3}));
  change = {};
  change.erase_left = 1;
  change.erase_height = 1;
  change.erase_width = 9;
  change.fill = 200;
  EXPECT_EQ(changed(pixels, size, change), (Pixels{1, 200, 200, 4, 5, 6}));
}

TEST(ImageU8, AQuarterTurnIsExactAndAFullOneChangesNothing) {
  const ImageSize size{2, 5, 5};
  const auto pixels = noise(size, 9);
  EXPECT_EQ(changed(pixels, size, turnedBy(360)), pixels);
  const auto turned = changed(pixels, size, turnedBy(90));
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t y = 0; y < 5; ++y)
      for (std::size_t x = 0; x < 5; ++x)
        EXPECT_EQ(turned[c * 25 + y * 5 + x], pixels[c * 25 + (4 - x) * 5 + y]) << y << ", " << x;
}

TEST(ImageU8, ASmallTurnKeepsWhatIsEvenInside) {
  const ImageSize size{1, 32, 32};
  const Pixels even(size.pixels(), 180);
  const auto turned = changed(even, size, turnedBy(15));
  EXPECT_EQ(turned[16 * 32 + 16], 180);
  EXPECT_EQ(turned[4 * 32 + 16], 180);
  EXPECT_LT(turned[0], 90) << "the corner shows what is outside";
}

TEST(ImageU8, AsFloatsItIsTheChangedPixelsNormalised) {
  const ImageSize size{3, 11, 13};
  const auto pixels = noise(size, 4);
  for (auto change : {ImageChange{}, turnedBy(-7)}) {
    change.right = change.turned() ? 2 : 0;
    ImageScratch scratch;
    std::vector<float> out(size.pixels());
    changeImageToFloat(pixels.data(), out.data(), size, change, 1.0F / 64, -2.0F, scratch);
    const auto expected = reference(pixels, size, change);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], static_cast<float>(expected[i]) / 64 - 2, 1e-6F) << i;
  }
}

TEST(ImageU8, TheLargestImagesDoNotOverflow) {
  const ImageSize size{1, 4096, 3};
  const auto pixels = noise(size, 5);
  auto change = turnedBy(45);
  change.down = 512;
  EXPECT_EQ(changed(pixels, size, change), reference(pixels, size, change));
  EXPECT_EQ(changed(pixels, size, turnedBy(0)), pixels);
}

}  // namespace atelier::kernels
