// "Show as PyTorch" holds what it promises: the generated scripts, run in Python, give the native trainer's losses and
// learning rates, step by step. Same seed, and so the same weights, the same samples in the same order.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/engine/script/script.h"
#include "core/engine/session/plan.h"
#include "core/engine/session/trainer.h"
#include "core/wire/number.h"
#include "tests/engine/installed_memory.h"
#include "tests/engine/text_fixture.h"

namespace atelier::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Case {
  std::string name;
  json keys;
  double tolerance;  // on every loss, relative to it or to 0.05
};

// float32: the two sides round in different orders, and training amplifies that: 1e-4 for a net without convolutions and
// 2e-3 with them (1e-2 for the deep one). bfloat16 has 8 bits: its roundings differ by 0.4 % from the first step on.
const std::vector<Case>& cases() {
  const json sgd{{"optimizer", "sgd"}, {"learning_rate", 0.02}};
  const auto cnn = [&](const json& more) {
    auto keys = sgd;
    keys.update(more);
    keys["model"] = "cnn";
    return keys;
  };
  const auto tokens = [](json keys) {
    keys.update({{"data", "synthetic-tokens"}, {"length", 24}, {"steps", 10}});
    return keys;
  };
  static const std::vector<Case> all{
      {"mlp_sgd", {{"optimizer", "sgd"}, {"learning_rate", 0.05}}, 1e-4},
      {"mlp_sgd_fused", {{"optimizer", "sgd"}, {"learning_rate", 0.05}, {"fused", true}}, 1e-4},
      {"mlp_sgd_bare", {{"optimizer", "sgd"}, {"learning_rate", 0.05}, {"momentum", 0}, {"weight_decay", 0}}, 1e-4},
      {"mlp_adam", {{"optimizer", "adam"}}, 1e-4},
      {"mlp_adam_fused", {{"optimizer", "adam"}, {"fused", true}}, 1e-4},
      {"mlp_adamw", {{"weight_decay", 0.1}}, 1e-4},
      {"mlp_adamw_fused", {{"weight_decay", 0.1}, {"fused", true}}, 1e-4},
      {"mlp_cosine", {{"schedule", "cosine"}}, 1e-4},
      {"mlp_one_cycle", {{"schedule", "one-cycle"}, {"learning_rate", 0.01}, {"warmup", 0}}, 1e-4},
      {"mlp_clip_smooth", {{"optimizer", "sgd"}, {"learning_rate", 0.1}, {"clip_norm", 0.5}, {"label_smoothing", 0.1}}, 1e-4},
      {"mlp_clip_value", {{"optimizer", "sgd"}, {"learning_rate", 0.1}, {"clip_value", 0.01}}, 1e-4},
      {"mlp_warmup_cosine", {{"schedule", "cosine"}, {"warmup_steps", 6}, {"learning_rate", 0.003}}, 1e-4},
      {"mlp_warmup", {{"warmup_steps", 6}, {"optimizer", "sgd"}, {"learning_rate", 0.05}}, 1e-4},
      {"mlp_kaiming", {{"init", "kaiming"}, {"optimizer", "sgd"}, {"learning_rate", 0.02}}, 1e-4},
      {"cnn_xavier", cnn({{"init", "xavier"}, {"learning_rate", 0.001}}), 2e-3},  // a rough start: roundings grow at higher rates
      {"mlp_orthogonal", {{"init", "orthogonal"}, {"optimizer", "sgd"}, {"learning_rate", 0.02}}, 1e-3},
      {"mlp_stats", {{"gradient_stats", 4}, {"optimizer", "sgd"}, {"learning_rate", 0.02}}, 1e-4},
      {"deep_mlp_batch", {{"model", "deep-mlp"}, {"depth", 6}, {"normalise", "batch"}, {"learning_rate", 1e-4}}, 1e-3},
      {"deep_mlp_shortcuts",
       {{"model", "deep-mlp"}, {"depth", 8}, {"residual", true}, {"activation", "tanh"}, {"learning_rate", 1e-4}},
       1e-3},
      {"mlp_workers", {{"workers", 2}, {"prefetch", 2}}, 1e-4},
      {"mlp_epochs", {{"data", "synthetic-images"}, {"batch", 1000}, {"learning_rate", 1e-4}}, 1e-4},
      {"mlp_epochs_drop_last",
       {{"data", "synthetic-images"}, {"batch", 1000}, {"learning_rate", 1e-4}, {"drop_last", true}, {"epochs", 3}},
       1e-4},
      {"mlp_bf16", {{"precision", "bf16"}, {"optimizer", "sgd"}, {"learning_rate", 0.02}}, 3e-2},
      // Four windows of five micro-batches, and one of four that the plan ends.
      {"mlp_accumulation", {{"accumulation", 5}, {"schedule", "cosine"}}, 1e-4},
      // An epoch of 4,096 samples ends with 96: the second window counts 2,096.
      {"mlp_accumulation_unequal",
       {{"data", "synthetic-images"}, {"batch", 1000}, {"accumulation", 3}, {"optimizer", "sgd"}, {"learning_rate", 0.02}},
       1e-4},
      {"mlp_fp16", {{"precision", "fp16"}, {"optimizer", "sgd"}, {"learning_rate", 0.02}, {"scaler_growth_interval", 5}}, 1e-2},
      {"mlp_fp16_accumulation",
       {{"precision", "fp16"}, {"accumulation", 2}, {"clip_norm", 0.5}, {"optimizer", "sgd"}, {"learning_rate", 0.02}},
       1e-2},
      // The first scales overflow: the same steps are left out on both sides, and the schedule waits.
      {"mlp_fp16_skips",
       {{"precision", "fp16"},
        {"scaler_initial_scale", 1e9},
        {"optimizer", "sgd"},
        {"learning_rate", 0.02},
        {"schedule", "cosine"}},
       1e-2},
      {"mlp_masters", {{"precision", "bf16"}, {"master_weights", true}, {"optimizer", "sgd"}, {"learning_rate", 0.02}}, 3e-2},
      {"mlp_bf16_pure", {{"precision", "bf16-pure"}, {"optimizer", "sgd"}, {"learning_rate", 0.02}}, 3e-2},
      {"cnn_fp8", cnn({{"precision", "fp8"}}), 5e-2},
      {"cnn_fp8_rows", cnn({{"precision", "fp8"}, {"fp8_scale", "row"}}), 5e-2},
      {"cnn_sgd", cnn({{"fused", false}}), 2e-3},
      {"cnn_synthetic", cnn({{"data", "synthetic-images"}, {"learning_rate", 0.005}}), 2e-3},
      {"cnn_channels_last", cnn({{"channels_last", true}}), 2e-3},
      {"cnn_bf16", cnn({{"precision", "bf16"}}), 5e-2},
      {"cnn_all", cnn({{"precision", "bf16"}, {"channels_last", true}, {"fused", true}, {"clip_norm", 1}}), 5e-2},
      // Its last layers normalise over single pixels: a last bit of the input grows a thousandfold in one large step.
      {"resnet18",
       {{"model", "resnet18"}, {"data", "synthetic-images"}, {"optimizer", "sgd"}, {"learning_rate", 1e-4}, {"steps", 6}},
       1e-2},
      {"resnet50",
       {{"model", "resnet50"},
        {"data", "synthetic-images"},
        {"optimizer", "sgd"},
        {"learning_rate", 2e-6},
        {"steps", 3},
        {"blocks", 1}},
       1e-2},
      {"lstm", tokens({{"model", "lstm"}, {"learning_rate", 0.01}}), 1e-4},
      {"lstm_workers", tokens({{"model", "lstm"}, {"optimizer", "sgd"}, {"learning_rate", 0.5}, {"workers", 2}}), 1e-4},
      {"transformer", tokens({{"model", "transformer"}}), 1e-3},
      {"transformer_checkpointing", tokens({{"model", "transformer"}, {"checkpointing", "every:2"}}), 1e-3},
      {"cnn_checkpointing", cnn({{"checkpointing", "auto"}}), 2e-3},
      {"transformer_fp8", tokens({{"model", "transformer"}, {"precision", "fp8"}}), 5e-2},
      {"decoder", tokens({{"model", "decoder"}, {"batch", 8}, {"label_smoothing", 0.1}}), 1e-3},
      {"decoder_accumulation", tokens({{"model", "decoder"}, {"batch", 4}, {"accumulation", 4}}), 1e-3}};
  return all;
}

