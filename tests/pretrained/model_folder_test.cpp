#include "core/pretrained/model_folder.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "model_files.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;

using testing::argument;
using testing::refusedAs;

constexpr const char* kBert = R"({"model_type": "bert", "vocab_size": 8, "hidden_size": 12, "num_hidden_layers": 2,
  "num_attention_heads": 3, "intermediate_size": 20, "max_position_embeddings": 40, "type_vocab_size": 1,
  "layer_norm_eps": 1e-6, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0.25, "initializer_range": 0.5,
  "hidden_act": "gelu_new", "pad_token_id": 3, "architectures": ["BertModel"], "use_cache": true})";

// As transformers 5 writes it.
constexpr const char* kDistilBert = R"({"activation": "relu", "architectures": ["DistilBertModel"], "attention_dropout": 0.1,
  "bos_token_id": null, "dim": 32, "dropout": 0.2, "dtype": "float32", "eos_token_id": null, "hidden_dim": 64,
  "initializer_range": 0.02, "max_position_embeddings": 512, "model_type": "distilbert", "n_heads": 2, "n_layers": 1,
  "pad_token_id": null, "qa_dropout": 0.1, "seq_classif_dropout": 0.2, "sinusoidal_pos_embds": false,
  "tie_word_embeddings": true, "transformers_version": "5.24.0", "vocab_size": 100})";

class ModelFolders : public testing::FolderTest {
 protected:
  auto config(const std::string& text) const { return readBertConfig(write("config.json", text)); }

  // A whole model, as small as can be; [PAD] is the tokenizer's 0 whatever the config says.
  fs::path model(const fs::path& name) const {
    write(name / "config.json", kBert);
    write(name / "model.safetensors", testing::safetensors("{}", ""));
    write(name / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n");
    write(name / "tokenizer_config.json", R"({"do_lower_case": true, "model_max_length": 1000000000000000019884624838656})");
    return m_folder / name;
  }
};

// HOME and the current folder as they were, afterwards.
class Place {
 public:
  Place(const fs::path& home, const fs::path& current)
      : m_home(std::getenv("HOME") ? std::getenv("HOME") : ""), m_current(fs::current_path()) {
    ::setenv("HOME", home.c_str(), 1);
    fs::current_path(current);
  }
  ~Place() {
    ::setenv("HOME", m_home.c_str(), 1);
    fs::current_path(m_current);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::string m_home;
  fs::path m_current;
};

}  // namespace

TEST_F(ModelFolders, ReadsBertsKeys) {
  const auto read = config(kBert);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->family, "bert");
  EXPECT_EQ(read->vocabulary, 8);
  EXPECT_EQ(read->hidden, 12);
  EXPECT_EQ(read->layers, 2);
  EXPECT_EQ(read->heads, 3);
  EXPECT_EQ(read->intermediate, 20);
  EXPECT_EQ(read->positions, 40);
  EXPECT_EQ(read->types, 1);
  EXPECT_EQ(read->layer_norm_epsilon, 1e-6);
  EXPECT_EQ(read->hidden_dropout, 0);
  EXPECT_EQ(read->attention_dropout, 0.25);
  EXPECT_EQ(read->initializer_range, 0.5);
  EXPECT_EQ(read->activation, "gelu_new");
  EXPECT_EQ(read->pad, 3);
}

TEST_F(ModelFolders, ReadsDistilBertsKeysUnderTheSameNames) {
  const auto read = config(kDistilBert);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->family, "distilbert");
  EXPECT_EQ(read->vocabulary, 100);
  EXPECT_EQ(read->hidden, 32);
  EXPECT_EQ(read->layers, 1);
  EXPECT_EQ(read->heads, 2);
  EXPECT_EQ(read->intermediate, 64);
  EXPECT_EQ(read->positions, 512);
  EXPECT_EQ(read->types, 0);
  EXPECT_EQ(read->layer_norm_epsilon, 1e-12);
  EXPECT_EQ(read->hidden_dropout, 0.2);
  EXPECT_EQ(read->attention_dropout, 0.1);
  EXPECT_EQ(read->activation, "relu");
  EXPECT_EQ(read->pad, 0) << "null is the library's default";
}

