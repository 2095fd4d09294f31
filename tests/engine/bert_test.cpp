#include "core/engine/models/bert.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "token_models.h"

namespace atelier::engine {
namespace {

namespace fs = std::filesystem;

pretrained::BertConfig tinyConfig(const std::string& family) {
  pretrained::BertConfig config;
  config.family = family;
  config.vocabulary = 50;
  config.hidden = 24;
  config.layers = 2;
  config.heads = 3;
  config.intermediate = 40;
  config.positions = 12;
  config.types = family == "bert" ? 2 : 0;
  return config;
}

std::shared_ptr<Bert> tinyBert(const std::string& family, std::uint64_t seed = 5) {
  at::manual_seed(seed);
  auto model = std::make_shared<Bert>(tinyConfig(family), 2);
  model->bind();
  model->eval();
  return model;
}

const std::vector<std::vector<std::int64_t>> kSentences{{2, 7, 9, 3}, {2, 11, 3}, {2, 7, 9, 30, 41, 8, 3}};

struct Stored {
  std::string name;
  at::Tensor values;
};

const char* dtypeName(at::ScalarType type) {
  if (type == at::kHalf) return "F16";
  if (type == at::kBFloat16) return "BF16";
  if (type == at::kLong) return "I64";
  return type == at::kDouble ? "F64" : "F32";
}

class Folder {
 public:
  Folder() : m_path(fs::temp_directory_path() / ("atelier-bert-test-" + std::to_string(getpid()))) {
    fs::create_directories(m_path);
  }
  ~Folder() { fs::remove_all(m_path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // A safetensors file, its data at an odd offset.
  std::shared_ptr<const pretrained::SafetensorsFile> write(const std::vector<Stored>& tensors) {
    nlohmann::json header = nlohmann::json::object();
    std::size_t at = 0;
    for (const auto& [name, values] : tensors) {
      const auto end = at + values.nbytes();
      header[name] = {{"dtype", dtypeName(values.scalar_type())}, {"shape", values.sizes().vec()}, {"data_offsets", {at, end}}};
      at = end;
    }
    auto text = header.dump();
    if (text.size() % 2 == 0) text += ' ';
    const auto file = m_path / (std::to_string(m_files++) + ".safetensors");
    std::ofstream out(file, std::ios::binary);
    const auto size = static_cast<std::uint64_t>(text.size());
    out.write(reinterpret_cast<const char*>(&size), sizeof size) << text;
    for (const auto& [name, values] : tensors)
      out.write(static_cast<const char*>(values.contiguous().const_data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    out.close();
    const auto opened = pretrained::SafetensorsFile::open(file);
    EXPECT_TRUE(opened.ok());
    return opened.ok() ? *opened : nullptr;
  }

 private:
  fs::path m_path;
  int m_files = 0;
};

std::vector<Stored> storedOf(const Module& model, const std::string& prefix, at::ScalarType type = at::kFloat) {
  std::vector<Stored> all;
  for (const auto& item : model.named_parameters())
    if (!item.key().starts_with("classifier.")) all.push_back({prefix + item.key(), item.value().detach().to(type)});
  return all;
}

at::Tensor embedded(Bert& model) {
  const at::NoGradGuard noGrad;
  return model.embed(tokenIds(kSentences));
}

std::string argument(const wire::Status& status, const std::string& name) {
  if (!status.ok())
    for (const auto& [key, value] : status.error().messages.front().args)
      if (key == name) return value;
  return "";
}

}  // namespace

class EachFamily : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bert, EachFamily, testing::Values("bert", "distilbert"));

TEST(Bert, NamesAreThoseOfTransformers) {
  const std::vector<std::string> bert{"embeddings.word_embeddings.weight",
                                      "embeddings.token_type_embeddings.weight",
                                      "embeddings.LayerNorm.bias",
                                      "encoder.layer.0.attention.self.query.weight",
                                      "encoder.layer.0.attention.self.value.bias",
                                      "encoder.layer.1.attention.output.dense.weight",
                                      "encoder.layer.1.attention.output.LayerNorm.weight",
                                      "encoder.layer.1.intermediate.dense.bias",
                                      "encoder.layer.1.output.LayerNorm.bias",
                                      "classifier.weight"};
  const std::vector<std::string> distilled{
      "embeddings.position_embeddings.weight",      "transformer.layer.0.attention.q_lin.weight",
      "transformer.layer.0.attention.out_lin.bias", "transformer.layer.1.sa_layer_norm.weight",
      "transformer.layer.1.ffn.lin1.weight",        "transformer.layer.1.ffn.lin2.bias",
      "transformer.layer.1.output_layer_norm.bias", "classifier.bias"};
  const auto one = tinyBert("bert")->named_parameters(), two = tinyBert("distilbert")->named_parameters();
  for (const auto& name : bert) EXPECT_TRUE(one.contains(name)) << name;
  for (const auto& name : distilled) EXPECT_TRUE(two.contains(name)) << name;
  EXPECT_EQ(one.size(), 5U + 2U * 16U + 2U);
  EXPECT_EQ(two.size(), 4U + 2U * 16U + 2U);
}

TEST_P(EachFamily, HooksSeeTheFamiliarPaths) {
  const auto model = tinyBert(GetParam());
  std::set<std::string> paths;
  model->hooks().after.push_back([&](Module& module, const at::Tensor&, at::Tensor&) { paths.insert(module.path()); });
  (*model)(tokenIds(kSentences));
  const bool bert = GetParam() == "bert";
  EXPECT_TRUE(paths.contains(bert ? "encoder.layer.1.attention.self.query" : "transformer.layer.1.attention.q_lin"));
  EXPECT_TRUE(paths.contains(bert ? "encoder.layer.0.attention.output" : "transformer.layer.0.ffn"));
  EXPECT_TRUE(paths.contains("embeddings.word_embeddings"));
}

TEST_P(EachFamily, ASentenceAloneIsTheSameAsInAPaddedBatch) {
  const auto model = tinyBert(GetParam());
  for (const bool graph : {false, true}) {
    const at::AutoGradMode mode(graph);
    const auto together = model->embed(tokenIds(kSentences));
    ASSERT_EQ(together.sizes(), at::IntArrayRef({3, 24}));
    for (std::size_t i = 0; i < kSentences.size(); ++i) {
      const auto alone = model->embed(tokenIds({kSentences[i]}));
      EXPECT_TRUE(at::allclose(alone[0], together[static_cast<std::int64_t>(i)], 0, 1e-5)) << "sentence " << i;
    }
  }
}

// Without gradients weights are packed and memory is used again; neither may be seen in the numbers.
TEST_P(EachFamily, WithAndWithoutGradientsTheNumbersAreTheSame) {
  const auto model = tinyBert(GetParam());
  const auto ids = tokenIds(kSentences);
  const auto with = (*model)(ids);
  const at::NoGradGuard noGrad;
  EXPECT_TRUE(at::allclose((*model)(ids), with, 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose((*model)(ids), with, 1e-5, 1e-6)) << "the second time";
}

TEST_P(EachFamily, LearnsOneBatchAndEvaluatesWhatItLearned) {
  const auto model = tinyBert(GetParam());
  const auto ids = tokenIds(kSentences);
  const auto target = at::tensor({0, 1, 0}, at::kLong);
  double first = 0, last = 0;
  for (int step = 0; step < 150; ++step) {
    model->train();
    const auto loss = at::cross_entropy_loss((*model)(ids), target);
    loss.backward();
    {
      const at::NoGradGuard noGrad;
      for (auto& parameter : trainableParameters(*model)) {
        parameter.sub_(parameter.grad(), 0.05);
        parameter.mutable_grad().reset();
      }
    }
    model->eval();
    const at::NoGradGuard noGrad;
    (step == 0 ? first : last) = at::cross_entropy_loss((*model)(ids), target).item<double>();
  }
  EXPECT_LT(last, 0.3 * first);
}

TEST_P(EachFamily, ASequenceBeyondThePositionsIsRefusedWithBothLengths) {
  const auto model = tinyBert(GetParam());
  EXPECT_EQ(model->embed(at::ones({1, 12}, at::kLong)).size(1), 24);
  try {
    model->embed(at::ones({1, 13}, at::kLong));
    FAIL() << "13 tokens were taken";
  } catch (const c10::Error& error) {
    const std::string said = error.what_without_backtrace();
    EXPECT_NE(said.find("13"), std::string::npos) << said;
    EXPECT_NE(said.find("12"), std::string::npos) << said;
  }
  EXPECT_THROW(model->embed(at::ones({12}, at::kLong)), c10::Error);
  EXPECT_THROW(model->embed(at::ones({2, 0}, at::kLong)), c10::Error);
}

TEST_P(EachFamily, WeightsLoadByNameInEveryTypeAndUnderEveryPrefix) {
  Folder folder;
  const auto model = tinyBert(GetParam());
  struct Case {
    std::string prefix;
    at::ScalarType type;
    double tolerance;
  };
  for (const auto& [prefix, type, tolerance] : std::vector<Case>{{"", at::kFloat, 0},
                                                                 {GetParam() + ".", at::kFloat, 0},
                                                                 {"", at::kDouble, 0},
                                                                 {GetParam() + ".", at::kHalf, 1e-2},
                                                                 {"", at::kBFloat16, 5e-2}}) {
    auto tensors = storedOf(*model, prefix, type);
    tensors.push_back({"pooler.dense.weight", at::zeros({24, 24})});
    tensors.push_back({"embeddings.position_ids", at::arange(12, at::kLong)});
    auto loaded = std::make_shared<Bert>(tinyConfig(GetParam()), 2, Init::Skip);
    loaded->eval();
    const auto status = loadWeights(*loaded, *folder.write(tensors));
    ASSERT_TRUE(status.ok()) << status.error().messages.front().id;
    EXPECT_TRUE(at::allclose(embedded(*loaded), embedded(*model), 0, tolerance)) << prefix << dtypeName(type);
    for (const auto& parameter : loaded->parameters()) EXPECT_EQ(parameter.scalar_type(), at::kFloat);
  }
}

// Large tensors are pages of the file until somebody writes to them.
TEST(BertWeights, TrainingOneModelChangesNeitherTheFileNorAnother) {
  Folder folder;
  auto config = tinyConfig("bert");
  config.vocabulary = 4000;  // × 24 floats: large enough to be mapped
  const auto source = std::make_shared<Bert>(config, 2, Init::Draw);
  const auto file = folder.write(storedOf(*source, ""));
  std::vector<std::shared_ptr<Bert>> models;
  for (int i = 0; i < 2; ++i) {
    models.push_back(std::make_shared<Bert>(config, 2, Init::Skip));
    ASSERT_TRUE(loadWeights(*models.back(), *file).ok());
  }
  const auto words = [](Bert& model) { return model.named_parameters()["embeddings.word_embeddings.weight"]; };
  EXPECT_TRUE(words(*models[0]).requires_grad());
  EXPECT_TRUE(at::equal(words(*models[0]), words(*source)));
  {
    const at::NoGradGuard noGrad;
    words(*models[0]).add_(1);
  }
  EXPECT_TRUE(at::equal(words(*models[0]), words(*source) + 1));
  EXPECT_TRUE(at::equal(words(*models[1]), words(*source)));
  auto again = std::make_shared<Bert>(config, 2, Init::Skip);
  ASSERT_TRUE(loadWeights(*again, *file).ok());
  EXPECT_TRUE(at::equal(words(*again), words(*source)));
}

// As files that came from TensorFlow name the norms.
TEST(BertWeights, OldNamesOfNormsAreKnown) {
  Folder folder;
  const auto model = tinyBert("bert");
  model->named_parameters()["embeddings.LayerNorm.bias"].set_data(at::randn({24}));
  auto tensors = storedOf(*model, "bert.");
  for (auto& tensor : tensors) {
    const auto norm = tensor.name.find("LayerNorm.");
    if (norm == std::string::npos) continue;
    const char* old = tensor.name.ends_with("bias") ? "LayerNorm.beta" : "LayerNorm.gamma";
    tensor.name = tensor.name.substr(0, norm) + old;
  }
  auto loaded = std::make_shared<Bert>(tinyConfig("bert"), 2, Init::Skip);
  loaded->eval();
  ASSERT_TRUE(loadWeights(*loaded, *folder.write(tensors)).ok());
  EXPECT_TRUE(at::equal(embedded(*loaded), embedded(*model)));
}

TEST(BertWeights, WhatDoesNotFitIsNamedAndNothingIsWritten) {
  Folder folder;
  const auto model = tinyBert("bert");
  const auto before = embedded(*model);
  const std::string name = "encoder.layer.1.output.dense.weight";
  const auto without = [&](const at::Tensor& instead) {
    auto tensors = storedOf(*tinyBert("bert", 77), "");
    std::erase_if(tensors, [&](const Stored& tensor) { return tensor.name == name; });
    if (instead.defined()) tensors.push_back({name, instead});
    return loadWeights(*model, *folder.write(tensors));
  };
  const auto missing = without({});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().messages.front().id, "weights.missing_tensor");
  EXPECT_EQ(argument(missing, "tensor"), name);
  const auto transposed = without(at::zeros({40, 24}));
  ASSERT_FALSE(transposed.ok());
  EXPECT_EQ(transposed.error().messages.front().id, "weights.shape");
  EXPECT_EQ(argument(transposed, "wanted"), "[24, 40]");
  EXPECT_EQ(argument(transposed, "got"), "[40, 24]");
  const auto integers = without(at::zeros({24, 40}, at::kLong));
  ASSERT_FALSE(integers.ok());
  EXPECT_EQ(integers.error().messages.front().id, "weights.dtype");
  EXPECT_TRUE(at::equal(embedded(*model), before));
}

// The copy of the weights that the first sentences made must not serve the second.
TEST(BertWeights, LoadingIntoAModelThatHasRunIsSeen) {
  Folder folder;
  const auto model = tinyBert("distilbert"), other = tinyBert("distilbert", 77);
  const auto before = embedded(*model);
  ASSERT_TRUE(loadWeights(*model, *folder.write(storedOf(*other, ""))).ok());
  const auto after = embedded(*model);
  EXPECT_FALSE(at::allclose(after, before));
  EXPECT_TRUE(at::allclose(after, embedded(*other), 0, 1e-6));
}

TEST(BertWeights, AFolderIsCheckedWithoutReadingIt) {
  Folder folder;
  pretrained::ModelFolder good;
  good.config = tinyConfig("bert");
  good.weights = folder.write(storedOf(*tinyBert("bert"), "bert."));
  at::manual_seed(8);
  const auto next = at::randn({3});
  at::manual_seed(8);
  EXPECT_TRUE(checkWeights(good).ok());
  EXPECT_TRUE(at::equal(at::randn({3}), next)) << "weights that a run will draw must not depend on the check";
  auto deeper = good;
  deeper.config.layers = 3;
  EXPECT_EQ(argument(checkWeights(deeper), "tensor"), "encoder.layer.2.attention.self.query.weight");
  auto wider = good;
  wider.config.intermediate = 41;
  EXPECT_EQ(argument(checkWeights(wider), "wanted"), "[41, 24]");
}

TEST(BertWeights, TheUnitBuildsWhatTheFolderHolds) {
  Folder folder;
  const auto source = tinyBert("bert");
  auto opened = std::make_shared<pretrained::ModelFolder>();
  opened->config = tinyConfig("bert");
  opened->weights = folder.write(storedOf(*source, ""));
  const auto* unit = findModelUnit("hf:anything");
  ASSERT_NE(unit, nullptr);
  EXPECT_EQ(unit->input, InputKind::Tokens);
  auto shape = smallTokens(50, 12, 5);
  const auto spec = *wire::RunSpec::parse(*engineSchema(), nlohmann::json{{"model", "hf:anything"}});
  at::manual_seed(1);
  const auto built = std::dynamic_pointer_cast<Bert>(unit->build({shape, spec, opened}));
  ASSERT_TRUE(built);
  built->eval();
  EXPECT_TRUE(at::allclose(embedded(*built), embedded(*source), 0, 1e-6));
  auto parameters = built->named_parameters();
  EXPECT_EQ(parameters["classifier.weight"].sizes(), at::IntArrayRef({5, 24}));
  EXPECT_NEAR(parameters["classifier.weight"].std().item<double>(), 0.02, 0.008) << "initializer_range";
  EXPECT_EQ(parameters["classifier.bias"].abs().sum().item<double>(), 0);
}

}  // namespace atelier::engine
