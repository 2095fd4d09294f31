// Models of token sequences here and in Python: embeddings of transformers, and what the models' own scripts draw and learn.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/engine/models/bert.h"
#include "core/engine/script/builder.h"
#include "core/engine/session/task_loss.h"
#include "core/pretrained/tokenizer.h"
#include "core/wire/number.h"
#include "tests/engine/token_models.h"

namespace atelier::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
constexpr int kSeed = 13, kSteps = 5;
constexpr double kRate = 0.05;

class Folder {
 public:
  Folder() : m_path(fs::temp_directory_path() / ("atelier-bert-parity-" + std::to_string(getpid()))) {
    fs::create_directories(m_path);
  }
  ~Folder() { fs::remove_all(m_path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return m_path; }

  // What oracle.py answers; null when it failed.
  json ask(json request) const {
    request["threads"] = 2;
    const auto file = m_path / "request.json";
    std::ofstream(file) << request.dump();
    const auto command = std::string(ATELIER_PYTHON) + " -B " + ATELIER_SOURCE_DIR + "/tests/parity/oracle.py " + file.string();
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return nullptr;
    char bytes[4096];
    while (const auto count = fread(bytes, 1, sizeof bytes, pipe)) output.append(bytes, count);
    EXPECT_EQ(pclose(pipe), 0);
    return wire::parseJson(output).value_or(nullptr);
  }

  // A small random model that transformers wrote, opened by name.
  std::shared_ptr<pretrained::ModelFolder> tiny(const std::string& family, const json& config) const {
    ask({{"task", "save_tiny"}, {"family", family}, {"config", config}, {"folder", m_path.string()}, {"seed", kSeed}});
    const auto read = pretrained::readBertConfig(m_path / "config.json");
    const auto weights = pretrained::SafetensorsFile::open(m_path / "model.safetensors");
    EXPECT_TRUE(read.ok() && weights.ok());
    if (!read.ok() || !weights.ok()) return nullptr;
    auto folder = std::make_shared<pretrained::ModelFolder>();
    folder->path = m_path;
    folder->config = *read;
    folder->weights = *weights;
    return folder;
  }

 private:
  fs::path m_path;
};

json rowsOf(const at::Tensor& ids) {
  auto rows = json::array();
  for (std::int64_t i = 0; i < ids.size(0); ++i) {
    const auto row = ids[i].contiguous();
    const auto* begin = row.const_data_ptr<std::int64_t>();
    rows.push_back(std::vector<std::int64_t>(begin, begin + row.numel()));
  }
  return rows;
}

// The largest difference between our embeddings and Python's; negative when there are none of Python's.
double worstDifference(const at::Tensor& ours, const json& python) {
  if (!python.is_object()) return -1;
  double worst = 0;
  for (std::int64_t i = 0; i < ours.size(0); ++i) {
    const auto row = python["embeddings"].at(static_cast<std::size_t>(i)).get<std::vector<double>>();
    const auto theirs = at::tensor(row, at::kDouble);
    worst = std::max(worst, ours[i].to(at::kDouble).sub(theirs).abs().max().item<double>());
  }
  return worst;
}

void expectTheEmbeddingsOfTransformers(const Folder& folder, const pretrained::ModelFolder& model, const at::Tensor& ids) {
  const auto python =
      folder.ask({{"task", "embed"}, {"folder", model.path.string()}, {"ids", rowsOf(ids)}, {"pad", model.config.pad}});
  const auto bert = std::make_shared<Bert>(model.config, 2, Init::Skip);
  ASSERT_TRUE(loadWeights(*bert, *model.weights).ok());
  bert->eval();
  for (const bool graph : {false, true})
    for (const auto kind : {AttentionKind::Auto, AttentionKind::Math}) {
      for (const auto& module : bert->modules())
        if (auto* attention = dynamic_cast<Attention*>(module.get())) attention->setAttention(kind);
      const at::AutoGradMode mode(graph);
      const double worst = worstDifference(bert->embed(ids).detach(), python);
      ASSERT_GE(worst, 0) << "the Python side failed";
      EXPECT_LE(worst, 1e-5);
    }
}

at::Tensor someIds(std::int64_t vocabulary) {
  at::manual_seed(21);
  auto ids = at::randint(1, vocabulary, {5, 11}, at::kLong);
  ids[1].slice(0, 4).fill_(0);
  ids[4].slice(0, 10).fill_(0);
  return ids;
}

// The part of a unit's script that defines build_model().
std::string definitionsOf(const ModelUnit& unit, const InputShape& shape, const wire::RunSpec& spec) {
  const auto schema = engineSchema();
  ScriptBuilder script(spec, *schema);
  unit.script(shape, script);
  return script.render("@definitions@\n");
}

std::vector<double> lossesOf(Module& model, Task task, const Batch& batch) {
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    const auto loss = taskLoss(task, model(batch.input), batch, 0, 0);
    loss.backward();
    losses.push_back(loss.item<double>());
    const at::NoGradGuard noGrad;
    for (auto& parameter : trainableParameters(model)) {
      parameter.sub_(parameter.grad(), kRate);
      parameter.mutable_grad().reset();
    }
  }
  return losses;
}

