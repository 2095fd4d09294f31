#include "image_u8.h"

#include <algorithm>
#include <cstring>

#include "kernels/normalize_u8/normalize_u8.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATELIER_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ATELIER_CLONES
#endif

namespace atelier::kernels {
namespace {

// Pixels of 0 around a plane: a position is cut to them, where nothing more changes.
constexpr int kFrame = 2;

// Where a turned pixel lies in the source, in 2⁻¹⁶ pixels: the centre stays where it is. `y2`, `x2` are twice the distance
// from the centre, so that they are whole numbers for even sides too. At most 2³⁰ for sides of 4,096.
struct Position {
  std::int32_t y, x;
};
inline Position sourceOf(std::int32_t y2, std::int32_t x2, const ImageSize& size, const ImageChange& change) {
  return {((change.cosine * y2 - change.sine * x2) >> 1) + ((size.height - 1) << 15),
          ((change.sine * y2 + change.cosine * x2) >> 1) + ((size.width - 1) << 15)};
}

inline std::int32_t blend(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d, std::int32_t fy, std::int32_t fx) {
  return ((a * (256 - fx) + b * fx) * (256 - fy) + (c * (256 - fx) + d * fx) * fy + (1 << 15)) >> 16;
}

}  // namespace

// Not in the unnamed namespace: a clone is chosen through a symbol that the linker sees.
namespace image_u8_rows {

// A row of the window from the source's row, or of nothing. The part that lies inside is one stretch.
ATELIER_CLONES
void copyRow(const std::uint8_t* row, std::uint8_t* out, int width, int right, bool mirrored) {
  const int begin = std::clamp(-right, 0, width), end = std::clamp(width - right, begin, width);
  if (!row || begin >= end) {
    std::memset(out, 0, static_cast<std::size_t>(width));
    return;
  }
  const auto* from = row + begin + right;
  const int count = end - begin;
  if (!mirrored) {
    std::memset(out, 0, static_cast<std::size_t>(begin));
    std::memcpy(out + begin, from, static_cast<std::size_t>(count));
    std::memset(out + end, 0, static_cast<std::size_t>(width - end));
    return;
  }
  std::memset(out, 0, static_cast<std::size_t>(width - end));
  auto* to = out + (width - end);
  for (int i = 0; i < count; ++i) to[i] = from[count - 1 - i];
  std::memset(to + count, 0, static_cast<std::size_t>(begin));
}

// For each pixel of a row: where its four source pixels begin in a framed plane, and the weights of the lower and the right.
ATELIER_CLONES
void placeRow(const ImageSize& size, const ImageChange& change, int y, std::int32_t* at, std::int32_t* fy, std::int32_t* fx) {
  const std::int32_t stride = size.width + 2 * kFrame, y2 = 2 * (y + change.down) - (size.height - 1);
  const std::int32_t first = change.mirrored ? size.width - 1 + change.right : change.right, step = change.mirrored ? -1 : 1;
  for (std::int32_t x = 0; x < size.width; ++x) {
    const auto from = sourceOf(y2, 2 * (first + step * x) - (size.width - 1), size, change);
    const std::int32_t row = std::clamp(from.y >> 16, -kFrame, size.height);
    const std::int32_t column = std::clamp(from.x >> 16, -kFrame, size.width);
    at[x] = (row + kFrame) * stride + column + kFrame;
    fy[x] = (from.y >> 8) & 255;
    fx[x] = (from.x >> 8) & 255;
  }
}

ATELIER_CLONES
void blendRow(const std::uint8_t* framed, std::int32_t stride, const std::int32_t* at, const std::int32_t* fy,
              const std::int32_t* fx, std::int32_t* corners, std::uint8_t* out, int width) {
  auto *a = corners, *b = a + width, *c = b + width, *d = c + width;
  for (int x = 0; x < width; ++x) {
    const auto* upper = framed + at[x];
    a[x] = upper[0];
    b[x] = upper[1];
    c[x] = upper[stride];
    d[x] = upper[stride + 1];
  }
  for (int x = 0; x < width; ++x) out[x] = static_cast<std::uint8_t>(blend(a[x], b[x], c[x], d[x], fy[x], fx[x]));
}

}  // namespace image_u8_rows

namespace {

int pixelAt(const std::uint8_t* plane, const ImageSize& size, int y, int x) {
  return y >= 0 && y < size.height && x >= 0 && x < size.width ? plane[y * size.width + x] : 0;
}

bool erased(const ImageChange& change, int y, int x) {
  return y >= change.erase_top && y < change.erase_top + change.erase_height && x >= change.erase_left &&
         x < change.erase_left + change.erase_width;
}

void shiftImage(const std::uint8_t* pixels, std::uint8_t* out, const ImageSize& size, const ImageChange& change) {
  const auto width = static_cast<std::size_t>(size.width);
  for (int channel = 0; channel < size.channels; ++channel)
    for (int y = 0; y < size.height; ++y, out += width) {
      const int from = y + change.down;
      const bool inside = from >= 0 && from < size.height;
      const auto* plane = pixels + static_cast<std::size_t>(channel) * size.plane();
      image_u8_rows::copyRow(inside ? plane + static_cast<std::size_t>(from) * width : nullptr, out, size.width, change.right,
                             change.mirrored);
    }
}

void framePlanes(const std::uint8_t* pixels, const ImageSize& size, std::vector<std::uint8_t>& framed) {
  const auto width = static_cast<std::size_t>(size.width), stride = width + 2 * kFrame;
  const auto height = static_cast<std::size_t>(size.height) + 2 * kFrame;
  framed.assign(static_cast<std::size_t>(size.channels) * height * stride, 0);
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(size.channels); ++channel)
    for (std::size_t y = 0; y + 2 * kFrame < height; ++y, pixels += width)
      std::memcpy(framed.data() + (channel * height + y + kFrame) * stride + kFrame, pixels, width);
}

void turnImage(const std::uint8_t* pixels, std::uint8_t* out, const ImageSize& size, const ImageChange& change,
               ImageScratch& scratch) {
  framePlanes(pixels, size, scratch.framed);
  const auto width = static_cast<std::size_t>(size.width);
  scratch.rows.resize(7 * width);
  auto *at = scratch.rows.data(), *fy = at + width, *fx = fy + width, *corners = fx + width;
  const auto stride = size.width + 2 * kFrame;
  const auto framedPlane = static_cast<std::size_t>(stride) * (static_cast<std::size_t>(size.height) + 2 * kFrame);
  for (int y = 0; y < size.height; ++y) {
    image_u8_rows::placeRow(size, change, y, at, fy, fx);
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(size.channels); ++channel)
      image_u8_rows::blendRow(scratch.framed.data() + channel * framedPlane, stride, at, fy, fx, corners,
               out + channel * size.plane() + static_cast<std::size_t>(y) * width, size.width);
  }
}

