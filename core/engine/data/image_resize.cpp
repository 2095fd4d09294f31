#include "image_resize.h"

#include <algorithm>
#include <vector>

namespace atelier::engine {
namespace {

constexpr std::int64_t kChannels = 3;

// A square within an image; `row` is the distance of its rows in bytes.
struct Square {
  const std::uint8_t* pixels;
  std::int64_t row, side;
};

void split(const Square& from, std::uint8_t* out) {
  const auto plane = from.side * from.side;
  for (std::int64_t y = 0; y < from.side; ++y) {
    const auto* pixel = from.pixels + y * from.row;
    for (std::int64_t x = 0; x < from.side; ++x, pixel += kChannels)
      for (std::int64_t c = 0; c < kChannels; ++c) out[c * plane + y * from.side + x] = pixel[c];
  }
}

void shrink(const Square& from, std::int64_t side, std::uint8_t* out) {
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const auto top = y * from.side / side, bottom = (y + 1) * from.side / side;
      const auto left = x * from.side / side, right = (x + 1) * from.side / side;
      std::int64_t sum[kChannels] = {};
      for (auto row = top; row < bottom; ++row) {
        const auto* pixel = from.pixels + row * from.row + left * kChannels;
        for (auto column = left; column < right; ++column, pixel += kChannels)
          for (std::int64_t c = 0; c < kChannels; ++c) sum[c] += pixel[c];
      }
      const auto count = (bottom - top) * (right - left);
      for (std::int64_t c = 0; c < kChannels; ++c)
        out[(c * side + y) * side + x] = static_cast<std::uint8_t>((sum[c] + count / 2) / count);
    }
}

// Where a pixel's two neighbours lie along a side, and the weight of the second, of 256.
struct Place {
  std::int64_t first, second, weight;
};

std::vector<Place> places(std::int64_t from, std::int64_t side) {
  std::vector<Place> result;
  result.reserve(static_cast<std::size_t>(side));
  for (std::int64_t i = 0; i < side; ++i) {
    // The centre of the pixel, in 1/256 of a source pixel from the first one's centre.
    const auto at = std::clamp<std::int64_t>((2 * i + 1) * from * 128 / side - 128, 0, (from - 1) * 256);
    result.push_back({at / 256, std::min(at / 256 + 1, from - 1), at % 256});
  }
  return result;
}

void interpolate(const Square& from, std::int64_t side, std::uint8_t* out) {
  const auto all = places(from.side, side);
  for (std::int64_t y = 0; y < side; ++y) {
    const auto& row = all[static_cast<std::size_t>(y)];
    const auto *upper = from.pixels + row.first * from.row, *lower = from.pixels + row.second * from.row;
    for (std::int64_t x = 0; x < side; ++x) {
      const auto& column = all[static_cast<std::size_t>(x)];
      const auto first = column.first * kChannels, second = column.second * kChannels;
      for (std::int64_t c = 0; c < kChannels; ++c) {
        const auto above = upper[first + c] * (256 - column.weight) + upper[second + c] * column.weight;
        const auto below = lower[first + c] * (256 - column.weight) + lower[second + c] * column.weight;
        out[(c * side + y) * side + x] =
            static_cast<std::uint8_t>((above * (256 - row.weight) + below * row.weight + (1 << 15)) >> 16);
      }
    }
  }
}

}  // namespace

void squarePlanes(const std::uint8_t* rgb, std::int64_t width, std::int64_t height, std::int64_t side, std::uint8_t* out) {
  const auto square = std::min(width, height);
  const Square from{rgb + ((height - square) / 2 * width + (width - square) / 2) * kChannels, width * kChannels, square};
  if (square == side) split(from, out);
  else if (square >= 2 * side) shrink(from, side, out);
  else interpolate(from, side, out);
}

}  // namespace atelier::engine
