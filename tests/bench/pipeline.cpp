// Samples a second through our loader, without a model: batches are made, checked into a sum, and thrown away. pipeline_peer.py
// holds it against Python. Compiled by hand, from the repository's root, as load_minilm.cpp is, with -ljpeg -lpng -lz and
// build/release/kernels/libatelier_kernels.a, -o /tmp/pipeline.
// Usage: pipeline DATA AUGMENT BATCH WORKERS SIDE SECONDS [FOLDER]: DATA is fashion-mnist or image-folder (with its FOLDER).
// Prints a JSON object.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/engine/data/augment.h"
#include "core/engine/data/dataset.h"
#include "core/engine/data/loader.h"
#include "core/engine/session/plan.h"

namespace {

using namespace atelier;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::shared_ptr<const engine::Dataset> load(const wire::RunSpec& spec) {
  for (const auto& unit : engine::allData())
    if (unit.id == spec.text("data")) {
      auto data = unit.load({0, spec});
      if (data.ok()) return *data;
      std::fprintf(stderr, "%s\n", data.error().messages.front().id.c_str());
    }
  return nullptr;
}

// A tenth of the batch's numbers, so that nobody can leave the work out.
double look(const engine::Batch& batch) {
  const auto* values = batch.input.const_data_ptr<float>();
  double sum = 0;
  for (std::int64_t i = 0; i < batch.input.numel(); i += 10) sum += values[i];
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const auto schema = engine::engineSchema();
  const auto spec = wire::RunSpec::parse(*schema, {{"data", argv[1]},
                                                   {"augment", argv[2]},
                                                   {"batch", std::atoll(argv[3])},
                                                   {"workers", std::atoll(argv[4])},
                                                   {"image_size", std::atoll(argv[5])},
                                                   {"data_dir", argc > 7 ? argv[7] : ""}});
  if (!spec.ok()) return 2;
  const double seconds = std::atof(argv[6]);
  const auto data = load(*spec);
  if (!data) return 3;
  const auto augmentation = engine::augmentationOf(*spec);
  engine::LoaderOptions options;
  options.batch = spec->integer("batch");
  options.workers = spec->integer("workers");
  options.drop_last = true;
  engine::Loader loader(
      data->count(engine::Split::Train),
      [&](const engine::Loader::Request& request) {
        return data->batch({engine::Split::Train, request.indices, request.count, request.epoch,
                            augmentation.any() ? &augmentation : nullptr, &request.watch});
      },
      options);
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += look(loader.next());  // begun, and nothing more made ahead than in the long run
  std::int64_t samples = 0;
  const auto begin = Clock::now();
  while (secondsSince(begin) < seconds) {
    const auto batch = loader.next();
    sum += look(batch);
    samples += batch.target.size(0);
  }
  std::printf("{\"samples_per_second\": %.1f, \"sum\": %.1f}\n", static_cast<double>(samples) / secondsSince(begin), sum);
  return 0;
}