TEST_F(ModelFolders, AbsentKeysHaveTheLibrarysDefaults) {
  const auto bert = config(R"({"model_type": "bert"})"), distilled = config(R"({"model_type": "distilbert"})");
  ASSERT_TRUE(bert.ok() && distilled.ok());
  EXPECT_EQ(bert->hidden, 768);
  EXPECT_EQ(bert->layers, 12);
  EXPECT_EQ(bert->heads, 12);
  EXPECT_EQ(bert->intermediate, 3072);
  EXPECT_EQ(bert->vocabulary, 30522);
  EXPECT_EQ(bert->types, 2);
  EXPECT_EQ(distilled->layers, 6);
  EXPECT_EQ(distilled->hidden, 768);
}

TEST_F(ModelFolders, RefusesAConfigOutOfBoundsWithItsKeyAndValue) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"("vocab_size": 0)", "vocab_size"},
      {R"("vocab_size": 20000000)", "vocab_size"},
      {R"("hidden_size": -768)", "hidden_size"},
      {R"("hidden_size": 768.0)", "hidden_size"},
      {R"("hidden_size": "768")", "hidden_size"},
      {R"("hidden_size": 18446744073709551615)", "hidden_size"},
      {R"("hidden_size": 1000000000)", "hidden_size"},
      {R"("num_hidden_layers": 0)", "num_hidden_layers"},
      {R"("num_attention_heads": 7)", "num_attention_heads"},
      {R"("num_attention_heads": 0)", "num_attention_heads"},
      {R"("max_position_embeddings": 1)", "max_position_embeddings"},
      {R"("type_vocab_size": 0)", "type_vocab_size"},
      {R"("pad_token_id": 30522)", "pad_token_id"},
      {R"("pad_token_id": -1)", "pad_token_id"},
      {R"("hidden_dropout_prob": 1.5)", "hidden_dropout_prob"},
      {R"("attention_probs_dropout_prob": -0.1)", "attention_probs_dropout_prob"},
      {R"("initializer_range": "x")", "initializer_range"},
      {R"("layer_norm_eps": 2)", "layer_norm_eps"},
      {R"("hidden_act": "swish")", "hidden_act"},
      {R"("hidden_act": 1)", "hidden_act"},
      {R"("position_embedding_type": "relative_key")", "position_embedding_type"},
      {R"("is_decoder": true)", "is_decoder"},
      {R"("is_decoder": 1)", "is_decoder"},
      {R"("add_cross_attention": true)", "add_cross_attention"},
      {R"("quantization_config": {"bits": 4})", "quantization_config"}};
  for (const auto& [member, key] : cases) {
    const auto read = config(R"({"model_type": "bert", )" + member + "}");
    ASSERT_EQ(refusedAs(read), "hf.config") << member;
    EXPECT_EQ(argument(read.error(), "key"), key) << member;
    EXPECT_FALSE(argument(read.error(), "why").empty()) << member;
  }
  EXPECT_EQ(argument(config(R"({"model_type": "bert", "num_attention_heads": 7})").error(), "why"), "768 mod 7 ≠ 0");
  EXPECT_EQ(argument(config(R"({"model_type": "bert", "vocab_size": 0})").error(), "why"), "0 ∉ [1, 10000000]");
}

