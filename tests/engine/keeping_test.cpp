// What a session keeps between steps: checkpoints in the run's folder, sound states in memory; and that a run goes on from the
// one and goes back to the other.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

#include <gtest/gtest.h>

#include "core/engine/script/script.h"
#include "core/engine/session/checkpoint.h"
#include "core/engine/session/good_state.h"
#include "core/engine/session/plan.h"
#include "core/engine/session/session.h"
#include "installed_memory.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;
using fixture::TextFolder;
using nlohmann::json;

wire::RunSpec spec(const json& keys) {
  json all{{"model", "mlp"},    {"data", "synthetic-images"},
           {"device", "cpu"},   {"batch", 32},
           {"steps", 24},       {"warmup", 2},
           {"blocks", 4},       {"threads", 1},
           {"evaluate", false}, {"deterministic", true}};
  all.update(keys);
  const auto parsed = wire::RunSpec::parse(*engineSchema(), all);
  EXPECT_TRUE(parsed.ok());
  return *parsed;
}

struct Ran {
  std::vector<wire::EventBody> events;
  wire::Status status = wire::success();
  wire::RunSummary summary;
  bool interrupted = false;

  template <class Body>
  std::vector<Body> said() const {
    std::vector<Body> all;
    for (const auto& event : events)
      if (const auto* body = std::get_if<Body>(&event)) all.push_back(*body);
    return all;
  }
  std::vector<double> losses() const {
    std::vector<double> all;
    for (const auto& block : said<wire::BlockDone>()) all.push_back(block.loss.value());
    return all;
  }
  bool noticed(const std::string& id) const {
    const auto all = said<wire::Noticed>();
    return std::any_of(all.begin(), all.end(), [&](const auto& notice) { return notice.message.id == id; });
  }
};

using Heard = std::function<void(const wire::EventBody&, Control&)>;

Ran run(const json& keys, const fs::path& folder, Resumption resume = {}, const Heard& heard = {}) {
  Ran ran;
  Control control;
  std::mutex mutex;
  Session session({{"20261201-000000-abcdef", "", spec(keys), folder, std::move(resume)}}, installedMemory(), control,
                  [&](const std::string&, wire::EventBody body) {
                    const std::lock_guard lock(mutex);
                    if (heard) heard(body, control);
                    ran.events.push_back(std::move(body));
                  });
  ran.status = session.run();
  ran.summary = session.summaries("done").front();
  ran.interrupted = session.interrupted();
  return ran;
}

std::string contentOf(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

Resumption from(const fs::path& folder) {
  const auto opened = Checkpoint::open(folder / kCheckpointFile);
  EXPECT_TRUE(opened.ok());
  return {opened.ok() ? *opened : nullptr, {}};
}

// Stops at the first block.
void stopEarly(const wire::EventBody& body, Control& control) {
  if (std::holds_alternative<wire::BlockDone>(body)) control.stop();
}

}  // namespace

TEST(Keeping, NothingIsWrittenUnlessItIsAskedFor) {
  const TextFolder folder;
  EXPECT_TRUE(run({{"steps", 8}}, folder.path()).status.ok());
  EXPECT_TRUE(fs::is_empty(folder.path()));
  const auto nowhere = run({{"checkpoint_every", 3}, {"save", true}}, {});
  EXPECT_TRUE(nowhere.status.ok());
  EXPECT_TRUE(nowhere.said<wire::CheckpointWritten>().empty()) << "it has no folder";
}

TEST(Keeping, ACheckpointIsWrittenEverySoManyStepsAndSaid) {
  const TextFolder folder;
  const auto ran = run({{"checkpoint_every", 10}}, folder.path());
  ASSERT_TRUE(ran.status.ok());
  const auto said = ran.said<wire::CheckpointWritten>();
  ASSERT_EQ(said.size(), 2U) << "26 steps, warm-up included";
  EXPECT_EQ(said[0].step, 10);
  EXPECT_EQ(said[1].step, 20);
  EXPECT_EQ(said[1].file, kCheckpointFile);
  EXPECT_EQ(static_cast<std::uintmax_t>(said[1].bytes), fs::file_size(folder.path() / kCheckpointFile));
  const auto opened = Checkpoint::open(folder.path() / kCheckpointFile);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->head().position, (RunPosition{2, 18}));
  EXPECT_EQ((*opened)->head().spec, spec({{"checkpoint_every", 10}}).toJson());
  EXPECT_FALSE(fs::exists(folder.path() / kWeightsFile));
}