wire::RunSpec specOf(const Case& one) {
  json keys{{"model", "mlp"}, {"device", "cpu"}, {"batch", 32}, {"steps", 22},      {"warmup", 2},
            {"blocks", 4},    {"threads", 2},    {"seed", 11},  {"evaluate", false}};
  keys.update(one.keys);
  return *wire::RunSpec::parse(*engineSchema(), keys);
}

struct Trace {
  std::vector<double> losses, rates;
};

Trace native(const wire::RunSpec& spec) {
  DataCache cache;
  const auto plan = makePlan(spec, cache);
  EXPECT_TRUE(plan.ok());
  Trainer trainer(*plan, installedMemory());
  Trace trace;
  for (std::int64_t step = 0; step < plan->warmup + plan->steps; ++step) {
    trace.losses.push_back(*trainer.step().loss);
    trace.rates.push_back(trainer.learningRate());
  }
  return trace;
}

// The events that a script says, one JSON object a line.
std::vector<json> run(const std::string& script, const std::string& arguments) {
  const auto file = fs::temp_directory_path() / ("atelier-script-" + std::to_string(getpid()) + ".py");
  std::ofstream(file) << script;
  std::string output;
  FILE* pipe = popen((std::string(ATELIER_PYTHON) + " -B " + file.string() + " " + arguments).c_str(), "r");
  if (!pipe) return {};
  char bytes[4096];
  while (const auto count = fread(bytes, 1, sizeof bytes, pipe)) output.append(bytes, count);
  EXPECT_EQ(pclose(pipe), 0);
  fs::remove(file);
  std::vector<json> events;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto event = wire::parseJson(line);
    EXPECT_TRUE(event && event->is_object() && event->contains("event")) << line;
    if (event) events.push_back(*event);
  }
  return events;
}