void eraseRectangle(std::uint8_t* out, const ImageSize& size, const ImageChange& change) {
  const int top = std::clamp(change.erase_top, 0, size.height), left = std::clamp(change.erase_left, 0, size.width);
  const int bottom = std::clamp(change.erase_top + change.erase_height, top, size.height);
  const int right = std::clamp(change.erase_left + change.erase_width, left, size.width);
  for (int channel = 0; channel < size.channels; ++channel)
    for (int y = top; y < bottom; ++y)
      std::memset(out + (static_cast<std::ptrdiff_t>(channel) * size.height + y) * size.width + left, change.fill,
                  static_cast<std::size_t>(right - left));
}

}  // namespace

void changeImageU8Reference(const std::uint8_t* pixels, std::uint8_t* out, const ImageSize& size, const ImageChange& change) {
  for (int channel = 0; channel < size.channels; ++channel) {
    const auto* plane = pixels + static_cast<std::size_t>(channel) * size.plane();
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const int fromY = y + change.down, fromX = (change.mirrored ? size.width - 1 - x : x) + change.right;
        int value = 0;
        if (change.turned()) {
          const auto at = sourceOf(2 * fromY - (size.height - 1), 2 * fromX - (size.width - 1), size, change);
          const int row = at.y >> 16, column = at.x >> 16;
          value = blend(pixelAt(plane, size, row, column), pixelAt(plane, size, row, column + 1),
                        pixelAt(plane, size, row + 1, column), pixelAt(plane, size, row + 1, column + 1), (at.y >> 8) & 255,
                        (at.x >> 8) & 255);
        } else {
          value = pixelAt(plane, size, fromY, fromX);
        }
        *out++ = erased(change, y, x) ? change.fill : static_cast<std::uint8_t>(value);
      }
  }
}

void changeImageU8(const std::uint8_t* pixels, std::uint8_t* out, const ImageSize& size, const ImageChange& change,
                   ImageScratch& scratch) {
  if (change.turned()) turnImage(pixels, out, size, change, scratch);
  else shiftImage(pixels, out, size, change);
  if (change.erases()) eraseRectangle(out, size, change);
}

void changeImageToFloat(const std::uint8_t* pixels, float* out, const ImageSize& size, const ImageChange& change, float scale,
                        float shift, ImageScratch& scratch) {
  if (!change.none()) {
    scratch.changed.resize(size.pixels());
    changeImageU8(pixels, scratch.changed.data(), size, change, scratch);
    pixels = scratch.changed.data();
  }
  normalizeU8(pixels, out, size.pixels(), scale, shift);
}

}  // namespace atelier::kernels