TEST_F(ModelFolders, RefusesWhatIsNoConfig) {
  for (const char* text : {"", "{", "[]", "null", "{\"model_type\": \"bert\"} x", "\xFF\xFE{}",
                           "{\"model_type\": \"bert\", \"is_decoder\": 0x1}"}) {
    const auto read = config(text);
    ASSERT_EQ(refusedAs(read), "hf.config") << text;
    EXPECT_EQ(argument(read.error(), "key"), "JSON");
  }
  EXPECT_EQ(argument(config(R"({"model_type": "bert", "vocab_size": 8, "vocab_size": 9})").error(), "key"), "vocab_size");
  EXPECT_EQ(argument(config(std::string("{\"model_type\": \"bert\"}\0 x", 25)).error(), "key"), "JSON") << "behind a zero";
  EXPECT_EQ(argument(config("{}").error(), "key"), "model_type");
  EXPECT_EQ(argument(config(R"({"model_type": 3})").error(), "key"), "model_type");
  EXPECT_EQ(refusedAs(readBertConfig(m_folder)), "hf.config") << "a folder";
  EXPECT_EQ(refusedAs(readBertConfig(m_folder / "nothing.json")), "hf.config");
}

TEST_F(ModelFolders, AnotherFamilyIsNamedWithThoseThatAreKnown) {
  const auto read = config(R"({"model_type": "gpt2\u001b"})");
  ASSERT_EQ(refusedAs(read), "hf.architecture");
  EXPECT_EQ(argument(read.error(), "model_type"), "gpt2?");
  EXPECT_EQ(argument(read.error(), "supported"), "bert, distilbert");
}

TEST_F(ModelFolders, OpensAWholeFolder) {
  const auto opened = openModelFolder(model("tiny"));
  ASSERT_TRUE(opened.ok()) << refusedAs(opened);
  const auto& tiny = **opened;
  EXPECT_EQ(tiny.path, m_folder / "tiny");
  EXPECT_EQ(tiny.config.hidden, 12);
  EXPECT_EQ(tiny.tokenizer->size(), 7);
  EXPECT_EQ(tiny.config.pad, tiny.tokenizer->pad()) << "batches are padded by the tokenizer";
  EXPECT_EQ(tiny.max_tokens, 40) << "a tokenizer without a limit says 10³⁰";
  ASSERT_NE(tiny.weights, nullptr);
  EXPECT_TRUE(tiny.weights->tensors().empty());
}

TEST_F(ModelFolders, TheLeastLimitOfTokensHolds) {
  const auto folder = model("tiny");
  write("tiny/sentence_bert_config.json", R"({"max_seq_length": 25, "do_lower_case": false})");
  ASSERT_TRUE(openModelFolder(folder).ok());
  EXPECT_EQ((*openModelFolder(folder))->max_tokens, 25);
  write("tiny/tokenizer_config.json", R"({"do_lower_case": true, "model_max_length": 16})");
  EXPECT_EQ((*openModelFolder(folder))->max_tokens, 16);
  write("tiny/sentence_bert_config.json", R"({"max_seq_length": null})");
  EXPECT_EQ((*openModelFolder(folder))->max_tokens, 16);
  for (const char* wrong : {R"({"max_seq_length": 1})", R"({"max_seq_length": -5})", R"({"max_seq_length": "25"})", "[]"}) {
    write("tiny/sentence_bert_config.json", wrong);
    EXPECT_EQ(refusedAs(openModelFolder(folder)), "hf.config") << wrong;
  }
}

TEST_F(ModelFolders, SaysWhichPartIsMissingAndInWhichFormItIsThere) {
  const auto folder = model("tiny");
  fs::remove(folder / "vocab.txt");
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "hf.no_tokenizer");
  fs::remove(folder / "model.safetensors");
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "hf.no_weights");
  write("tiny/training_args.bin", "x");
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "hf.no_weights");
  write("tiny/pytorch_model.bin", "x");
  const auto pickled = openModelFolder(folder);
  EXPECT_EQ(refusedAs(pickled), "hf.weights_pickled");
  EXPECT_EQ(argument(pickled.error(), "file"), "pytorch_model.bin");
  write("tiny/model.safetensors.index.json", "{}");
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "hf.weights_sharded");
  fs::remove(folder / "config.json");
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "hf.no_config");
  EXPECT_EQ(refusedAs(openModelFolder(m_folder / "nobody")), "hf.no_config");
}

