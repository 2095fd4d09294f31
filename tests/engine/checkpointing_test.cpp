// Checkpointing in models and whole training steps; the segments themselves are tested in recompute_test.cpp.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/models/bert.h"
#include "core/engine/module/series.h"
#include "core/engine/profile/watch.h"
#include "core/engine/techniques/technique.h"
#include "listened.h"
#include "token_models.h"

namespace atelier::engine {
namespace {

using nlohmann::json;
using Tensors = std::vector<at::Tensor>;

wire::Result<wire::RunSpec> parsed(const json& keys) {
  return wire::RunSpec::parse(*engineSchema(), keys);
}

// The technique does its work on the model; what it says of it is returned.
std::vector<wire::Message> checkpoint(Module& model, const json& keys) {
  const auto spec = *parsed(keys);
  std::vector<wire::Message> notices;
  const Say say;
  for (const auto& unit : allTechniques())
    if (unit.id == "checkpointing")
      if (const auto technique = unit.make({spec, at::kCPU, notices, say})) technique->prepareModel(model);
  return notices;
}

struct Case {
  std::string name;
  std::shared_ptr<Module> (*build)();
  at::Tensor (*input)();
  std::size_t blocks;
};

std::shared_ptr<Module> built(const json& keys) {
  const auto spec = *parsed(keys);
  auto model = findModelUnit(spec.text("model"))->build({InputShape{1, 28, 28, 10}, spec, nullptr});
  model->bind();
  return model;
}

std::shared_ptr<Module> tinyBert(const std::string& family) {
  pretrained::BertConfig config;
  config.family = family;
  config.vocabulary = 40;
  config.hidden = 24;
  config.layers = 5;
  config.heads = 3;
  config.intermediate = 40;
  config.positions = 12;
  config.types = family == "bert" ? 2 : 0;
  auto model = std::make_shared<Bert>(config, 2);
  model->bind();
  return model;
}

at::Tensor sentences() {
  return tokenIds({{5, 7, 9, 4, 3}, {8, 11}, {6, 6, 12}});
}
at::Tensor pictures() {
  return at::randn({6, 1, 28, 28});
}

// Every model that has blocks; BERT and DistilBERT with dropout, the convolutional ones and the MLPs with batch norms.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"transformer", [] { return builtModel("transformer", smallTokens()); }, sentences, 4},
      {"decoder", [] { return builtModel("decoder", smallTokens()); }, sentences, 4},
      {"bert", [] { return tinyBert("bert"); }, sentences, 5},
      {"distilbert", [] { return tinyBert("distilbert"); }, sentences, 5},
      {"cnn", [] { return built({{"model", "cnn"}}); }, pictures, 2},
      {"resnet18", [] { return built({{"model", "resnet18"}}); }, pictures, 8},
      {"resnet50", [] { return built({{"model", "resnet50"}}); }, pictures, 16},
      {"deep-mlp", [] { return built({{"model", "deep-mlp"}, {"depth", 6}, {"normalise", "batch"}}); }, pictures, 5},
      {"deep-mlp, bare", [] { return built({{"model", "deep-mlp"}, {"depth", 6}, {"residual", true}}); }, pictures, 5}};
  return all;
}

// Output, gradients and buffers after two micro-batches of a fresh model; "off": as it is.
Tensors outcome(const Case& one, const std::string& asked) {
  at::manual_seed(3);
  const auto model = one.build();
  checkpoint(*model, {{"checkpointing", asked}});
  at::manual_seed(4);
  Tensors all;
  for (int batch = 0; batch < 2; ++batch) {
    auto output = (*model)(one.input());
    output.square().mean().backward();
    all.push_back(output.detach());
  }
  for (const auto& parameter : model->parameters()) all.push_back(parameter.grad());
  for (const auto& buffer : model->buffers()) all.push_back(buffer);
  return all;
}

void expectEqual(const Tensors& got, const Tensors& wanted, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].defined(), wanted[i].defined()) << what << ", tensor " << i;
    if (got[i].defined()) {
      EXPECT_TRUE(at::equal(got[i], wanted[i])) << what << ", tensor " << i;
    }
  }
}

json with(json base, const json& more) {
  base.update(more);
  return base;
}

const json kTransformer{{"model", "transformer"}, {"data", "synthetic-tokens"}, {"length", 16}, {"batch", 4}};

// Weights and buffers after some steps.
Tensors trained(const json& keys, int steps) {
  Listened run(keys);
  run.steps(steps);
  Tensors all;
  for (const auto& parameter : run.trainer.model().parameters()) all.push_back(parameter.detach().clone());
  for (const auto& buffer : run.trainer.model().buffers()) all.push_back(buffer.clone());
  profiled::withoutBudget();
  return all;
}

