// What inspect says of models' folders and archives, and doctor of what the set-up installed.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/registry/registry.h"
#include "core/wire/run_event.h"
#include "program.h"
#include "tests/pretrained/model_files.h"

namespace atelier::worker {
namespace {

namespace fs = std::filesystem;

// A folder with a model as small as can be.
class Inspect : public pretrained::testing::FolderTest {
 protected:
  Inspect() {
    write("tiny/config.json", R"({"model_type": "bert", "vocab_size": 8, "hidden_size": 12, "num_hidden_layers": 2,
      "num_attention_heads": 3, "intermediate_size": 20, "max_position_embeddings": 40})");
    write("tiny/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n");
    write("tiny/model.safetensors", weights());
  }

  static std::string weights() {
    return pretrained::testing::safetensors(R"({"embeddings.position_ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
                                            R"("w":{"dtype":"F32","shape":[3,2],"data_offsets":[16,40]}})",
                                            std::string(40, '\0'));
  }

  Output inspect(const fs::path& name, const std::string& options = "--json") const {
    return shell(m_home, "\"$E\" inspect '" + (m_folder / name).string() + "' " + options);
  }

  Home m_home;
};

std::string writeRun(const fs::path& home) {
  const auto id = registry::makeRunId();
  auto writer =
      registry::RunWriter::create(home, id, {{"model", "mlp"}, {"data", "synthetic-images"}, {"seed", 7}}, {{"cpu", "x"}});
  if (!writer.ok()) return "";
  wire::RunSummary summary;
  summary.id = id;
  const auto line = wire::encodeEvent({0, 1, "", wire::PhaseChanged{"warmup"}});
  return (*writer)->append(line).ok() && (*writer)->finish(summary).ok() ? id : "";
}

}  // namespace

TEST_F(Inspect, TellsWhatAModelsFolderHolds) {
  const auto found = inspect("tiny");
  ASSERT_EQ(found.code, 0) << found.err;
  const auto model = found.json();
  EXPECT_EQ(model["kind"], "model");
  EXPECT_EQ(model["family"], "bert");
  EXPECT_EQ(model["config"]["layers"], 2);
  EXPECT_EQ(model["config"]["hidden"], 12);
  EXPECT_EQ(model["parameters"], 6) << "position ids are no parameters";
  EXPECT_EQ(model["tensors"], 2);
  EXPECT_EQ(model["dtypes"], (nlohmann::json{{"F32", 1}, {"I64", 1}}));
  EXPECT_EQ(model["bytes"], weights().size());
  EXPECT_EQ(model["tokens"], 7);
  EXPECT_EQ(model["max_tokens"], 40);
  const auto table = inspect("tiny", "--lang fr");
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.out.find("Paramètres"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("1 × F32, 1 × I64"), std::string::npos) << table.out;
}

TEST_F(Inspect, AModelsFolderThatIsNotWholeIsRefusedWithTheReason) {
  fs::remove(m_folder / "tiny" / "vocab.txt");
  const auto found = inspect("tiny", "--lang en");
  EXPECT_EQ(found.code, 2);
  EXPECT_NE(found.err.find("tokenizer.json"), std::string::npos) << found.err;
  write("tiny/config.json", R"({"model_type": "gpt2"})");
  const auto other = inspect("tiny", "--lang en");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("gpt2"), std::string::npos) << other.err;
}

TEST_F(Inspect, ListsTensorsWithForeignNamesHarmlessly) {
  write("x.safetensors",
        pretrained::testing::safetensors(R"({"a\u001b[2J":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  const auto table = inspect("x.safetensors", "--lang en");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
  EXPECT_NE(table.out.find("a\\u001b[2J"), std::string::npos) << table.out;
  EXPECT_TRUE(inspect("x.safetensors").json()["metadata"].is_null());
}

TEST_F(Inspect, ListsTheRunsOfAnArchive) {
  const auto id = writeRun(m_home.folder());
  ASSERT_FALSE(id.empty());
  const auto file = m_folder / "some.atelier";
  ASSERT_EQ(shell(m_home, "\"$E\" runs export " + id + " --out '" + file.string() + "'").code, 0);
  const auto found = inspect("some.atelier");
  ASSERT_EQ(found.code, 0) << found.err;
  const auto archive = found.json();
  EXPECT_EQ(archive["kind"], "archive");
  ASSERT_EQ(archive["runs"].size(), 1U);
  EXPECT_EQ(archive["runs"][0]["id"], id);
  EXPECT_EQ(archive["runs"][0]["model"], "mlp");
  EXPECT_EQ(archive["runs"][0]["data"], "synthetic-images");
  EXPECT_EQ(archive["runs"][0]["events"], 1);
  EXPECT_EQ(archive["runs"][0]["summary"]["status"], "done");
  EXPECT_NE(inspect("some.atelier", "--lang en").out.find(id), std::string::npos);
}

TEST_F(Inspect, ADamagedArchiveIsRefusedWithTheReason) {
  const auto id = writeRun(m_home.folder());
  const auto file = m_folder / "some.atelier";
  ASSERT_EQ(shell(m_home, "\"$E\" runs export " + id + " --out '" + file.string() + "'").code, 0);
  fs::resize_file(file, fs::file_size(file) / 2);
  const auto cut = inspect("some.atelier", "--lang en");
  EXPECT_EQ(cut.code, 2);
  EXPECT_NE(cut.err.find("some.atelier"), std::string::npos) << cut.err;
  write("none.atelier", "x");
  EXPECT_EQ(inspect("none.atelier").code, 2);
}

TEST_F(Inspect, DoctorSaysWhatIsInstalledAndWhatIsNot) {
  fs::create_directories(m_folder / "models");
  const auto nothing = shell(m_home, "\"$E\" doctor --json --lang en",
                             "export ATELIER_MODELS='" + (m_folder / "models").string() + "' ATELIER_SENTENCES='" +
                                 (m_folder / "sentences").string() + "';")
                           .json();
  EXPECT_TRUE(nothing["pretrained"]["minilm"].is_null());
  EXPECT_TRUE(nothing["pretrained"]["sentences"].is_null());
  int models = 0, sentences = 0;
  for (const auto& problem : nothing["problems"]) {
    models += problem["id"] == "hf.not_found";
    sentences += problem["id"] == "sentences.missing";
    EXPECT_EQ(problem["text"].get<std::string>().find('{'), std::string::npos) << problem;
  }
  EXPECT_EQ(models, 1);
  EXPECT_EQ(sentences, 1) << "told once, though data is made of them";
  if (!fs::exists(fs::path(ATELIER_MODELS_DIR) / "minilm") || !fs::exists(ATELIER_SENTENCES_DIR))
    GTEST_SKIP() << "not installed";
  const auto all = shell(m_home, "\"$E\" doctor --json").json();
  EXPECT_EQ(all["pretrained"]["sentences"], 23703);
  EXPECT_TRUE(all["pretrained"]["minilm"].is_string());
  int usable = 0;
  for (const auto& data : all["data"]) usable += data["id"] == "sentiment" && data["usable"] == true;
  EXPECT_EQ(usable, 1) << all["data"];
}

}  // namespace atelier::worker
