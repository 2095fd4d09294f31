// synthetic-images: 4,096 training and 1,024 evaluation colour images, 32×32, ten classes. Each class is a fixed random
// pattern seen through noise, so that a model learns something and its accuracy means something. Made from the seed.
#include <algorithm>
#include <random>

#include "core/engine/script/builder.h"
#include "image_dataset.h"

namespace atelier::engine {
namespace {

constexpr std::int64_t kSide = 32, kChannels = 3, kClasses = 10, kTrain = 4096, kEvaluation = 1024;
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

wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest& request) {
  std::mt19937 generator(static_cast<std::uint32_t>(request.seed) ^ 0x5eedU);
  std::vector<std::uint8_t> patterns(kClasses * kPixels);
  std::generate(patterns.begin(), patterns.end(), [&] { return static_cast<std::uint8_t>(generator()); });
  auto data = std::make_shared<ImageDataset>();
  data->id = "synthetic-images";
  data->shape = {kChannels, kSide, kSide, kClasses};
  data->mean = 0.5F;
  data->deviation = 0.17F;
  data->train = makeSet(patterns, kTrain, generator);
  data->evaluation = makeSet(patterns, kEvaluation, generator);
  return std::shared_ptr<const Dataset>(std::move(data));
}

// PyTorch's CPU generator is the same Mersenne Twister, and randint() below 2**28 takes one of its draws modulo the bound.
constexpr std::string_view kPython = R"py(
def load_data() -> list[Pair]:
    """Images (N, 3, 32, 32) of bytes and labels: to train on, and to test on.

    A class is a random pattern; an image is the mean of its class's pattern and two noises.
    """
    generator = torch.Generator().manual_seed(SEED ^ 0x5EED)
    patterns = torch.randint(256, (10, 3, 32, 32), generator=generator)

    def split(count: int) -> Pair:
        images = torch.empty(count, 3, 32, 32, dtype=torch.uint8)
        labels = torch.empty(count, dtype=torch.int64)
        for i in range(count):
            labels[i] = torch.randint(10, (), generator=generator)
            noise = torch.randint(1 << 16, (3, 32, 32), generator=generator)
            images[i] = (patterns[labels[i]] + (noise & 255) + (noise >> 8)) // 3
        return images, labels

    return [split(@train@), split(@evaluation@)]
)py";

DataFacts script(ScriptBuilder& script) {
  script.constant("MEAN, DEVIATION", "0.5, 0.17", "of pixel / 255, over the training images");
  script.define(withValues(kPython, {{"train", kTrain}, {"evaluation", kEvaluation}}));
  return {{kChannels, kSide, kSide, kClasses}, kTrain, kEvaluation};
}

}  // namespace

DataUnit data_synthetic_images() {
  return {"synthetic-images", true, load, script};
}

}  // namespace atelier::engine
