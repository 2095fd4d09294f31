// synthetic-images: 4,096 training and 1,024 evaluation colour images, 32×32, ten classes. Each class is a fixed random
// pattern seen through noise, so that a model learns something and its accuracy means something. Made from the seed.
#include <algorithm>
#include <random>

#include "dataset.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kSide = 32, kChannels = 3, kClasses = 10;
constexpr std::size_t kPixels = kChannels * kSide * kSide;

ImageSet makeSet(const std::vector<std::uint8_t>& patterns, std::int64_t count, std::mt19937& generator) {
  ImageSet set{count, std::vector<std::uint8_t>(static_cast<std::size_t>(count) * kPixels),
               std::vector<std::uint8_t>(static_cast<std::size_t>(count))};
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    const auto label = generator() % kClasses;
    set.labels[i] = static_cast<std::uint8_t>(label);
    for (std::size_t p = 0; p < kPixels; ++p) {
      // The mean of two 7-bit noises and a third of the pattern: integers only, the same on every machine.
      const auto bits = generator();
      set.pixels[i * kPixels + p] =
          static_cast<std::uint8_t>((patterns[label * kPixels + p] + (bits & 255U) + (bits >> 8 & 255U)) / 3);
    }
  }
  return set;
}

wire::Result<std::shared_ptr<const Dataset>> load(std::uint64_t seed) {
  std::mt19937 generator(static_cast<std::uint32_t>(seed) ^ 0x5eedU);
  std::vector<std::uint8_t> patterns(kClasses * kPixels);
  std::generate(patterns.begin(), patterns.end(), [&] { return static_cast<std::uint8_t>(generator()); });
  auto data = std::make_shared<Dataset>();
  data->id = "synthetic-images";
  data->shape = {kChannels, kSide, kSide, kClasses};
  data->mean = 0.5F;
  data->deviation = 0.17F;
  data->train = makeSet(patterns, 4096, generator);
  data->evaluation = makeSet(patterns, 1024, generator);
  return std::shared_ptr<const Dataset>(std::move(data));
}

}  // namespace

DataUnit data_synthetic_images() {
  return {"synthetic-images", true, load};
}

}  // namespace atelier::engine