TEST_F(ModelFolders, DamagedPartsFailAsTheyDoAlone) {
  const auto folder = model("tiny");
  write("tiny/model.safetensors", testing::safetensors("{}", "x"));
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "weights.damaged");
  write("tiny/model.safetensors", testing::safetensors("{}", ""));
  write("tiny/tokenizer.json", "{");
  EXPECT_EQ(refusedAs(openModelFolder(folder)), "tokenizer.malformed");
}

TEST_F(ModelFolders, ATokenizerOfAnotherModelIsRefused) {
  const auto folder = model("tiny");
  write("tiny/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nc\nd\n");
  const auto opened = openModelFolder(folder);
  ASSERT_EQ(refusedAs(opened), "hf.vocabulary");
  EXPECT_EQ(argument(opened.error(), "tokenizer"), "9");
  EXPECT_EQ(argument(opened.error(), "model"), "8");
}

TEST_F(ModelFolders, AModelIsFoundAsTypedInTheHomeOrWhereItWasInstalled) {
  const auto own = model("home/models/mine"), both = model("home/models/both"), installed = model("installed/both");
  const auto minilm = model("installed/minilm"), account = model("account/saved"), here = model("here/local");
  fs::create_directories(m_folder / "here" / "both");
  const Place place(m_folder / "account", m_folder / "here");
  const auto find = [&](const std::string& name) {
    const auto found = findModel(name, m_folder / "home", {m_folder / "installed"});
    return found.ok() ? found->string() : refusedAs(found);
  };
  EXPECT_EQ(find(own.string()), own.string());
  EXPECT_EQ(find("local"), here.string());
  EXPECT_EQ(find("./local"), fs::absolute("./local").string());
  EXPECT_EQ(find("../account/saved"), fs::absolute("../account/saved").string());
  EXPECT_EQ(find("~/saved"), account.string());
  EXPECT_EQ(find("mine"), own.string());
  EXPECT_EQ(find("both"), both.string()) << "a folder here that is no model's is no answer, and one's own comes first";
  EXPECT_EQ(find("minilm"), minilm.string());
  EXPECT_EQ(find("all-MiniLM-L6-v2"), minilm.string());
  EXPECT_EQ(find("sentence-transformers/all-minilm-l6-v2"), minilm.string());
  for (const char* nobody : {"", "nobody", "models/../both", "/no/such/folder", "~someone/saved"})
    EXPECT_EQ(find(nobody), "hf.not_found") << nobody;
  EXPECT_EQ(*findModel("both", "", {m_folder / "installed"}), installed) << "without a home";
}

TEST_F(ModelFolders, WhatIsNotFoundSaysWhereItWasLookedFor) {
  const auto found = findModel("nobody", m_folder / "home", {m_folder / "one", m_folder / "two"});
  ASSERT_EQ(refusedAs(found), "hf.not_found");
  EXPECT_EQ(found.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(argument(found.error(), "name"), "nobody");
  for (const char* place : {"home/models", "one", "two"})
    EXPECT_NE(argument(found.error(), "looked_in").find((m_folder / place).string()), std::string::npos) << place;
}

TEST_F(ModelFolders, OpensTheInstalledModel) {
  const auto found = findModel("minilm", "", {ATELIER_MODELS_DIR});
  if (!found.ok()) GTEST_SKIP() << "minilm is not installed in " << ATELIER_MODELS_DIR;
  const auto opened = openModelFolder(*found);
  ASSERT_TRUE(opened.ok()) << refusedAs(opened);
  EXPECT_EQ((*opened)->config.layers, 6);
  EXPECT_EQ((*opened)->config.hidden, 384);
  EXPECT_EQ((*opened)->tokenizer->size(), 30522);
  EXPECT_EQ((*opened)->max_tokens, 256);
  EXPECT_EQ((*opened)->config.pad, 0);
}

}  // namespace atelier::pretrained