std::vector<json> ofKind(const std::vector<json>& events, const std::string& kind) {
  std::vector<json> found;
  for (const auto& event : events)
    if (event.value("event", "") == kind) found.push_back(event);
  return found;
}

}  // namespace

class ScriptParity : public testing::TestWithParam<std::size_t> {};

TEST_P(ScriptParity, LossesAndRatesAreTheNativeOnes) {
  const auto& one = cases()[GetParam()];
  std::string why;
  if (one.keys.value("data", "") == "synthetic-tokens" && !fixture::installedTokenizer(why)) GTEST_SKIP() << why;
  const auto spec = specOf(one);
  const auto ours = native(spec);
  const auto steps = ofKind(run(pytorchScript(spec), "--json --every-step"), "step");
  ASSERT_EQ(steps.size(), ours.losses.size());
  double worst = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double python = steps[i]["loss"], native = ours.losses[i];
    worst = std::max(worst, std::fabs(native - python) / std::max(0.05, std::fabs(native)));
    EXPECT_EQ(steps[i]["step"], i + 1);
    EXPECT_NEAR(steps[i]["learning_rate"].get<double>(), ours.rates[i], 1e-12) << "step " << i;
  }
  EXPECT_LE(worst, one.tolerance) << "largest relative difference";
  RecordProperty("worst", std::to_string(worst));
  EXPECT_NE(ours.losses.back(), ours.losses.front()) << "nothing was trained";
}

INSTANTIATE_TEST_SUITE_P(Python, ScriptParity, testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& info) { return cases()[info.param].name; });