void expectTheSameLosses(const std::vector<double>& ours, const json& python) {
  const auto theirs = python["losses"].get<std::vector<double>>();
  ASSERT_EQ(theirs.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i], theirs[i], 2e-5 * std::max(1.0, theirs[i])) << "step " << i;
  EXPECT_LT(ours.back(), ours.front()) << "it learns";
}

// Bytes against bytes, by name.
void expectTheSameWeights(const Module& model, const json& python, const fs::path& file) {
  const auto ours = model.named_parameters();
  std::ifstream input(file, std::ios::binary);
  ASSERT_EQ(python["parameters"].size(), ours.size());
  for (const auto& entry : python["parameters"]) {
    const auto name = entry[0].get<std::string>();
    std::vector<float> theirs(entry[1].get<std::size_t>());
    input.read(reinterpret_cast<char*>(theirs.data()), static_cast<std::streamsize>(theirs.size() * sizeof(float)));
    ASSERT_TRUE(input.good()) << name;
    ASSERT_TRUE(ours.contains(name)) << name;
    const auto& mine = ours[name];
    ASSERT_EQ(static_cast<std::size_t>(mine.numel()), theirs.size()) << name;
    EXPECT_EQ(std::memcmp(mine.const_data_ptr(), theirs.data(), mine.nbytes()), 0) << name;
  }
}

}  // namespace

TEST(BertParity, MiniLmsEmbeddingsAreThoseOfTransformers) {
  const auto model = openFolder("hf:minilm");
  ASSERT_TRUE(model.ok()) << "packaging/run installs it";
  std::vector<std::vector<std::int64_t>> rows;
  for (const char* text :
       {"The film is a triumph of wit over budget, and its last ten minutes forgive every one of the ninety before.", "Dull.",
        "I returned the vacuum cleaner after a week: it hums, it smells, and it picks up nothing at all!",
        "Élodie n’a pas aimé — the naïve façade of Filipović’s café…", "42 km/h, 3.14159 & £5 (~$6) @ 10:30"}) {
    pretrained::Encoding encoding;
    (*model)->tokenizer->encode(text, (*model)->max_tokens, encoding);
    rows.emplace_back(encoding.ids.begin(), encoding.ids.end());
  }
  const auto ids = tokenIds(rows, (*model)->config.pad);
  ASSERT_TRUE(ids.eq((*model)->config.pad).any().item<bool>()) << "some are padded";
  const Folder folder;
  expectTheEmbeddingsOfTransformers(folder, **model, ids);
  expectTheEmbeddingsOfTransformers(folder, **model, ids.slice(0, 0, 1));
}

