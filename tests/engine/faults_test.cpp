#include "core/engine/profile/faults.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "core/engine/module/layers.h"
#include "core/engine/monitor/process.h"
#include "core/engine/profile/burners.h"
#include "core/engine/profile/watch.h"
#include "core/wire/faults.h"
#include "listened.h"
#include "operator_count.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

wire::Health healthOf(Trainer& trainer) {
  Watch watch(trainer.model(), false);
  watch.begin(trainer.steps());
  trainer.step();
  return watch.end();
}

const wire::TensorStats& rowOf(const std::vector<wire::TensorStats>& all, const std::string& module) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& stats) { return stats.module == module; });
}

int itemsAStep(Trainer& trainer) {
  const OperatorCount items("aten::item");
  trainer.step();
  return items.calls();
}

// Processes of a session that still run.
std::vector<std::string> livingOf(pid_t session) {
  std::vector<std::string> living;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line, state, parent, group, leader;
    std::getline(file, line);
    const auto close = line.rfind(')');
    if (close == std::string::npos) continue;
    std::istringstream(line.substr(close + 1)) >> state >> parent >> group >> leader;
    if (leader == std::to_string(session) && state != "Z" && state != "X") living.push_back(entry.path().filename());
  }
  return living;
}

// Nothing of the session runs any more, or does so soon: who was killed may still be dying.
bool ended(pid_t session) {
  for (int i = 0; i < 50 && !livingOf(session).empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return livingOf(session).empty();
}

// Children of this process that burn.
int burners() {
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  int count = 0;
  for (std::string child, words; children >> child;) {
    std::ifstream command("/proc/" + child + "/cmdline");
    std::getline(command, words);
    count += words.starts_with("atelier-burner") ? 1 : 0;
  }
  return count;
}

double burnt(const Burners& burners) {
  double seconds = 0;
  for (const auto process : burners.processes()) seconds += treeUsage(process).cpu_seconds;
  return seconds;
}

}  // namespace