TEST(ScriptRuns, BlocksEpochsAndSummaryAreWhatTheSpecAsksFor) {
  // Four steps an epoch, three a block, and twelve before the first: each block ends past another epoch.
  const auto spec = specOf({"",
                            {{"data", "synthetic-images"},
                             {"batch", 1024},
                             {"epochs", 3},
                             {"evaluate", true},
                             {"naive", true},
                             {"schedule", "one-cycle"}},
                            0});
  const auto events = run(pytorchScript(spec), "--json");
  const auto blocks = ofKind(events, "block"), epochs = ofKind(events, "epoch"), summaries = ofKind(events, "summary");
  EXPECT_EQ(ofKind(events, "start").size(), 1U);
  ASSERT_EQ(blocks.size(), 4U);
  for (const auto& block : blocks) EXPECT_EQ(block["steps"], 3);
  EXPECT_GE(epochs.size(), 2U) << "one between the blocks at least, and one at the end";
  for (const auto& epoch : epochs) EXPECT_EQ(epoch["samples"], 1024);
  ASSERT_EQ(summaries.size(), 1U);
  const auto& summary = summaries.front();
  EXPECT_GT(summary["samples_per_second"]["low"].get<double>(), 0);
  EXPECT_LE(summary["samples_per_second"]["low"], summary["samples_per_second"]["median"]);
  EXPECT_LE(summary["samples_per_second"]["median"], summary["samples_per_second"]["high"]);
  EXPECT_TRUE(summary["naive"].contains("reused_model"));
  EXPECT_GT(summary["accuracy"].get<double>(), 0.3) << "patterns are learnt in no time";
}

TEST(ScriptRuns, AccuracyIsTheNativeOne) {
  const auto spec = specOf(
      {"", {{"data", "synthetic-images"}, {"batch", 256}, {"steps", 8}, {"evaluate", true}, {"learning_rate", 1e-4}}, 0});
  DataCache cache;
  Trainer trainer(*makePlan(spec, cache), installedMemory());
  for (int step = 0; step < 10; ++step) trainer.step();
  const auto evaluation = trainer.evaluate([] { return true; }, Split::Test);
  ASSERT_TRUE(evaluation.has_value());
  const auto epochs = ofKind(run(pytorchScript(spec), "--json"), "epoch");
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_NEAR(epochs.front()["loss"].get<double>(), evaluation->loss, 1e-3 * evaluation->loss);
  EXPECT_NEAR(epochs.front()["accuracy"].get<double>(), evaluation->accuracy, 0.005);
}

TEST(ScriptRuns, TheAverageOfTheWeightsIsEvaluatedAsNatively) {
  const auto spec = specOf({"",
                            {{"data", "synthetic-images"},
                             {"batch", 256},
                             {"steps", 8},
                             {"evaluate", true},
                             {"learning_rate", 1e-4},
                             {"ema", 0.9}},
                            0});
  DataCache cache;
  Trainer trainer(*makePlan(spec, cache), installedMemory());
  for (int step = 0; step < 10; ++step) trainer.step();
  const auto evaluation = trainer.evaluate([] { return true; }, Split::Test);
  ASSERT_TRUE(evaluation.has_value());
  const auto epochs = ofKind(run(pytorchScript(spec), "--json"), "epoch");
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_NEAR(epochs.front()["loss"].get<double>(), evaluation->loss, 1e-3 * evaluation->loss);
  EXPECT_NEAR(epochs.front()["accuracy"].get<double>(), evaluation->accuracy, 0.005);
}