TEST(BertParity, DistilBertsEmbeddingsAreThoseOfTransformers) {
  const Folder folder;
  const auto model = folder.tiny(
      "distilbert",
      {{"vocab_size", 97}, {"dim", 32}, {"n_layers", 2}, {"n_heads", 4}, {"hidden_dim", 56}, {"max_position_embeddings", 20}});
  ASSERT_TRUE(model);
  expectTheEmbeddingsOfTransformers(folder, *model, someIds(97));
}

TEST(BertParity, BertsWithOtherActivationsToo) {
  for (const char* activation : {"gelu_new", "relu"}) {
    const Folder folder;
    const auto model = folder.tiny("bert", {{"vocab_size", 61},
                                            {"hidden_size", 24},
                                            {"num_hidden_layers", 2},
                                            {"num_attention_heads", 3},
                                            {"intermediate_size", 40},
                                            {"max_position_embeddings", 16},
                                            {"hidden_act", activation}});
    ASSERT_TRUE(model);
    expectTheEmbeddingsOfTransformers(folder, *model, someIds(61));
  }
}

// The head that the script draws, and what fine-tuning makes of the whole.
TEST(BertParity, FineTuningIsThatOfTheScript) {
  const Folder folder;
  const auto model = folder.tiny("bert", {{"vocab_size", 61},
                                          {"hidden_size", 24},
                                          {"num_hidden_layers", 2},
                                          {"num_attention_heads", 3},
                                          {"intermediate_size", 40},
                                          {"max_position_embeddings", 16},
                                          {"hidden_dropout_prob", 0.0},
                                          {"attention_probs_dropout_prob", 0.0}});
  ASSERT_TRUE(model);
  const auto shape = smallTokens(61, 16, 2);
  const auto spec = *wire::RunSpec::parse(*engineSchema(), json{{"model", "hf:" + folder.path().string()}});
  const auto* unit = findModelUnit(spec.text("model"));
  const Batch batch{someIds(61), at::tensor({0, 1, 1, 0, 1}, at::kLong)};
  const auto python = folder.ask({{"task", "define"},
                                  {"definitions", definitionsOf(*unit, shape, spec)},
                                  {"folder", folder.path().string()},
                                  {"weights", (folder.path() / "weights").string()},
                                  {"ids", rowsOf(batch.input)},
                                  {"targets", {0, 1, 1, 0, 1}},
                                  {"pad", 0},
                                  {"seed", kSeed},
                                  {"learning_rate", kRate},
                                  {"steps", kSteps}});
  ASSERT_TRUE(python.is_object()) << "the Python side failed";
  at::manual_seed(kSeed);
  const auto ours = unit->build({shape, spec, model});
  expectTheSameLosses(lossesOf(*ours, unit->task, batch), python);
}

class SequenceParity : public testing::TestWithParam<std::string> {};

TEST_P(SequenceParity, TheScriptDrawsTheSameWeightsAndLearnsTheSame) {
  const Folder folder;
  const auto shape = smallTokens(61, 16, 2);
  const auto spec = *wire::RunSpec::parse(*engineSchema(), json{{"model", GetParam()}});
  const auto* unit = findModelUnit(GetParam());
  const Batch batch{someIds(61), at::tensor({0, 1, 1, 0, 1}, at::kLong)};
  const auto weights = folder.path() / "weights";
  const auto python = folder.ask({{"task", "define"},
                                  {"definitions", definitionsOf(*unit, shape, spec)},
                                  {"weights", weights.string()},
                                  {"ids", rowsOf(batch.input)},
                                  {"targets", {0, 1, 1, 0, 1}},
                                  {"pad", 0},
                                  {"seed", kSeed},
                                  {"learning_rate", kRate},
                                  {"steps", kSteps}});
  ASSERT_TRUE(python.is_object()) << "the Python side failed";
  at::manual_seed(kSeed);
  const auto ours = unit->build({shape, spec, nullptr});
  expectTheSameWeights(*ours, python, weights);
  expectTheSameLosses(lossesOf(*ours, unit->task, batch), python);
}

INSTANTIATE_TEST_SUITE_P(Python, SequenceParity, testing::Values("transformer", "decoder"));

}  // namespace atelier::engine
