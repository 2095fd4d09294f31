// A trainer that is put back goes on exactly as the one that was kept.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/engine/session/memory_archive.h"
#include "listened.h"

namespace atelier::engine {
namespace {

using nlohmann::json;

json with(const json& more) {
  json keys{{"model", "mlp"}, {"steps", 20}, {"warmup", 0}, {"deterministic", true}};
  if (more.is_object()) keys.update(more);  // {} is null here
  return keys;
}

StateVisit visitOf(Trainer& trainer) {
  return [&trainer](StateArchive& archive) { trainer.state(archive); };
}

std::vector<double> losses(Trainer& trainer, int steps) {
  std::vector<double> all;
  trainer.activate();
  for (int i = 0; i < steps; ++i) {
    all.push_back(*trainer.step().loss);
    all.push_back(trainer.learningRate());
  }
  return all;
}

}  // namespace

TEST(TrainerState, InterruptedAndPutBackEqualsUninterruptedBitForBit) {
  const std::vector<json> specs{{{"optimizer", "adamw"}},
                                {{"optimizer", "adamw"}, {"fused", true}, {"schedule", "cosine"}},
                                {{"optimizer", "sgd"}, {"learning_rate", 0.05}, {"ema", 0.9}},
                                {{"accumulation", 3}, {"optimizer", "sgd"}, {"learning_rate", 0.05}},
                                {{"model", "cnn"}, {"learning_rate", 1e-4}},
                                {{"batch", 1000}, {"learning_rate", 1e-4}},
                                {{"precision", "fp16"}, {"scaler_growth_interval", 4}},
                                {{"precision", "bf16"}, {"master_weights", true}},
                                {{"workers", 2}}};
  for (const auto& keys : specs) {
    Listened kept(with(keys)), other(with(keys));
    kept.steps(7);
    MemoryArchive archive;
    archive.save(visitOf(kept.trainer));
    const auto expected = losses(kept.trainer, 6);
    other.trainer.activate();
    other.steps(2);
    archive.load(visitOf(other.trainer));
    EXPECT_EQ(other.trainer.steps(), 7);
    EXPECT_EQ(losses(other.trainer, 6), expected) << keys;
    EXPECT_EQ(other.trainer.optimizerSteps(), kept.trainer.optimizerSteps());
    EXPECT_EQ(other.trainer.epochs(), kept.trainer.epochs());
    EXPECT_EQ(other.trainer.takeLoss(), kept.trainer.takeLoss());
  }
}

TEST(TrainerState, AnotherModelIsRefused) {
  Listened mlp(with({})), cnn(with({{"model", "cnn"}}));
  MemoryArchive archive;
  archive.save(visitOf(mlp.trainer));
  EXPECT_THROW(archive.load(visitOf(cnn.trainer)), StateMismatch);
}

TEST(TrainerState, HoldsWeightsAndBuffersByTheirPaths) {
  Listened cnn(with({{"model", "cnn"}}));
  MemoryArchive archive;
  archive.save(visitOf(cnn.trainer));
  std::size_t found = 0;
  for (const auto& parameter : cnn.trainer.model().named_parameters())
    found += archive.values().count("model." + parameter.key());
  for (const auto& buffer : cnn.trainer.model().named_buffers()) found += archive.values().count("model." + buffer.key());
  EXPECT_EQ(found, cnn.trainer.model().named_parameters().size() + cnn.trainer.model().named_buffers().size());
  EXPECT_GT(found, 10U);
  EXPECT_FALSE(std::any_of(archive.values().begin(), archive.values().end(), [](const auto& entry) {
    return entry.first.starts_with("gradient.");
  })) << "between windows there is none to keep";
}

TEST(TrainerState, TheGeneratorsStateComesBack) {
  Listened run(with({}));
  MemoryArchive archive;
  archive.save(visitOf(run.trainer));
  const auto expected = at::rand({4});
  archive.load(visitOf(run.trainer));
  EXPECT_TRUE(at::equal(at::rand({4}), expected));
}

// Left where it is, the place in the data doesn't move: what was kept is gone back to, with the batches that follow now.
TEST(TrainerState, ThePlaceInTheDataCanStay) {
  Listened run(with({})), other(with({}));
  run.steps(2);
  MemoryArchive archive;
  archive.save(visitOf(run.trainer));
  run.steps(3);
  archive.leave("loader.");
  archive.load(visitOf(run.trainer));
  other.trainer.activate();
  other.steps(2);
  const auto again = losses(other.trainer, 1);
  EXPECT_NE(losses(run.trainer, 1), again) << "another batch";
}

}  // namespace atelier::engine