// Real sentences: the same ids in the same order, padded batches, the same split.
TEST(ScriptRuns, SentencesAreTheNativeOnes) {
  std::string why;
  if (!fixture::installedTokenizer(why)) GTEST_SKIP() << why;
  if (!fixture::sentencesInstalled()) GTEST_SKIP() << "the sentences are not installed";
  if (std::system((std::string(ATELIER_PYTHON) + " -c 'import tokenizers' 2> /dev/null").c_str()) != 0)
    GTEST_SKIP() << "Python's tokenizers are not installed";
  const auto spec = specOf({"",
                            {{"model", "lstm"},
                             {"data", "sentiment"},
                             {"length", 40},
                             {"steps", 8},
                             {"optimizer", "sgd"},
                             {"learning_rate", 0.5},
                             {"evaluate", true}},
                            0});
  DataCache cache;
  const auto plan = makePlan(spec, cache);
  ASSERT_TRUE(plan.ok()) << plan.error().messages.front().id;
  Trainer trainer(*plan, installedMemory());
  std::vector<double> ours;
  for (int step = 0; step < 10; ++step) ours.push_back(*trainer.step().loss);
  const auto evaluation = trainer.evaluate([] { return true; }, Split::Test);
  ASSERT_TRUE(evaluation.has_value());
  const auto events = run(pytorchScript(spec), "--json --every-step");
  const auto steps = ofKind(events, "step"), epochs = ofKind(events, "epoch");
  ASSERT_EQ(steps.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(steps[i]["loss"].get<double>(), ours[i], 1e-4) << "step " << i;
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_EQ(epochs.front()["samples"], evaluation->samples);
  EXPECT_NEAR(epochs.front()["loss"].get<double>(), evaluation->loss, 1e-3);
  EXPECT_NEAR(epochs.front()["accuracy"].get<double>(), evaluation->accuracy, 0.005);
}

// Each position foretells the next token: what is counted are tokens, not samples.
TEST(ScriptRuns, ALanguageModelIsJudgedByItsTokens) {
  const auto spec = specOf(
      {"",
       {{"model", "decoder"}, {"data", "synthetic-tokens"}, {"length", 16}, {"batch", 8}, {"steps", 4}, {"evaluate", true}},
       0});
  DataCache cache;
  const auto plan = makePlan(spec, cache);
  if (!plan.ok()) GTEST_SKIP() << plan.error().messages.front().id;
  Trainer trainer(*plan, installedMemory());
  for (int step = 0; step < 6; ++step) trainer.step();
  const auto evaluation = trainer.evaluate([] { return true; }, Split::Test);
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_EQ(evaluation->samples, 1024 * 15);
  const auto epochs = ofKind(run(pytorchScript(spec), "--json"), "epoch");
  ASSERT_EQ(epochs.size(), 1U);
  EXPECT_EQ(epochs.front()["samples"], evaluation->samples);
  EXPECT_NEAR(epochs.front()["loss"].get<double>(), evaluation->loss, 1e-3 * evaluation->loss);
  EXPECT_NEAR(epochs.front()["accuracy"].get<double>(), evaluation->accuracy, 0.005);
}

TEST(ScriptRuns, ADivergedLossIsSaidInValidJson) {
  const auto spec =
      specOf({"", {{"data", "synthetic-images"}, {"optimizer", "sgd"}, {"learning_rate", 1000}, {"steps", 100}}, 0});
  const auto blocks = ofKind(run(pytorchScript(spec), "--json"), "block");
  ASSERT_EQ(blocks.size(), 4U);
  const auto loss = wire::getNumber(blocks.back(), "loss");
  ASSERT_TRUE(loss.has_value());
  EXPECT_FALSE(std::isfinite(*loss));
}

TEST(ScriptRuns, AForwardOnlyScriptMeasures) {
  const auto spec = specOf({"", {{"data", "synthetic-images"}, {"mode", "infer"}, {"precision", "bf16"}, {"model", "cnn"}}, 0});
  const auto events = run(pytorchScript(spec), "--json");
  EXPECT_EQ(ofKind(events, "block").size(), 4U);
  EXPECT_EQ(ofKind(events, "summary").size(), 1U);
  for (const auto& step : ofKind(events, "step")) EXPECT_FALSE(step.contains("loss"));
}

TEST(ScriptRuns, APersonGetsATable) {
  const auto spec = specOf({"", {{"data", "synthetic-images"}, {"evaluate", true}}, 0});
  const auto file = fs::temp_directory_path() / ("atelier-table-" + std::to_string(getpid()) + ".py");
  std::ofstream(file) << pytorchScript(spec);
  std::string output;
  FILE* pipe = popen((std::string(ATELIER_PYTHON) + " -B " + file.string()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char bytes[4096];
  while (const auto count = fread(bytes, 1, sizeof bytes, pipe)) output.append(bytes, count);
  EXPECT_EQ(pclose(pipe), 0);
  fs::remove(file);
  for (const char* part : {"block  samples/s", "95 % interval", "milliseconds a step", "resident memory", "accuracy"})
    EXPECT_NE(output.find(part), std::string::npos) << part << " is not in\n" << output;
}

}  // namespace atelier::engine
