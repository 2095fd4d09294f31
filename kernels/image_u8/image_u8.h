// image_u8: what augmentation does to an image of 8-bit pixels: turned about its middle, seen through a shifted window,
// mirrored, a rectangle of it painted over; and the whole as float32, in one pass over a sample. Integers until the last step,
// so that every machine gives the same pixels.
// Images are planar (channels × height × width), up to 4,096 pixels a side and at least one. What lies outside the image is 0.
// Pointers need no alignment; source and result don't overlap. Any thread, each with its own scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atelier::kernels {

struct ImageSize {
  int channels = 1, height = 1, width = 1;

  std::size_t plane() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
  std::size_t pixels() const { return plane() * static_cast<std::size_t>(channels); }
};

inline constexpr int kUnturned = 1 << 16;  // the cosine of no angle, in 2⁻¹⁶

// In the order of the members; the window is of the image's own size.
struct ImageChange {
  std::int32_t cosine = kUnturned, sine = 0;  // of the angle, in 2⁻¹⁶; turns clockwise, bilinear with weights of 1/256
  int down = 0, right = 0;                    // result (y, x) is pixel (y + down, x + right)
  bool mirrored = false;                      // left and right change places
  int erase_top = 0, erase_left = 0, erase_height = 0, erase_width = 0;  // of the result; cut to it
  std::uint8_t fill = 0;

  bool turned() const { return cosine != kUnturned || sine != 0; }
  bool erases() const { return erase_height > 0 && erase_width > 0; }
  bool none() const { return !turned() && down == 0 && right == 0 && !mirrored && !erases(); }
};

// What a thread keeps from image to image.
struct ImageScratch {
  std::vector<std::uint8_t> framed, changed;
  std::vector<std::int32_t> rows;
};

// Pixel by pixel as the definition says, to check and time the other one against.
void changeImageU8Reference(const std::uint8_t* pixels, std::uint8_t* out, const ImageSize& size, const ImageChange& change);

// The same, bit for bit: rows are copied, and a turn is worked out row by row without a test of borders. Compiled for AVX2 and
// the base instruction set; the best is taken at load time.
void changeImageU8(const std::uint8_t* pixels, std::uint8_t* out, const ImageSize& size, const ImageChange& change,
                   ImageScratch& scratch);

// changeImageU8(), then normalizeU8() over all of it.
void changeImageToFloat(const std::uint8_t* pixels, float* out, const ImageSize& size, const ImageChange& change, float scale,
                        float shift, ImageScratch& scratch);

}  // namespace atelier::kernels
