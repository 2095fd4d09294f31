// The technique `inject`: what a spec asks for, what is said of it, and that it leaves nothing behind.
#include <algorithm>
#include <cmath>

#include "core/engine/script/script.h"
#include "core/wire/faults.h"
#include "listened.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

const TechniqueUnit& unit() {
  const auto& all = allTechniques();
  return *std::find_if(all.begin(), all.end(), [](const TechniqueUnit& one) { return one.id == "inject"; });
}

wire::RunSpec asking(const std::string& faults) {
  return fixture::specOf({{"device", "cpu"}, {"data", "synthetic-images"}, {"inject", faults}});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(Inject, WhatIsNoFaultIsRefusedBeforeTheRun) {
  const auto refused = validate(asking("nan,itme,tinny-batches"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, wire::ExitCode::Usage);
  ASSERT_EQ(refused.error().messages.size(), 2U);
  EXPECT_EQ(refused.error().messages[0].id, "inject.unknown");
  EXPECT_EQ(argument(refused.error().messages[0], "given"), "itme");
  EXPECT_EQ(argument(refused.error().messages[0], "nearest"), "item");
  EXPECT_EQ(argument(refused.error().messages[1], "nearest"), "tiny-batches");
  for (const char* sound : {"none", "", "nan", "slow-loader, item"}) EXPECT_TRUE(validate(asking(sound)).ok()) << sound;
}

TEST(Inject, ARunWithFaultsSaysSoAndKeepsTheKey) {
  Listened run({{"model", "mlp"}, {"inject", "item, memory-leak"}});
  const auto notices = run.said<wire::Noticed>();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].message.id, "inject.active");
  EXPECT_EQ(notices[0].severity, "warning");
  EXPECT_EQ(argument(notices[0].message, "faults"), "item, memory-leak");
  EXPECT_EQ(run.trainer.plan().spec.text("inject"), "item, memory-leak");
  EXPECT_EQ(run.trainer.model().hooks().after.size(), 1U);
  run.steps(2);
  EXPECT_GE(run.trainer.memory().live().total, 8 << 20);
}

TEST(Inject, WithoutFaultsNothingIsThere) {
  for (const char* none : {"none", ""}) {
    Listened run({{"model", "mlp"}, {"inject", none}});
    run.steps(1);
    EXPECT_TRUE(run.events.empty());
    EXPECT_TRUE(run.trainer.model().hooks().empty());
    std::vector<wire::Message> notices;
    const Say silent{};
    EXPECT_TRUE(unit().make({asking(none), at::kCPU, notices, silent}) == nullptr);
  }
}

TEST(Inject, ASmallerBatchIsToldBeforeTheRun) {
  const auto plan = profiled::planOf({{"model", "mlp"}, {"inject", "tiny-batches"}});
  ASSERT_EQ(plan.notices.size(), 1U);
  EXPECT_EQ(plan.notices[0].id, "inject.tiny_batches");
  EXPECT_EQ(argument(plan.notices[0], "batch"), "4");
  EXPECT_TRUE(profiled::planOf({{"model", "mlp"}, {"inject", "nan"}}).notices.empty());
}

TEST(Inject, TakesItsHooksAlongAndLeavesThoseOfOthers) {
  const auto model = fixture::buildModel("cnn", {1, 8, 8, 3});
  auto& hooks = model->hooks();
  int calls = 0;
  const auto spec = asking("item,nan,exploding-gradient");
  std::vector<wire::Message> notices;
  const Say silent{};
  {
    const auto technique = unit().make({spec, at::kCPU, notices, silent});
    ASSERT_TRUE(technique != nullptr);
    technique->prepareModel(*model);
    EXPECT_EQ(hooks.after.size(), 3U);
    hooks.after.push_back([&](Module&, const at::Tensor&, at::Tensor&) { ++calls; });
  }
  EXPECT_EQ(hooks.after.size(), 1U);
  EXPECT_TRUE(hooks.before.empty());
  EXPECT_TRUE(hooks.gradient.empty());
  EXPECT_TRUE((*model)(at::ones({2, 1, 8, 8})).isfinite().all().item<bool>());
  EXPECT_EQ(calls, 15) << "every module of the net";
}

TEST(Inject, TwoFaultsActAtOnce) {
  Listened run({{"model", "cnn"}, {"inject", "nan,tiny-batches"}});
  run.steps(3);
  const auto figures = run.trainer.step();
  EXPECT_EQ(figures.samples, 4);
  EXPECT_TRUE(std::isnan(*figures.loss));
}

TEST(Inject, AScriptMakesTheFaultsOfOneLineAndNamesTheOthers) {
  const auto sound = pytorchScript(asking("none"));
  EXPECT_FALSE(has(sound, "middle_of") || has(sound, "# inject"));
  const auto sick = pytorchScript(asking("slow-loader,item,nan,busy-machine"));
  EXPECT_TRUE(has(sick, "middle_of(self.model).register_forward_hook(read_values)")) << sick;
  EXPECT_TRUE(has(sick, "divide_by_zero(output) if self.steps >= 3"));
  EXPECT_TRUE(has(sick, "# inject: faults of the native engine that this script doesn't make:\n# slow-loader, busy-machine\n"));
  EXPECT_FALSE(has(pytorchScript(asking("item")), "# inject"));
}

}  // namespace atelier::engine