// The time that a checkpoint takes is nobody's: neither the block's, nor a disturbance.
TEST(Keeping, ABlockIsNotLongerForItsCheckpoint) {
  const TextFolder folder;
  const auto ran = run({{"checkpoint_every", 1}, {"steps", 12}, {"blocks", 1}}, folder.path());
  ASSERT_TRUE(ran.status.ok());
  double writing = 0;
  for (const auto& written : ran.said<wire::CheckpointWritten>())
    if (written.step > 2) writing += written.milliseconds;
  const auto block = ran.said<wire::BlockDone>().front();
  const auto& s = block.stages;
  EXPECT_GT(writing, 0);
  // What stages don't account for is the session's: it would hold all of the writing.
  EXPECT_LT(static_cast<double>(s.other) * 1e-6, 0.5 * writing);
  EXPECT_EQ(s.data + s.forward + s.backward + s.optimizer + s.other, s.wall);
  EXPECT_NE(block.reason, "busy.paused");
}

TEST(Keeping, SaveKeepsTheLastStateAndTheWeights) {
  const TextFolder folder;
  const auto ran = run({{"save", true}}, folder.path());
  ASSERT_TRUE(ran.status.ok());
  ASSERT_EQ(ran.said<wire::CheckpointWritten>().size(), 1U);
  EXPECT_EQ(ran.said<wire::CheckpointWritten>().front().step, 26);
  EXPECT_TRUE(fs::exists(folder.path() / kWeightsFile));
}

TEST(Keeping, AFolderThatIsGoneIsToldOnceAndTheRunGoesOn) {
  const auto ran = run({{"checkpoint_every", 3}, {"save", true}}, "/nowhere/at/all");
  EXPECT_TRUE(ran.status.ok());
  EXPECT_EQ(ran.summary.steps, 24);
  const auto notices = ran.said<wire::Noticed>();
  EXPECT_EQ(
      std::count_if(notices.begin(), notices.end(), [](const auto& notice) { return notice.message.id == "file.not_written"; }),
      1);
}

TEST(Keeping, ARunThatLearnsNothingSaysThatThereIsNothingToKeep) {
  const TextFolder folder;
  const auto ran = run({{"mode", "infer"}, {"save", true}, {"checkpoint_every", 2}, {"rollback", 2}}, folder.path());
  ASSERT_TRUE(ran.status.ok());
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(ran.summary.notices.front().id, "keeping.nothing_learnt");
}

TEST(Keeping, StoppedAndResumedEqualsUninterruptedBitForBit) {
  const std::vector<json> specs{{{"schedule", "cosine"}},
                                {{"optimizer", "sgd"}, {"learning_rate", 0.05}, {"accumulation", 3}},
                                {{"batch", 512}, {"evaluate", true}, {"learning_rate", 1e-4}},  // an epoch is eight steps
                                {{"model", "cnn"}, {"augment", "standard"}, {"learning_rate", 1e-4}}};
  for (auto keys : specs) {
    keys["save"] = true;
    const TextFolder whole, first, second;
    const auto uninterrupted = run(keys, whole.path());
    ASSERT_TRUE(uninterrupted.status.ok());
    const auto stopped = run(keys, first.path(), {}, stopEarly);
    ASSERT_TRUE(stopped.interrupted) << keys;
    const auto resumed = run(keys, second.path(), from(first.path()));
    ASSERT_TRUE(resumed.status.ok()) << keys;
    EXPECT_EQ(contentOf(second.path() / kWeightsFile), contentOf(whole.path() / kWeightsFile)) << keys;
    const auto all = uninterrupted.losses(), rest = resumed.losses();
    ASSERT_GE(rest.size(), 2U);
    for (std::size_t i = 1; i < rest.size(); ++i) EXPECT_EQ(rest[rest.size() - i], all[all.size() - i]) << keys;
  }
}

TEST(Keeping, AResumedRunBeginsWhereItWasAndItsFirstBlockIsCold) {
  const TextFolder folder;
  ASSERT_TRUE(run({{"checkpoint_every", 10}}, folder.path()).status.ok());  // the last one after 20 steps: 2 and 18
  const auto resumed = run({{"steps", 30}, {"blocks", 5}}, {}, from(folder.path()));
  ASSERT_TRUE(resumed.status.ok());
  const auto blocks = resumed.said<wire::BlockDone>();
  ASSERT_EQ(blocks.size(), 2U) << "three blocks of six were done";
  EXPECT_EQ(blocks[0].steps, 6);
  EXPECT_EQ(blocks[0].reason, "busy.resumed");
  EXPECT_NE(blocks[1].reason, "busy.resumed");
  EXPECT_EQ(resumed.summary.steps, 12);
  const auto started = resumed.said<wire::RunStarted>().front();
  EXPECT_EQ(started.environment["resumed_from"], (json{{"run", "20261201-000000-abcdef"}, {"step", 20}}));
}

