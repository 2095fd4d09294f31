#include "core/engine/session/resume.h"

#include <gtest/gtest.h>

#include "core/engine/session/plan.h"

namespace atelier::engine {
namespace {

using nlohmann::json;

wire::RunSpec spec(const json& keys) {
  return *wire::RunSpec::parse(*engineSchema(), keys);
}

std::vector<std::string> idsOf(const std::vector<wire::Message>& messages) {
  std::vector<std::string> ids;
  for (const auto& message : messages) ids.push_back(message.id);
  return ids;
}

}  // namespace

TEST(MayResume, HowLongARunIsAndHowItIsKeptMayDiffer) {
  const auto was = spec({{"steps", 100}});
  const auto said = mayResume(was, spec({{"steps", 200},
                                         {"save", true},
                                         {"checkpoint_every", 7},
                                         {"rollback", 5},
                                         {"profile", "wait=1,warmup=1,active=1"},
                                         {"memory_budget", "1GiB"}}));
  ASSERT_TRUE(said.ok());
  EXPECT_TRUE(said->empty());
  EXPECT_TRUE(mayResume(was, was)->empty());
}

TEST(MayResume, WhatTheArithmeticDependsOnMayNotAndEachIsNamed) {
  const auto refused = mayResume(spec(json::object()), spec({{"seed", 3}, {"optimizer", "sgd"}, {"steps", 300}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(refused.error().messages,
            (std::vector<wire::Message>{{"resume.key_differs", {{"key", "optimizer"}, {"was", "adamw"}, {"now", "sgd"}}},
                                        {"resume.key_differs", {{"key", "seed"}, {"was", "0"}, {"now", "3"}}}}));
}

// A key that somebody adds is refused until it is known to be harmless.
TEST(MayResume, AllButAFewKeysAreRefused) {
  const auto schema = engineSchema();
  const auto was = spec(json::object());
  int allowed = 0;
  for (const auto& option : schema->options()) {
    if (option.type != wire::OptionType::Boolean) continue;
    const bool now = !std::get<bool>(option.fallback);
    const bool may = mayResume(was, spec({{option.key, now}})).ok();
    allowed += may ? 1 : 0;
    if (option.key == "deterministic" || option.key == "evaluate" || option.key == "drop_last") {
      EXPECT_FALSE(may) << option.key;
    }
  }
  EXPECT_EQ(allowed, 6) << "pinned, save, stop_when_decided, and what a profile notes";
}

TEST(MayResume, SaysWhatIsNotAsIfNothingHadHappened) {
  const auto cosine = spec({{"schedule", "cosine"}, {"steps", 100}, {"threads", 1}});
  const auto said = mayResume(cosine, spec({{"schedule", "cosine"}, {"steps", 150}, {"threads", 2}}));
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(idsOf(*said), (std::vector<std::string>{"resume.threads", "resume.schedule"}));
}

}  // namespace atelier::engine