// Activations of some 140 MB beside 40 MB of weights and gradients.
const json kLarge{{"model", "transformer"}, {"data", "synthetic-tokens"}, {"length", 128},      {"batch", 32},
                  {"optimizer", "sgd"},     {"momentum", 0.0},            {"warmup", 0}};

// The highest total of two steps after the first two.
std::int64_t laterPeak(Listened& run) {
  run.steps(2);
  run.trainer.memory().startWatermark();
  run.steps(2);
  return run.trainer.memory().watermark();
}

std::int64_t peakOf(const json& more) {
  Listened run(with(kLarge, more));
  const auto peak = laterPeak(run);
  profiled::withoutBudget();
  return peak;
}

std::string firstId(const std::vector<wire::Message>& notices) {
  return notices.empty() ? "" : notices.front().id;
}

}  // namespace

TEST(Checkpointing, GradientsAndBuffersAreEqualToTheBitInEveryModel) {
  for (const auto& one : cases()) {
    const auto plain = outcome(one, "off");
    for (const char* asked : {"every:1", "every:2", "every:3", "every:100", "auto"})
      expectEqual(outcome(one, asked), plain, one.name + " " + asked);
  }
}

TEST(Checkpointing, FindsTheBlocksOfEveryModel) {
  for (const auto& one : cases()) {
    const auto model = one.build();
    std::size_t blocks = 0;
    for (const auto& row : blockRows(*model)) {
      EXPECT_EQ(row.number, blocks) << one.name;
      blocks += row.count;
    }
    EXPECT_EQ(blocks, one.blocks) << one.name;
    EXPECT_EQ(blockRows(*model).size(), one.name.starts_with("resnet") ? 4U : 1U) << one.name;
  }
}

TEST(Checkpointing, BlocksRunAgainInBackwardOnce) {
  const auto model = builtModel("transformer", smallTokens());
  checkpoint(*model, {{"checkpointing", "every:2"}});
  std::map<std::string, int> first, again;
  model->hooks().after.push_back([&](Module& module, const at::Tensor&, at::Tensor&) {
    if (module.kind() == "TransformerEncoderLayer") ++(recomputing() ? again : first)[module.path()];
  });
  const auto output = (*model)(sentences());
  EXPECT_TRUE(again.empty());
  EXPECT_EQ(first.size(), 4U);
  output.sum().backward();
  EXPECT_EQ(again, first);
  EXPECT_EQ(again["layers.3"], 1);
  const at::NoGradGuard noGrad;
  (*model)(sentences());
  EXPECT_EQ(first["layers.0"], 2);
  EXPECT_EQ(again["layers.0"], 1);
}

TEST(Checkpointing, TrainingIsEqualToTheBit) {
  const std::vector<json> runs{
      kTransformer,
      with(kTransformer, {{"precision", "bf16"}}),
      with(kTransformer, {{"precision", "bf16-pure"}}),
      with(kTransformer, {{"precision", "fp8"}}),
      with(kTransformer, {{"accumulation", 3}}),
      with(kTransformer, {{"freeze", "backbone"}}),
      with(kTransformer, {{"attention", "math"}, {"fused", true}, {"clip_norm", 0.5}}),
      with(kTransformer, {{"inject", "exploding-gradient"}}),
      with(kTransformer, {{"watch", 2}, {"ema", 0.9}}),
      with(kTransformer, {{"model", "decoder"}}),
      {{"model", "cnn"}},
      {{"model", "cnn"}, {"precision", "bf16"}, {"channels_last", true}, {"accumulation", 2}},
      {{"model", "deep-mlp"}, {"normalise", "batch"}}};
  for (const auto& keys : runs)
    expectEqual(trained(with(keys, {{"checkpointing", "every:1"}}), 4), trained(keys, 4), keys.dump());
}

// The embedding is frozen: nothing that the first block takes wants a gradient.
TEST(Checkpointing, BlocksBehindAFrozenEmbeddingLearn) {
  Tensors wanted;
  for (const char* asked : {"off", "every:1"}) {
    const auto model = builtModel("transformer", smallTokens());
    for (auto& parameter : model->named_parameters())
      if (parameter.key().starts_with("embedding")) parameter.value().requires_grad_(false);
    checkpoint(*model, {{"checkpointing", asked}});
    (*model)(sentences()).square().sum().backward();
    Tensors gradients;
    for (const auto& parameter : model->parameters()) gradients.push_back(parameter.grad());
    if (!wanted.empty()) expectEqual(gradients, wanted, asked);
    wanted = gradients;
    EXPECT_FALSE(gradients[0].defined());
    EXPECT_GT(model->named_parameters()["layers.0.linear1.weight"].grad().abs().sum().item<double>(), 0);
  }
}

