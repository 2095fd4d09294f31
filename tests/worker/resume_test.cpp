// Runs that were interrupted and are gone on with, as a user does it: the result is that of a run that was never interrupted,
// to the last bit.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "program.h"

namespace atelier::worker {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name, arguments;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"mlp_adamw_cosine",
       "--model mlp --data synthetic-images --batch 16 --steps 3000 --blocks 12 --checkpoint-every 50 --set schedule=cosine"},
      {"mlp_sgd_momentum",
       "--model mlp --data synthetic-images --batch 16 --steps 3000 --blocks 12 --checkpoint-every 50 "
       "--optimizer sgd --learning-rate 0.01"},
      {"cnn_augmented",
       "--model cnn --data synthetic-images --batch 16 --steps 240 --blocks 12 --checkpoint-every 5 "
       "--set augment=standard --learning-rate 1e-4 --set schedule=cosine"}};
  return all;
}

std::string run(const Case& one) {
  return "\"$E\" run --device cpu --threads 1 --warmup 3 --seed 5 --deterministic --save --json " + one.arguments;
}

// Starts the run, waits for its first checkpoint, and ends it.
Output interrupted(const Home& home, const Case& one, const std::string& signal) {
  return shell(home, run(one) +
                         " & pid=$!; for i in $(seq 3000); do ls \"$ATELIER_HOME\"/runs/*/checkpoint.pt >/dev/null 2>&1 "
                         "&& break; sleep 0.01; done; kill -" +
                         signal + " $pid; wait $pid");
}

std::string onlyRun(const Home& home) {
  for (const auto& entry : fs::directory_iterator(home.folder() / "runs")) return entry.path().filename().string();
  return "";
}

std::string weightsOf(const Home& home, const std::string& id) {
  return readAll((home.folder() / "runs" / id / "weights.safetensors").string());
}

std::vector<double> lossesOf(const Home& home, const std::string& id) {
  auto registry = registry::Registry::open(home.folder());
  std::vector<double> losses;
  const auto events = (*registry)->events(id);
  if (!events.ok()) return losses;
  for (const auto& event : *events)
    if (const auto* block = std::get_if<wire::BlockDone>(&event.body)) losses.push_back(block->loss.value_or(-1));
  return losses;
}

class Resume : public testing::TestWithParam<std::size_t> {};

}  // namespace

TEST_P(Resume, KilledOrStoppedAndGoneOnWithEqualsUninterruptedBitForBit) {
  const auto& one = cases()[GetParam()];
  const Home whole;
  const auto uninterrupted = shell(whole, run(one));
  ASSERT_EQ(uninterrupted.code, 0) << uninterrupted.err;
  const std::string wholeId = uninterrupted.json()["id"];
  const auto expected = weightsOf(whole, wholeId);
  ASSERT_FALSE(expected.empty());
  const auto all = lossesOf(whole, wholeId);
  for (const std::string signal : {"9", "INT"}) {
    const Home home;
    const auto ended = interrupted(home, one, signal);
    ASSERT_NE(ended.code, 0) << "it was done before it could be interrupted";
    const auto first = onlyRun(home);
    const auto resumed = shell(home, "\"$E\" run --json --resume " + first);
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    const std::string id = resumed.json()["id"];
    EXPECT_NE(id, first) << "a run of its own";
    EXPECT_TRUE(weightsOf(home, id) == expected) << one.name << ", " << signal;
    const auto rest = lossesOf(home, id);
    for (std::size_t i = 1; i < rest.size(); ++i) EXPECT_EQ(rest[rest.size() - i], all[all.size() - i]) << signal << " −" << i;
    const auto environment =
        nlohmann::json::parse(readAll((home.folder() / "runs" / id / "environment.json").string()), nullptr, false);
    EXPECT_EQ(environment["resumed_from"]["run"], first);
    EXPECT_GT(environment["resumed_from"]["step"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Resume, testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& info) { return cases()[info.param].name; });

namespace {

const std::string kShort =
    "\"$E\" run --model mlp --data synthetic-images --device cpu --threads 1 --steps 20 --warmup 1 --blocks 2 --set "
    "evaluate=false --save --json ";

}  // namespace

TEST(ResumeVerb, AFinishedRunGoesOnForMoreSteps) {
  const Home home;
  const auto first = shell(home, kShort);
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string id = first.json()["id"];
  const auto nothing = shell(home, "\"$E\" run --lang en --resume " + id);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("nothing is left to do"), std::string::npos) << nothing.err;
  const auto more = shell(home, "\"$E\" run --json --steps 30 --resume " + id.substr(0, id.size() - 1));
  ASSERT_EQ(more.code, 0) << more.err;
  EXPECT_EQ(more.json()["steps"], 10);
  const auto file = (home.folder() / "runs" / id / "checkpoint.pt").string();
  EXPECT_EQ(shell(home, "\"$E\" run --json --steps 25 --resume '" + file + "'").json()["steps"], 5);
}

TEST(ResumeVerb, WhatTheArithmeticDependsOnCanNotBeChanged) {
  const Home home;
  const std::string id = shell(home, kShort).json()["id"];
  const auto refused = shell(home, "\"$E\" run --lang en --steps 30 --batch 64 --seed 9 --resume " + id);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("batch was 128"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("seed was 0"), std::string::npos) << refused.err;
}

TEST(ResumeVerb, WhatIsNoCheckpointIsRefusedWithItsReason) {
  const Home home;
  const std::string id = shell(home, kShort).json()["id"];
  const auto folder = home.folder() / "runs" / id;
  const auto content = readAll((folder / "checkpoint.pt").string());
  const auto refusal = [&](const std::string& named) {
    const auto output = shell(home, "\"$E\" run --lang en --steps 30 --resume '" + named + "'");
    EXPECT_EQ(output.code, 2) << named;
    return output.err;
  };
  fs::resize_file(folder / "checkpoint.pt", content.size() / 2);
  EXPECT_NE(refusal(id).find("ends before its end"), std::string::npos);
  fs::remove(folder / "checkpoint.pt");
  EXPECT_NE(refusal(id).find("left no checkpoint"), std::string::npos);
  EXPECT_NE(refusal((folder / "spec.json").string()).find("is no checkpoint of Atelier"), std::string::npos);
  EXPECT_NE(refusal("/none/at/all.pt").find("/none/at/all.pt"), std::string::npos);
  EXPECT_EQ(shell(home, "\"$E\" run --lang en --resume 20200101-000000-000000").code, 2);
}

TEST(CompareVerb, SaysThatTheLossesOfTwoDeterministicRunsNeverPart) {
  const Home home;
  const std::string run = kShort + "--deterministic ";
  const std::string a = shell(home, run).json()["id"], b = shell(home, run).json()["id"];
  const std::string c = shell(home, run + "--seed 3").json()["id"];
  const auto same = shell(home, "\"$E\" compare --json " + a + " " + b).json();
  ASSERT_TRUE(same.contains("losses_part"));
  EXPECT_TRUE(same["losses_part"].is_null());
  EXPECT_FALSE(shell(home, "\"$E\" compare --json " + a + " " + c).json().contains("losses_part"))
      << "they are not of one spec";
  EXPECT_NE(shell(home, "\"$E\" compare --lang en " + a + " " + b).out.find("never"), std::string::npos);
}

}  // namespace atelier::worker
