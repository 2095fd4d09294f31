// autotune, as a user runs it. Which setting wins is the machine's affair; that it was measured, and how it is said, is ours.
#include <gtest/gtest.h>

#include "program.h"

namespace atelier::worker {
namespace {

using nlohmann::json;

const std::string kTune =
    "\"$E\" autotune --model mlp --data synthetic-images --device cpu --steps 24 --warmup 1 --blocks 6 --batch 32 ";

}  // namespace

TEST(AutotuneVerb, MeasuresEverySettingAndSaysWhatToType) {
  const Home home;
  const auto output = shell(home, kTune + "--json");
  ASSERT_EQ(output.code, 0) << output.err;
  const auto tuning = output.json();
  EXPECT_EQ(tuning["status"], "done");
  EXPECT_EQ(tuning["start"], json({{"workers", 0}, {"prefetch", 2}, {"batch", 32}}));
  ASSERT_GE(tuning["tried"].size(), 2U);
  for (const auto& one : tuning["tried"]) {
    EXPECT_LE(one["workers"], tuning["cores"]);
    EXPECT_EQ(one["batch"], 32);
    EXPECT_GT(one["samples_per_second"].get<double>(), 0);
    EXPECT_LE(one["ratio"]["low"].get<double>(), one["ratio"]["high"].get<double>());
    EXPECT_GE(one["races"].get<int>(), 1);
  }
  const auto& best = tuning["best"];
  if (!tuning["better"].get<bool>()) {
    EXPECT_EQ(best, tuning["start"]);
  }
  EXPECT_EQ(tuning["flags"], "--workers " + best["workers"].dump() + " --prefetch " + best["prefetch"].dump());
  EXPECT_EQ(shell(home, "\"$E\" runs list --json").json().size(), 0U) << "its races are no runs of the user's";
}

TEST(AutotuneVerb, ATableForPeopleInTheirLanguage) {
  const Home home;
  const auto output = shell(home, kTune + "--lang fr");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.out.find("prefetch"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("--workers "), std::string::npos) << output.out;
  EXPECT_EQ(output.out.find('{'), std::string::npos) << "a text without its values";
}

TEST(AutotuneVerb, MistakesAreNamedBeforeAnythingIsMeasured) {
  const Home home;
  EXPECT_EQ(shell(home, "\"$E\" autotune --model mpl").code, 2);
  EXPECT_EQ(shell(home, "\"$E\" autotune --workers 2 --set nonsense=1 --json").code, 2);
  const auto folder = shell(home, "\"$E\" autotune --data image-folder --json --lang en");
  EXPECT_EQ(folder.code, 2);
  EXPECT_NE(folder.err.find("data_dir"), std::string::npos) << folder.err;
  EXPECT_EQ(shell(home, kTune + "--memory-budget 1MiB --json").code, 4);
}

TEST(AutotuneVerb, InterruptedItSaysSo) {
  const Home home;
  const auto output = shell(home, "\"$E\" autotune --model mlp --data synthetic-images --steps 1000000 --blocks 1000 --json & "
                                  "pid=$!; sleep 4; kill -INT $pid; wait $pid");
  ASSERT_EQ(output.code, 130) << output.err;
  EXPECT_EQ(output.json()["status"], "interrupted");
  EXPECT_FALSE(output.json()["better"].get<bool>());
}

}  // namespace atelier::worker