TEST(Checkpointing, SavesHalfOfTheActivationsOfTheTransformer) {
  Listened plain(with(kLarge, {{"checkpointing", "off"}}));
  const auto plainPeak = laterPeak(plain);
  const auto composition = plain.trainer.memory().peak();
  profiled::withoutBudget();
  Listened saving(with(kLarge, {{"checkpointing", "every:1"}}));
  const auto savingPeak = laterPeak(saving);
  profiled::withoutBudget();
  EXPECT_GT(composition.activations, 100 << 20);
  EXPECT_LE(saving.trainer.memory().peak().activations, composition.activations / 2);
  EXPECT_GE(plainPeak - savingPeak, composition.activations / 2);
}

TEST(Checkpointing, ARunThatIsTooLargeTrainsWithItAndFailsPlainlyWithout) {
  const auto plain = peakOf({{"checkpointing", "off"}}), lowest = peakOf({{"checkpointing", "every:1"}});
  ASSERT_LT(lowest, plain);
  const auto budget = (plain + lowest) / 2;
  for (const char* asked : {"every:1", "auto"}) {
    Listened run(with(kLarge, {{"checkpointing", asked}, {"memory_budget", budget}}));
    EXPECT_NO_THROW(run.steps(4)) << asked;
    profiled::withoutBudget();
  }
  Listened run(with(kLarge, {{"memory_budget", budget}}));
  EXPECT_THROW(run.steps(4), c10::OutOfMemoryError);
  profiled::withoutBudget();
}

TEST(Checkpointing, AutoRecomputesTheFewestBlocksThatFit) {
  const auto plain = peakOf({{"checkpointing", "off"}}), lowest = peakOf({{"checkpointing", "every:1"}});
  std::int64_t before = 5;
  for (const double share : {0.1, 0.35, 0.65, 1.1}) {
    const auto budget = lowest + static_cast<std::int64_t>(share * static_cast<double>(plain - lowest));
    Listened run(with(kLarge, {{"checkpointing", "auto"}, {"memory_budget", budget}}));
    const auto peak = laterPeak(run);
    profiled::withoutBudget();
    EXPECT_LE(peak, budget);
    const auto notices = run.said<wire::Noticed>();
    ASSERT_EQ(notices.size(), 1U);
    const auto& chosen = notices.front().message;
    ASSERT_EQ(chosen.id, "checkpointing.chosen");
    EXPECT_EQ(argument(chosen, "blocks"), "4");
    const auto recomputed = std::stoll(argument(chosen, "recomputed"));
    EXPECT_LE(recomputed, before) << "more room, and more blocks recomputed";
    EXPECT_LT(recomputed, 4) << "the last block's activations cost nothing";
    before = recomputed;
    const auto predicted = std::stoll(argument(chosen, "peak")) << 20;
    EXPECT_LE(peak, predicted + (1 << 20));
    EXPECT_GE(static_cast<double>(peak), 0.85 * static_cast<double>(predicted)) << share;
  }
  EXPECT_EQ(before, 0) << "all that is asked for fits";
}

TEST(Checkpointing, AutoMeasuresALargerBatchAnew) {
  Listened run(with(kTransformer, {{"checkpointing", "auto"}, {"memory_budget", "1GiB"}}));
  run.steps(2);
  EXPECT_EQ(run.noticed(), (std::vector<std::string>{"checkpointing.chosen"}));
  const auto spec = run.trainer.plan().spec;
  std::vector<wire::Message> notices;
  std::vector<wire::EventBody> events;
  const Say say = [&](wire::EventBody body) { events.push_back(std::move(body)); };
  std::unique_ptr<Technique> technique;
  for (const auto& unit : allTechniques())
    if (unit.id == "checkpointing") technique = unit.make({spec, at::kCPU, notices, say});
  ASSERT_NE(technique, nullptr);
  const auto model = builtModel("transformer", smallTokens());
  technique->prepareModel(*model);
  Tensors parameters;
  StepState state{parameters};
  const auto step = [&](std::int64_t rows) {
    Batch batch{at::full({rows, 8}, 5, at::kLong), at::zeros({rows}, at::kLong)};
    technique->prepareBatch(batch);
    (*model)(batch.input).sum().backward();
    technique->afterStep(state);
    return events.size();
  };
  EXPECT_EQ(step(2), 1U);
  EXPECT_EQ(step(2), 1U) << "as large as before";
  EXPECT_EQ(step(1), 1U);
  EXPECT_EQ(step(3), 2U);
  state.window_end = false;
  EXPECT_EQ(step(4), 2U) << "the window's gradients are not all there";
  state.window_end = true;
  EXPECT_EQ(step(1), 3U);
  profiled::withoutBudget();
}

