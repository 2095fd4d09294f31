// Augmentation: what chance does to a picture of training, so that no epoch sees it twice alike. Every draw depends on
// (seed, epoch, sample) alone, by a generator without a state that goes on: any number of workers, any batch size and any
// order of making give the same pictures. Values; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/wire/run_spec.h"
#include "dataset.h"
#include "kernels/image_u8/image_u8.h"

namespace atelier::engine {

struct Augmentation {
  std::uint64_t seed = 0;
  bool crop = false, flip = false, rotate = false, erase = false;

  bool any() const { return crop || flip || rotate || erase; }
};

// A crop shifts the picture by this share of its side at most, and one pixel at least; a turn is of this many degrees at most;
// a rectangle is painted over in every other picture, its sides between the two shares of the picture's.
inline constexpr std::int64_t kCropShare = 8;
inline constexpr int kMostDegrees = 15, kEraseLeast = 8, kEraseMost = 3;  // 1/8 … 1/3

// What the keys `augment` and `seed` ask for: none, flip, crop, standard (crop and flip), strong (turn and erase too).
Augmentation augmentationOf(const wire::RunSpec& spec);

// A stream of draws for one sample of one epoch: SplitMix64 (Steele, Lea, Flood 2014), begun from all three numbers.
class Draws {
 public:
  Draws(std::uint64_t seed, std::int64_t epoch, std::int64_t sample);
  std::uint64_t next();
  // 0 … bound − 1, each as likely as any other to 2⁻³². REQUIRES: bound > 0, below 2³².
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((next() >> 32) * bound >> 32); }

 private:
  std::uint64_t m_state;
};

// A sample's change. Each kind of change draws the same numbers whatever else is asked for: `standard` mirrors what `flip`
// mirrors.
kernels::ImageChange drawChange(const Augmentation& augmentation, std::int64_t epoch, std::int64_t sample, std::int64_t height,
                                std::int64_t width);

// Writes samples of 8-bit pixels into a batch, changed as its request asks. One thread.
class PixelWriter {
 public:
  // `mean`, `deviation`: of pixel / 255. What a change uncovers is black, what it paints over is the mean.
  PixelWriter(const BatchRequest& request, const InputShape& shape, float mean, float deviation);
  // REQUIRES: room for the shape's floats at `out`.
  void write(const std::uint8_t* pixels, std::int64_t sample, float* out);

 private:
  const BatchRequest& m_request;
  const kernels::ImageSize m_size;
  const float m_scale, m_shift;
  const std::uint8_t m_fill;
  kernels::ImageScratch m_scratch;
};

}  // namespace atelier::engine
