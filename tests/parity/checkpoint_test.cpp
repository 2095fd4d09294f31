// Python reads our checkpoints: torch.load(weights_only=True) gives a dict whose "model" is the model's state_dict.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/engine/module/save_weights.h"
#include "core/engine/session/checkpoint.h"
#include "core/engine/session/trainer.h"
#include "core/wire/number.h"
#include "tests/engine/installed_memory.h"
#include "tests/engine/text_fixture.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr std::int64_t kBatch = 8;

json ask(const fs::path& folder, const json& asked) {
  std::ofstream(folder / "asked.json") << asked.dump();
  const auto command =
      std::string(ATELIER_PYTHON) + " " + ATELIER_SOURCE_DIR + "/tests/parity/oracle.py " + (folder / "asked.json").string();
  std::string output;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char bytes[4096];
    while (const auto count = fread(bytes, 1, sizeof bytes, pipe)) output.append(bytes, count);
    EXPECT_EQ(pclose(pipe), 0);
  }
  return wire::parseJson(output).value_or(json());
}

class PythonReads : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(PythonReads, TheCheckpointAndTheWeights) {
  const fixture::TextFolder folder;
  const auto keys = wire::RunSpec::parse(*engineSchema(), {{"model", GetParam()},
                                                           {"data", "fashion-mnist"},
                                                           {"device", "cpu"},
                                                           {"batch", kBatch},
                                                           {"threads", 2},
                                                           {"optimizer", "sgd"},
                                                           {"learning_rate", 0.01},
                                                           {"channels_last", GetParam() == "cnn"}});
  ASSERT_TRUE(keys.ok());
  DataCache cache;
  const auto plan = makePlan(*keys, cache);
  ASSERT_TRUE(plan.ok());
  Trainer trainer(*plan, installedMemory());
  for (int i = 0; i < 3; ++i) trainer.step();
  const auto checkpoint = folder.path() / kCheckpointFile, weights = folder.path() / kWeightsFile;
  ASSERT_TRUE(writeCheckpoint(checkpoint, {"a run", 3, keys->toJson(), {0, 3}}, [&](StateArchive& archive) {
                trainer.state(archive);
              }).ok());
  ASSERT_TRUE(saveWeights(weights, trainer.model()).ok());
  at::manual_seed(1);
  const auto input = at::randn({kBatch, 1, 28, 28});
  std::ofstream(folder.path() / "x", std::ios::binary)
      .write(static_cast<const char*>(input.const_data_ptr()), static_cast<std::streamsize>(input.nbytes()));
  const auto python = ask(folder.path(), {{"task", "checkpoint"},
                                          {"threads", 2},
                                          {"model", GetParam()},
                                          {"channels", 1},
                                          {"side", 28},
                                          {"batch", kBatch},
                                          {"checkpoint", checkpoint.string()},
                                          {"weights", weights.string()},
                                          {"inputs", (folder.path() / "x").string()}});
  ASSERT_TRUE(python.is_object()) << "the Python side failed";
  EXPECT_EQ(python["step"], 3);
  EXPECT_EQ(python["format"], "atelier checkpoint 1");
  EXPECT_EQ(python["spec"], keys->toJson());
  EXPECT_EQ(python["same"], true) << "weights.safetensors holds what the checkpoint holds";
  EXPECT_EQ(python["plain"], true);
  EXPECT_GT(python["state"].size(), 10U);
  const at::NoGradGuard noGrad;
  trainer.model().eval();
  const auto ours = trainer.model()(input).flatten().contiguous();
  const auto scores = python["scores"].get<std::vector<double>>();
  ASSERT_EQ(static_cast<std::int64_t>(scores.size()), ours.numel());
  for (std::size_t i = 0; i < scores.size(); ++i)
    EXPECT_NEAR(ours.const_data_ptr<float>()[i], scores[i], 1e-4) << "score " << i;
}

INSTANTIATE_TEST_SUITE_P(Models, PythonReads, testing::Values("mlp", "cnn"), [](const auto& info) { return info.param; });

}  // namespace atelier::engine