TEST(Keeping, ARunThatIsDoneHasNothingLeft) {
  const TextFolder folder;
  ASSERT_TRUE(run({{"save", true}}, folder.path()).status.ok());
  const auto again = run({{"save", true}}, {}, from(folder.path()));
  ASSERT_FALSE(again.status.ok());
  EXPECT_EQ(again.status.error().messages.front().id, "resume.nothing_left");
  EXPECT_EQ(again.status.error().code, wire::ExitCode::Usage);
}

TEST(Keeping, AnotherModelsCheckpointIsRefused) {
  const TextFolder folder;
  ASSERT_TRUE(run({{"checkpoint_every", 10}}, folder.path()).status.ok());
  const auto other = run({{"model", "cnn"}}, {}, from(folder.path()));
  ASSERT_FALSE(other.status.ok());
  EXPECT_TRUE(other.status.error().messages.front().id.starts_with("checkpoint."));
}

TEST(Keeping, TwoRunsOfOneSpecAreBitEqualInDeterministicMode) {
  for (const json& keys :
       {json{{"model", "mlp"}, {"save", true}}, json{{"model", "cnn"}, {"augment", "strong"}, {"save", true}},
        json{{"model", "cnn"}, {"workers", 2}, {"precision", "bf16"}, {"save", true}}}) {
    const TextFolder a, b;
    const auto first = run(keys, a.path()), second = run(keys, b.path());
    EXPECT_EQ(first.losses(), second.losses()) << keys;
    EXPECT_EQ(contentOf(a.path() / kWeightsFile), contentOf(b.path() / kWeightsFile)) << keys;
  }
}

// A rate that is set far too high spoils the weights in one step; the state before it has the former rate.
TEST(RollBack, AStepThatSpoilsTheWeightsIsTakenBack) {
  bool set = false;
  const Heard heard = [&](const wire::EventBody& body, Control& control) {
    if (set || !std::holds_alternative<wire::BlockDone>(body)) return;
    control.set("learning_rate", 1e30);
    set = true;
  };
  const auto ran = run({{"steps", 3000}, {"blocks", 10}, {"rollback", 10}}, {}, {}, heard);
  ASSERT_TRUE(ran.status.ok());
  const auto back = ran.said<wire::RolledBack>();
  ASSERT_EQ(back.size(), 1U);
  EXPECT_LT(back.front().to, back.front().step);
  EXPECT_LE(back.front().step - back.front().to, 12) << "the distance of two states, and the steps that showed the harm";
  EXPECT_TRUE(ran.noticed(back.front().reason));
  EXPECT_FALSE(ran.noticed("loss.not_finite")) << "it was taken back";
  EXPECT_TRUE(std::isfinite(ran.summary.loss.value()));
  EXPECT_EQ(ran.summary.steps, 3000);
}

TEST(RollBack, ARunThatDivergesAgainAndAgainFails) {
  const Heard heard = [](const wire::EventBody& body, Control& control) {
    const auto* phase = std::get_if<wire::PhaseChanged>(&body);
    if ((phase && phase->phase == "measuring") || std::holds_alternative<wire::RolledBack>(body))
      control.set("learning_rate", 1e30);
  };
  const auto ran = run({{"rollback", 5}, {"steps", 100'000}}, {}, {}, heard);
  ASSERT_FALSE(ran.status.ok());
  EXPECT_EQ(ran.status.error().messages.front().id, "rollback.too_often");
  EXPECT_EQ(ran.status.error().code, wire::ExitCode::Failed);
  EXPECT_EQ(ran.said<wire::RolledBack>().size(), static_cast<std::size_t>(GoodState::kMostReturns));
}

TEST(RollBack, AGuardThatFindsNothingChangesNothing) {
  const TextFolder a, b;
  const auto plain = run({{"save", true}}, a.path());
  const auto guarded = run({{"save", true}, {"rollback", 4}, {"spike_factor", 1000}}, b.path());
  EXPECT_EQ(plain.losses(), guarded.losses());
  EXPECT_EQ(contentOf(a.path() / kWeightsFile), contentOf(b.path() / kWeightsFile));
  EXPECT_TRUE(guarded.said<wire::RolledBack>().empty());
}

TEST(KeepingScript, SavesAsItIsAsked) {
  const auto with = pytorchScript(spec({{"checkpoint_every", 10}, {"save", true}, {"rollback", 5}, {"schedule", "cosine"}}));
  for (const char* part : {"CHECKPOINT = \"checkpoint.pt\"", "CHECKPOINT_EVERY = 10", "def save(trainer: Any) -> None:",
                           "trainer.steps % CHECKPOINT_EVERY == 0", "\"schedules\": [", "save(trainer)", "# rollback:"})
    EXPECT_NE(with.find(part), std::string::npos) << part;
  EXPECT_EQ(pytorchScript(spec({{"steps", 5}})).find("checkpoint"), std::string::npos);
}

}  // namespace atelier::engine