TEST(Checkpointing, SaysWhatItDoes) {
  const auto transformer = [] { return builtModel("transformer", smallTokens()); };
  auto notices = checkpoint(*transformer(), {{"checkpointing", "every:3"}});
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0], (wire::Message{"checkpointing.every", {{"blocks", "4"}, {"segments", "2"}}}));
  notices = checkpoint(*transformer(), {{"checkpointing", "auto"}});
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0], (wire::Message{"checkpointing.square_root", {{"blocks", "4"}, {"segments", "2"}}}));
  EXPECT_EQ(firstId(checkpoint(*transformer(), {{"checkpointing", "every:4"}})), "checkpointing.one_segment");
  EXPECT_EQ(firstId(checkpoint(*transformer(), {{"checkpointing", "every:1"}, {"mode", "infer"}})),
            "checkpointing.no_backward");
  EXPECT_TRUE(checkpoint(*transformer(), {{"checkpointing", "off"}}).empty());
  EXPECT_EQ(firstId(checkpoint(*builtModel("lstm", smallTokens()), {{"checkpointing", "every:1"}, {"model", "lstm"}})),
            "checkpointing.no_blocks");
  EXPECT_EQ(firstId(checkpoint(*built({{"model", "mlp"}}), {{"checkpointing", "auto"}, {"model", "mlp"}})),
            "checkpointing.no_blocks");
  const auto frozen = transformer();
  for (auto& parameter : frozen->parameters()) parameter.requires_grad_(false);
  EXPECT_EQ(firstId(checkpoint(*frozen, {{"checkpointing", "every:1"}})), "checkpointing.frozen");
}

TEST(Checkpointing, SegmentsOfNoBlocksAreRefused) {
  for (const char* asked : {"every:0", "every:-1", "every:two", "every:1.5", "every:99999999999999999999", "every: 2"}) {
    const auto valid = validate(*parsed({{"checkpointing", asked}, {"device", "cpu"}}));
    ASSERT_FALSE(valid.ok()) << asked;
    EXPECT_EQ(valid.error().code, wire::ExitCode::Usage);
    EXPECT_EQ(valid.error().messages.front().id, "checkpointing.bad_segment");
  }
  EXPECT_FALSE(parsed({{"checkpointing", "every:"}}).ok());
  EXPECT_FALSE(parsed({{"checkpointing", "on"}}).ok());
  EXPECT_TRUE(validate(*parsed({{"checkpointing", "every:7"}, {"device", "cpu"}})).ok());
}

TEST(Checkpointing, WhoLooksAtTheModelSeesEveryModuleOnce) {
  std::vector<wire::Health> seen;
  for (const char* asked : {"off", "every:2"}) {
    const auto model = builtModel("transformer", smallTokens());
    checkpoint(*model, {{"checkpointing", asked}});
    Watch watch(*model, false);
    watch.begin(0);
    (*model)(sentences()).square().sum().backward();
    seen.push_back(watch.end());
  }
  const auto rows = [](const std::vector<wire::TensorStats>& all) {
    std::map<std::string, std::pair<std::int64_t, double>> byModule;
    for (const auto& stats : all) byModule[stats.module] = {stats.count, stats.mean};
    return byModule;
  };
  EXPECT_GT(seen[0].activations.size(), 30U);
  EXPECT_EQ(rows(seen[1].activations), rows(seen[0].activations));
  EXPECT_EQ(rows(seen[1].gradients), rows(seen[0].gradients));
  EXPECT_EQ(rows(seen[1].parameters), rows(seen[0].parameters));
}

TEST(Checkpointing, AProfileShowsARecomputationAsPartOfBackward) {
  auto trainer = profiled::trainerOf({{"checkpointing", "every:1"}});
  const auto trace = profiled::profile(trainer).trace;
  const auto steps = profiled::eventsOf(trace, trace::Kind::Step).size();
  const auto again = profiled::eventsOf(trace, "recompute");
  EXPECT_EQ(again.size(), 2 * steps);
  for (const auto* event : again) EXPECT_EQ(event->stage, trace::Stage::Backward);
  std::map<bool, std::size_t> calls;  // of the first block; true: in backward
  for (const auto* event : profiled::eventsOf(trace, trace::Kind::Module))
    if (trace.modules[static_cast<std::size_t>(event->module)].path == "0") ++calls[event->backward];
  EXPECT_EQ(calls[false], steps);
  EXPECT_EQ(calls[true], steps);
  profiled::expectMemoryIsTheAccounts(trace, trainer);
}

}  // namespace atelier::engine
