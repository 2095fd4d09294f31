#include "augment.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace atelier::engine {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;  // 2⁶⁴ ÷ the golden ratio

// The finaliser of SplitMix64: every bit of the result hangs on every bit of the number.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

// −most … most.
int shiftOf(std::uint64_t draw, std::int64_t side) {
  const auto most = std::max<std::int64_t>(1, side / kCropShare);
  return static_cast<int>(static_cast<std::int64_t>((draw >> 32) * static_cast<std::uint64_t>(2 * most + 1) >> 32) - most);
}

void turn(kernels::ImageChange& change, std::uint64_t draw) {
  const double degrees = kMostDegrees * (static_cast<double>(draw >> 11) * 0x1p-52 - 1);
  const double angle = degrees * std::numbers::pi / 180;
  change.cosine = static_cast<std::int32_t>(std::lround(std::cos(angle) * kernels::kUnturned));
  change.sine = static_cast<std::int32_t>(std::lround(std::sin(angle) * kernels::kUnturned));
}

// A stretch of a side: how long, and where.
void stretch(Draws& draws, std::int64_t side, int& begin, int& length) {
  const auto least = std::max<std::int64_t>(1, side / kEraseLeast), most = std::max(least, side / kEraseMost);
  length = static_cast<int>(least + draws.below(static_cast<std::uint32_t>(most - least + 1)));
  begin = static_cast<int>(draws.below(static_cast<std::uint32_t>(side - length + 1)));
}

}  // namespace

Augmentation augmentationOf(const wire::RunSpec& spec) {
  Augmentation result;
  const auto& asked = spec.text("augment");
  const bool strong = asked == "strong", standard = asked == "standard" || strong;
  result.seed = static_cast<std::uint64_t>(spec.integer("seed"));
  result.crop = standard || asked == "crop";
  result.flip = standard || asked == "flip";
  result.rotate = result.erase = strong;
  return result;
}

Draws::Draws(std::uint64_t seed, std::int64_t epoch, std::int64_t sample)
    : m_state(mixed(mixed(mixed(seed + kGolden) + static_cast<std::uint64_t>(epoch) + kGolden) +
                    static_cast<std::uint64_t>(sample) + kGolden)) {}

std::uint64_t Draws::next() {
  return mixed(m_state += kGolden);
}

kernels::ImageChange drawChange(const Augmentation& augmentation, std::int64_t epoch, std::int64_t sample, std::int64_t height,
                                std::int64_t width) {
  Draws draws(augmentation.seed, epoch, sample);
  kernels::ImageChange change;
  const auto down = draws.next(), right = draws.next(), mirror = draws.next(), angle = draws.next(), erase = draws.next();
  if (augmentation.crop) {
    change.down = shiftOf(down, height);
    change.right = shiftOf(right, width);
  }
  change.mirrored = augmentation.flip && mirror >> 63 != 0;
  if (augmentation.rotate) turn(change, angle);
  if (augmentation.erase && erase >> 63 != 0) {
    stretch(draws, height, change.erase_top, change.erase_height);
    stretch(draws, width, change.erase_left, change.erase_width);
  }
  return change;
}

PixelWriter::PixelWriter(const BatchRequest& request, const InputShape& shape, float mean, float deviation)
    : m_request(request),
      m_size{static_cast<int>(shape.channels), static_cast<int>(shape.height), static_cast<int>(shape.width)},
      m_scale(1.0F / (255.0F * deviation)),
      m_shift(-mean / deviation),
      m_fill(static_cast<std::uint8_t>(std::lround(255 * std::clamp(mean, 0.0F, 1.0F)))),
      m_scratch() {}

void PixelWriter::write(const std::uint8_t* pixels, std::int64_t sample, float* out) {
  kernels::ImageChange change;
  if (m_request.augmentation)
    change = drawChange(*m_request.augmentation, m_request.epoch, sample, m_size.height, m_size.width);
  change.fill = m_fill;
  kernels::changeImageToFloat(pixels, out, m_size, change, m_scale, m_shift, m_scratch);
}

}  // namespace atelier::engine