TEST(SlowLoader, EachSampleOfABatchIsWaitedFor) {
  Listened sound(nlohmann::json{{"model", "mlp"}}), slow({{"model", "mlp"}, {"inject", "slow-loader"}});
  for (int i = 0; i < 3; ++i) EXPECT_GE(slow.trainer.step().stages.data, profiled::kBatch * 800'000) << "ns";
  std::int64_t fastest = INT64_MAX;
  for (int i = 0; i < 3; ++i) fastest = std::min(fastest, sound.trainer.step().stages.data);
  EXPECT_LT(fastest, profiled::kBatch * 800'000);
}

TEST(Item, TwentyValuesAreReadInEachStep) {
  Listened sound(nlohmann::json{{"model", "cnn"}}), sick({{"model", "cnn"}, {"inject", "item"}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(itemsAStep(sound.trainer), 0);
    EXPECT_EQ(itemsAStep(sick.trainer), 20);
  }
}

TEST(TinyBatches, StepsTakeFourSamplesWhateverWasAsked) {
  Listened run(nlohmann::json{{"inject", "tiny-batches"}});
  EXPECT_EQ(run.trainer.step().samples, kTinyBatch);
  EXPECT_EQ(run.trainer.plan().batch, kTinyBatch);
  EXPECT_EQ(run.trainer.plan().spec.integer("batch"), kTinyBatch) << "rules that look at it see what there is";
  Listened smaller({{"batch", 2}, {"inject", "tiny-batches"}});
  EXPECT_EQ(smaller.trainer.step().samples, 2);
}

TEST(MemoryLeak, EachStepLeavesFourMebibytesMore) {
  Listened run({{"model", "mlp"}, {"inject", "memory-leak"}});
  run.steps(3);
  auto before = run.trainer.memory().live().total;
  for (int i = 0; i < 4; ++i) {
    run.steps(1);
    const auto after = run.trainer.memory().live().total;
    EXPECT_GE(after - before, 4 << 20) << i;
    EXPECT_LT(after - before, 5 << 20) << i;
    before = after;
  }
}

TEST(Nan, ComesAtTheFourthStepInTheMiddleOfTheModel) {
  Listened run({{"model", "cnn"}, {"inject", "nan"}});
  for (int step = 0; step < 3; ++step) EXPECT_TRUE(std::isfinite(*run.trainer.step().loss)) << step;
  const auto health = healthOf(run.trainer);
  EXPECT_EQ(health.first_bad_module, "1.0") << "the third of six modules with parameters";
  EXPECT_EQ(health.first_bad_stage, "forward");
  EXPECT_EQ(health.first_bad_step, 3);
  EXPECT_EQ(rowOf(health.activations, "1.0").nans, 1);
  EXPECT_EQ(rowOf(health.activations, "0").nans, 0);
  EXPECT_TRUE(std::isnan(*run.trainer.step().loss)) << "the weights have it now";
}

TEST(DeadRelu, NothingComesThroughTheFirst) {
  Listened run({{"model", "cnn"}, {"inject", "dead-relu"}});
  EXPECT_EQ(run.trainer.model().named_parameters()["0.1.bias"].max().item<double>(), -1000) << "of the normalisation before it";
  run.steps(3);
  const auto health = healthOf(run.trainer);
  const auto& first = rowOf(health.activations, "0.2");
  EXPECT_EQ(first.type, "ReLU");
  EXPECT_EQ(first.zeros, first.count);
  const auto& last = rowOf(health.activations, "4");
  EXPECT_LT(last.zeros, last.count) << "the others live";
}

TEST(ExplodingGradient, ReachesANormAboveAHundredAndKeepsIt) {
  Listened sound(nlohmann::json{{"model", "cnn"}}), sick({{"model", "cnn"}, {"inject", "exploding-gradient"}});
  for (int look = 0; look < 3; ++look) {
    const auto health = healthOf(sick.trainer);
    EXPECT_GT(health.gradient_norm, 100) << look;
    EXPECT_GT(rowOf(health.parameters, "0.0.weight").norm, 10 * rowOf(health.parameters, "5.weight").norm)
        << "it grows on its way";
    EXPECT_LT(healthOf(sound.trainer).gradient_norm, 100) << look;
    sick.steps(15);
    sound.steps(15);
  }
}

TEST(ExplodingGradient, StaysWithinAFloatInADeepNet) {
  Listened run({{"model", "resnet18"}, {"batch", 4}, {"inject", "exploding-gradient"}});
  const auto health = healthOf(run.trainer);
  EXPECT_TRUE(std::isfinite(health.gradient_norm));
  EXPECT_GT(health.gradient_norm, 100);
  EXPECT_EQ(health.first_bad_stage, "");
}

TEST(Burners, BurnAsOthersAndEndWithTheirObject) {
  const auto before = treeUsage().cpu_seconds;
  std::vector<pid_t> shells;
  {
    const Burners burners(2);
    shells = burners.processes();
    ASSERT_EQ(shells.size(), 2U);
    for (int i = 0; i < 100 && burnt(burners) < 0.5; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_GE(burnt(burners), 0.5);
    for (const auto shell : shells) EXPECT_EQ(livingOf(shell).size(), 2U) << "a shell, and what it burns with";
    EXPECT_LT(treeUsage().cpu_seconds - before, 0.4) << "they are none of ours";
  }
  for (const auto shell : shells) {
    EXPECT_TRUE(ended(shell));
    EXPECT_NE(kill(shell, 0), 0);
  }
  EXPECT_LT(treeUsage().cpu_seconds - before, 0.4);
}

TEST(BusyMachine, BurnsOnEachCoreFromTheFirstStepToTheEndOfTheRun) {
  {
    Listened run({{"model", "mlp"}, {"inject", "busy-machine"}});
    EXPECT_EQ(burners(), 0);
    run.steps(2);
    EXPECT_EQ(burners(), availableCores());
  }
  EXPECT_EQ(burners(), 0);
}

TEST(Faults, EachIsMadeOrIsThePlans) {
  std::vector<wire::Message> notices;
  const auto spec = fixture::specOf(nlohmann::json::object());
  const Say silent{};
  for (const auto& id : wire::faultIds())
    EXPECT_EQ(makeFault(id, {spec, at::kCPU, notices, silent}) == nullptr, id == "tiny-batches") << id;
  EXPECT_TRUE(notices.empty());
}

TEST(Faults, SayWhenAModelHasNothingToBreak) {
  std::vector<wire::Message> notices;
  const auto spec = fixture::specOf(nlohmann::json::object());
  const Say silent{};
  Flatten bare;
  bare.bind();
  for (const auto& id : wire::faultIds())
    if (const auto fault = makeFault(id, {spec, at::kCPU, notices, silent})) fault->prepareModel(bare);
  ASSERT_EQ(notices.size(), 4U) << argument(notices.front(), "fault") << " is the first";
  for (const auto& notice : notices) EXPECT_EQ(notice.id, "inject.nothing_to_break");
  EXPECT_EQ(argument(notices[0], "fault"), "item");
  EXPECT_EQ(argument(notices[1], "fault"), "nan");
  EXPECT_EQ(argument(notices[2], "fault"), "dead-relu");
  EXPECT_EQ(argument(notices[3], "fault"), "exploding-gradient");
  EXPECT_TRUE(bare.hooks().empty());
}

}  // namespace atelier::engine
