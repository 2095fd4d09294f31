#include "kernels/normalize_u8/normalize_u8.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace atelier::kernels {

TEST(NormalizeU8, AgreesWithTheReferenceAtOddSizesAndOffsets) {
  for (const std::size_t count : {0UL, 1UL, 3UL, 7UL, 8UL, 15UL, 31UL, 33UL, 784UL, 1025UL}) {
    std::vector<std::uint8_t> pixels(count + 3);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37 + 11);
    std::vector<float> expected(count + 1, -7.0F), actual(count + 1, -7.0F);
    normalizeU8Reference(pixels.data() + 3, expected.data(), count, 1.0F / 90.0F, -0.81F);
    normalizeU8(pixels.data() + 3, actual.data(), count, 1.0F / 90.0F, -0.81F);
    for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(actual[i], expected[i], 4e-7F) << count << " at " << i;
    EXPECT_EQ(actual[count], -7.0F) << "wrote past the end of " << count;
  }
}

TEST(NormalizeU8, EveryPixelValue) {
  std::vector<std::uint8_t> pixels(256);
  for (int i = 0; i < 256; ++i) pixels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  std::vector<float> out(256);
  normalizeU8(pixels.data(), out.data(), 256, 0.5F, 1.0F);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 0.5F * static_cast<float>(i) + 1.0F);
}

}  // namespace atelier::kernels
