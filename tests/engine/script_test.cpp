#include "core/engine/script/script.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/engine/data/dataset.h"
#include "core/engine/models/model.h"
#include "core/engine/session/plan.h"
#include "core/engine/techniques/technique.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

wire::RunSpec spec(const json& keys) {
  return *wire::RunSpec::parse(*engineSchema(), keys);
}

json with(json base, const json& more) {
  base.update(more);
  return base;
}

// As a spec names it.
std::string chosen(const ModelUnit& model) {
  return model.prefix.empty() ? model.id : model.prefix + "minilm";
}

// All that an option can change in a script about token data.
std::vector<json> tokenTrainings() {
  std::vector<json> all;
  for (const char* model : {"lstm", "decoder"})
    for (const json& keys : std::vector<json>{{{"data", "sentiment"}, {"sources", "reviews"}, {"length", 64}},
                                              {{"data", "sentiment"}, {"epochs", 3}},
                                              {{"data", "synthetic-tokens"}, {"label_smoothing", 0.1}, {"epochs", 2}},
                                              {{"data", "synthetic-tokens"}, {"precision", "bf16"}, {"label_smoothing", 0.1}},
                                              {{"data", "synthetic-tokens"}, {"workers", 2}, {"pinned", true}},
                                              {{"data", "synthetic-tokens"}, {"bucket", true}, {"augment", "flip"}},
                                              {{"data", "synthetic-tokens"}, {"bucket", true}, {"drop_last", true}, {"workers", 1}},
                                              {{"data", "synthetic-tokens"}, {"mode", "infer"}},
                                              {{"data", "synthetic-tokens"}, {"evaluate", false}}})
      all.push_back(with({{"model", model}}, keys));
  return all;
}

std::vector<json> trainings(const json& base) {
  std::vector<json> all;
  for (const auto& model : allModels())
    for (const auto& data : allData())
      if (model.input == data.input) all.push_back(with(base, {{"model", chosen(model)}, {"data", data.id}}));
  for (const auto& keys : tokenTrainings()) all.push_back(with(base, keys));
  for (const char* optimizer : {"sgd", "adam", "adamw"})
    for (const bool fused : {false, true}) all.push_back(with(base, {{"optimizer", optimizer}, {"fused", fused}}));
  all.push_back(with(base, {{"optimizer", "sgd"}, {"momentum", 0}, {"weight_decay", 0}}));
  for (const char* schedule : {"cosine", "one-cycle", "plateau"})
    for (const bool evaluate : {false, true}) all.push_back(with(base, {{"schedule", schedule}, {"evaluate", evaluate}}));
  all.push_back(with(base, {{"schedule", "one-cycle"}, {"warmup", 0}, {"steps", 100000}}));
  for (const char* schedule : {"none", "cosine", "plateau"})
    all.push_back(with(base, {{"schedule", schedule}, {"warmup_steps", 5}, {"plateau_patience", 2}, {"plateau_factor", 0.5}}));
  for (const char* how : {"kaiming", "xavier", "orthogonal", "small", "large"})
    all.push_back(with(base, {{"init", how}, {"ema", 0.99}, {"clip_value", 0.5}, {"gradient_stats", 10}}));
  for (const char* normalise : {"none", "batch", "layer"})
    all.push_back(with(base, {{"model", "deep-mlp"}, {"normalise", normalise}, {"residual", true}, {"activation", "tanh"}}));
  all.push_back(with(base, {{"schedule", "cosine"}, {"naive", true}, {"epochs", 3}, {"drop_last", true}}));
  all.push_back(with(base, {{"precision", "tf32"}, {"clip_norm", 1}, {"label_smoothing", 0.1}, {"threads", 2}}));
  all.push_back(with(base, {{"precision", "bf16"}, {"channels_last", true}, {"deterministic", true}, {"seed", 7}}));
  all.push_back(with(base, {{"memory_budget", "512MiB"}, {"pinned", true}, {"stop_when_decided", true}, {"blocks", 1}}));
  all.push_back(with(base, {{"workers", 2}, {"prefetch", 3}, {"pinned", true}, {"batch", 32}}));
  for (const char* augment : {"flip", "crop", "standard", "strong"}) all.push_back(with(base, {{"augment", augment}}));
  all.push_back(with(base, {{"augment", "strong"}, {"workers", 1}, {"data", "synthetic-images"}, {"drop_last", true}}));
  all.push_back(with(base, {{"weights", "some folder/weights.safetensors"}}));
  all.push_back(with(base, {{"profile", "on"}, {"schedule", "cosine"}}));
  all.push_back(with(base, {{"precision", "fp16"}, {"accumulation", 3}, {"clip_norm", 1}, {"schedule", "one-cycle"}}));
  all.push_back(with(base, {{"precision", "fp16"}, {"mode", "infer"}}));
  all.push_back(with(base, {{"precision", "bf16"}, {"master_weights", true}, {"accumulation", 2}, {"schedule", "plateau"}}));
  all.push_back(with(base, {{"precision", "bf16-pure"}, {"evaluate", false}}));
  for (const char* checkpointing : {"every:1", "every:2", "auto"})
    for (const char* model : {"decoder", "lstm", "hf:minilm", "resnet18", "cnn"})
      all.push_back(
          with(base, {{"checkpointing", checkpointing},
                      {"model", model},
                      {"data", findModelUnit(model)->input == InputKind::Tokens ? "synthetic-tokens" : "fashion-mnist"},
                      {"ema", 0.9},
                      {"memory_budget", "1GiB"}}));
  for (const char* scale : {"tensor", "row"})
    all.push_back(with(base, {{"precision", "fp8"},
                              {"fp8_scale", scale},
                              {"model", "decoder"},
                              {"data", "synthetic-tokens"},
                              {"accumulation", 4}}));
  return all;
}

// Some hundred and fifty specs: all that an option can change in a script, on each kind of device.
std::vector<json> matrix() {
  std::vector<json> all;
  for (const char* device : {"cpu", "auto", "cuda:1"}) {
    for (const auto& keys : trainings({{"device", device}})) all.push_back(keys);
    all.push_back({{"device", device}, {"mode", "infer"}});
    all.push_back(
        {{"device", device}, {"mode", "infer"}, {"precision", "bf16"}, {"naive", true}, {"workers", 1}, {"steps", 1}});
  }
  return all;
}

// A value that is not the default.
json another(const wire::Option& option) {
  switch (option.type) {
    case wire::OptionType::Boolean:
      return !std::get<bool>(option.fallback);
    case wire::OptionType::Integer:
      return std::get<std::int64_t>(option.fallback) + 1;
    case wire::OptionType::Number:
      return std::get<double>(option.fallback) + 0.0625;
    case wire::OptionType::Choice:
      return option.choices.back();
    case wire::OptionType::Bytes:
      return 12345;
    case wire::OptionType::Text:
      break;
  }
  return "cpu";
}

// A spec that differs from the defaults in this key, and in what must then fit it.
json keysWith(const wire::Option& option, const char* mode) {
  json keys{{"mode", mode}};
  keys[option.key] = another(option);
  const auto model = keys.value("model", "cnn"), data = keys.value("data", "fashion-mnist");
  if (findModelUnit(model)->input == InputKind::Tokens) keys["data"] = "synthetic-tokens";
  if (fixture::dataUnit(data).input == InputKind::Tokens) keys["model"] = "lstm";
  return keys;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Folder {
 public:
  Folder() : m_path(fs::temp_directory_path() / ("atelier-script-test-" + std::to_string(getpid()))) {
    fs::create_directories(m_path);
  }
  ~Folder() { fs::remove_all(m_path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(m_path / name, std::ios::binary) << text;
    return (m_path / name).string();
  }

 private:
  fs::path m_path;
};

// What script_lint.py says of the scripts; "" when it has nothing to say.
std::string lint(const std::vector<std::string>& files) {
  std::string command = std::string(ATELIER_PYTHON) + " -B " + ATELIER_SOURCE_DIR + "/tests/engine/script_lint.py", said;
  for (const auto& file : files) command += " '" + file + "'";
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return "no pipe";
  char bytes[4096];
  while (const auto count = fread(bytes, 1, sizeof bytes, pipe)) said.append(bytes, count);
  if (pclose(pipe) != 0 && said.empty()) return "it failed";
  return said;
}

}  // namespace

TEST(Script, EveryUnitHasAPythonForm) {
  for (const auto& unit : allModels()) EXPECT_NE(unit.script, nullptr) << unit.id;
  for (const auto& unit : allData()) EXPECT_NE(unit.script, nullptr) << unit.id;
  for (const auto& unit : allTechniques()) EXPECT_NE(unit.script, nullptr) << unit.id;
}

// A new option must be turned into Python, or into a comment: whoever adds it reads it in a script() of some unit.
TEST(Script, EveryKeyOfTheSchemaIsExpressed) {
  std::set<std::string> expressed;
  for (const auto& keys : matrix()) expressed.merge(scriptKeys(spec(keys)));
  const auto schema = engineSchema();
  for (const auto& option : schema->options()) {
    EXPECT_TRUE(expressed.contains(option.key)) << option.key << " of " << option.unit << " has no PyTorch form";
  }
}

TEST(Script, NoKeyIsLeftOutSilently) {
  const auto schema = engineSchema();
  for (const char* mode : {"train", "infer"})
    for (const auto& option : schema->options()) {
      const auto keys = keysWith(option, mode);
      const auto asked = spec(keys);
      const auto script = pytorchScript(asked);
      const auto word = option.key + "=" + wire::valueText(option, asked.values().at(option.key));
      EXPECT_TRUE(has(script.substr(0, script.find("import argparse")), word)) << word << " is not in the head";
      const auto read = scriptKeys(asked).contains(option.key);
      EXPECT_EQ(has(script, "# Without effect in this run: " + word), !read) << word;
    }
}

TEST(Script, SaysWhatIsAskedForAndNothingElse) {
  struct Case {
    json keys;
    std::vector<std::string> said, unsaid;
  };
  const std::vector<Case> cases{
      {{{"device", "cpu"}},
       {"def conv_block", "torch.optim.AdamW(", "gzip", "SEED = 0", "BATCH = 128", "STEPS = 200",
        "evaluate(trainer, test, report)"},
       {"cuda", "DEVICE", "autocast", "channels_last", "clip_grad", "lr_scheduler", "DataLoader", "label_smoothing", "fused",
        "naive", "deterministic", "DataLoader", "prepare", "forward(self, x", "momentum", "STOPWATCH", "# Without effect"}},
      {{{"device", "cpu"}, {"precision", "bf16"}, {"channels_last", true}, {"model", "mlp"}},
       {"torch.autocast(\"cpu\", dtype=torch.bfloat16)", "memory_format=torch.channels_last", "nn.Linear(784, 256)"},
       {"conv_block", "cuda"}},
      {{{"device", "cpu"}, {"optimizer", "sgd"}, {"fused", true}, {"clip_norm", 0.5}, {"label_smoothing", 0.1}},
       {"torch.optim.SGD(", "momentum=MOMENTUM", "fused=True", "CLIP_NORM = 0.5", "clip_grad_norm_", "LABEL_SMOOTHING = 0.1"},
       {"AdamW"}},
      {{{"device", "cpu"}, {"optimizer", "adam"}, {"momentum", 0.5}},
       {"# Without effect in this run: momentum=0.5."},
       {"MOMENTUM"}},
      {{{"device", "cpu"}, {"evaluate", false}}, {"train, _ = load_data"}, {"accuracy", "def evaluate", "EVALUATION_BATCH"}},
      {{{"device", "cpu"}, {"mode", "infer"}, {"clip_norm", 1}},
       {"class Predictor", "@torch.no_grad()", "self.model.eval()", "# Without effect in this run: clip_norm=1."},
       {"optim", "backward", "loss", "accuracy", "LEARNING_RATE"}},
      {{{"device", "cpu"}, {"warmup", 0}, {"schedule", "cosine"}}, {"T_max=STEPS)"}, {"WARMUP", "last_epoch"}},
      {{{"device", "cpu"}, {"schedule", "one-cycle"}, {"naive", true}},
       {"total_steps=WARMUP + STEPS", "if self.schedule.last_epoch < WARMUP + STEPS - 1:", "no_warmup", "reused_model"},
       {"no_synchronisation"}},
      {{{"device", "cpu"}, {"schedule", "plateau"}},
       {"ReduceLROnPlateau", "self.schedule.step(loss)"},
       {"self.schedule.step()"}},
      {{{"device", "cpu"}, {"schedule", "plateau"}, {"evaluate", false}}, {"# schedule: plateau"}, {"ReduceLROnPlateau"}},
      {{{"device", "cpu"}, {"schedule", "cosine"}, {"warmup_steps", 5}},
       {"WARMUP_STEPS = 5", "LambdaLR(self.optimizer, rate_share)", "WARMUP + STEPS - WARMUP_STEPS"},
       {"CosineAnnealingLR"}},
      {{{"device", "cpu"}, {"schedule", "plateau"}, {"warmup_steps", 5}, {"plateau_patience", 3}, {"plateau_factor", 0.5}},
       {"self.optimizer, factor=0.5, patience=3)", "if self.rise.last_epoch >= WARMUP_STEPS:"},
       {"rate_share"}},
      {{{"device", "cpu"}, {"clip_value", 0.5}, {"clip_norm", 1}, {"init", "orthogonal"}, {"ema", 0.99}},
       {"clip_grad_value_(self.model.parameters(), CLIP_VALUE)", "nn.init.orthogonal_(module.weight)",
        "self.model.apply(initialise)", "EMA_DECAY = 0.99", "self.average.update_parameters(self.model)",
        "trained, self.model = self.model, self.average.module"},
       {"GradientStats"}},
      {{{"device", "cpu"}, {"ema", 0.99}, {"evaluate", false}}, {"# ema:"}, {"AveragedModel"}},
      {{{"device", "cpu"}, {"model", "deep-mlp"}, {"normalise", "batch"}, {"residual", true}},
       {"DEPTH = 30", "self.norm = nn.BatchNorm1d(WIDTH)", "return x + self.activation(self.norm(self.linear(x)))"},
       {"LayerNorm", "Tanh"}},
      {{{"device", "cpu"}, {"workers", 2}, {"prefetch", 3}}, {"DataLoader(", "WORKERS = 2", "PREFETCH = 3"}, {"pin_memory"}},
      {{{"device", "cpu"}, {"pinned", true}, {"memory_budget", "1GiB"}, {"precision", "tf32"}},
       {"# pinned:", "# memory_budget:", "# precision: tf32"},
       {"pin_memory", "cuda"}},
      {{{"device", "cuda:1"}, {"pinned", true}, {"deterministic", true}, {"cudnn_benchmark", true}},
       {"DEVICE = torch.device(\"cuda:1\")", "x.pin_memory()", "torch.cuda.synchronize(DEVICE)", "CUBLAS_WORKSPACE_CONFIG",
        "fp32_precision = \"ieee\""},
       {"is_available", "cudnn.benchmark"}},
      {{{"device", "auto"}, {"precision", "tf32"}, {"cudnn_benchmark", true}},
       {"torch.cuda.is_available()", "matmul.fp32_precision = \"tf32\"", "cudnn.benchmark", "def synchronise"},
       {"\"ieee\"", "# precision"}},
      {{{"device", "cpu"}, {"epochs", 2}, {"drop_last", true}, {"data", "synthetic-images"}},
       {"STEPS = 2 * STEPS_PER_EPOCH", "4096 // BATCH", "order[:count // BATCH * BATCH]"},
       {"gzip", "--data"}},
      {{{"device", "cpu"}, {"model", "lstm"}, {"data", "synthetic-tokens"}, {"length", 64}},
       {"PAD = 0", "LENGTH = 64", "VOCABULARY = ", "pad_sequence(", "nn.LSTM(128, 256, batch_first=True)",
        "F.cross_entropy(self.model(x), y)", "train, test = load_data()", "len(labels)", "test texts"},
       {"normalise", "images", "MEAN", "Tokenizer", "flatten", "-100", "followed"}},
      {{{"device", "cpu"}, {"model", "decoder"}, {"data", "synthetic-tokens"}},
       {"y.masked_fill(y == PAD, -100)", "F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())", "followed(texts)",
        "next tokens"},
       {"normalise", "images", "labels[index]"}},
      {{{"device", "cpu"}, {"model", "lstm"}, {"data", "sentiment"}, {"sources", "reviews"}},
       {"\"movieReviewSnippets\", \"amazonReviewSnippets\"", "LEAST_RATING = 0.5", "def part_of",
        "STEPS_PER_EPOCH = math.ceil(10_491", "train, validation, test = load_data(args.data)", "ATELIER_SENTENCES"},
       {"tweets", "normalise", "VOCABULARY"}},
      {{{"device", "cpu"}, {"model", "lstm"}, {"data", "sentiment"}, {"epochs", 3}},
       {"tweets", "train, validation, test = load_data(args.data)", "evaluate(trainer, validation, report)",
        "accuracy = evaluate(trainer, test, report)"},
       {"normalise"}},
      {{{"device", "cpu"}, {"model", "lstm"}, {"data", "sentiment"}, {"evaluate", false}},
       {"train, _, _ = load_data(args.data)"},
       {"accuracy"}},
      {{{"device", "cpu"}, {"weights", "a/b.safetensors"}},
       {"from safetensors.torch import load_model", "WEIGHTS = \"a/b.safetensors\"",
        "load_model(self.model, WEIGHTS, strict=False)"},
       {"tokenizers"}}};
  for (const auto& one : cases) {
    const auto script = pytorchScript(spec(one.keys));
    const auto body = script.substr(script.find("import argparse"));
    for (const auto& part : one.said) EXPECT_TRUE(has(body, part)) << one.keys << " lacks " << part;
    for (const auto& part : one.unsaid) EXPECT_FALSE(has(body, part)) << one.keys << " has " << part;
  }
}

TEST(Script, AllOfTheMatrixCompilesAndPleasesAReviewer) {
  const Folder folder;
  std::vector<std::string> files;
  for (const auto& keys : matrix())
    files.push_back(folder.write(std::to_string(files.size()) + ".py", pytorchScript(spec(keys))));
  EXPECT_GE(files.size(), 40U);
  EXPECT_EQ(lint(files), "");
  EXPECT_NE(lint({folder.write("bad.py", "import os\n")}), "") << "the reviewer sleeps";
}

// The text of a spec stays text, whatever stands in it.
TEST(Script, AHostileDeviceNameStaysAString) {
  const Folder folder;
  std::vector<std::string> files;
  for (const std::string name : {"cuda:0\"); import os; os.abort() #", "\"\"\"\nimport os\n\"\"\"", "back\\",
                                 "@step@ @imports@", "line\nbreak\r\0zero", "d\xc3\xa9j\xc3\xa0 \xff"}) {
    auto asked = spec({{"mode", "infer"}, {"data", "synthetic-images"}, {"threads", 1}});
    asked.set("device", name);
    const auto script = pytorchScript(asked);
    EXPECT_FALSE(has(script, "\nimport os") || has(script, "\"); import os") || has(script, "@step@")) << name;
    files.push_back(folder.write(std::to_string(files.size()) + ".py", script));
  }
  EXPECT_EQ(lint(files), "");
}

TEST(Script, AHostileModelOrFileNameStaysAString) {
  const Folder folder;
  std::vector<std::string> files;
  for (const std::string name : {"x\"); import os; os.abort() #", "\"\"\"\nimport os\n\"\"\"", "back\\", "@step@ @imports@",
                                 "line\nbreak\r", "d\xc3\xa9j\xc3\xa0 \xff"}) {
    auto asked = spec({{"mode", "infer"}, {"model", "hf:minilm"}, {"data", "sentiment"}, {"device", "cpu"}, {"threads", 1}});
    asked.set("model", "hf:" + name);
    asked.set("weights", name);
    const auto script = pytorchScript(asked);
    EXPECT_FALSE(has(script, "\nimport os\n\"") || has(script, "\"); import os") || has(script, "@step@")) << name;
    files.push_back(folder.write(std::to_string(files.size()) + ".py", script));
  }
  EXPECT_EQ(lint(files), "");
}

// What the head says that must be installed is what is imported.
TEST(Script, SaysWhichLibrariesItNeedsBesidePyTorch) {
  const auto headOf = [](const json& keys) {
    const auto script = pytorchScript(spec(with({{"device", "cpu"}}, keys)));
    return script.substr(0, script.find("import argparse"));
  };
  EXPECT_TRUE(has(headOf({{"model", "cnn"}}), "with PyTorch 2.11 alone."));
  EXPECT_TRUE(has(headOf({{"model", "lstm"}, {"data", "synthetic-tokens"}}), "with PyTorch 2.11 alone."));
  const auto both = headOf({{"model", "lstm"}, {"data", "sentiment"}, {"weights", "w.safetensors"}});
  EXPECT_TRUE(has(both, "It needs beside it: safetensors, tok")) << both;
  EXPECT_FALSE(has(both, "alone"));
}

TEST(Script, KnowsTheDataWithoutLoadingIt) {
  const auto schema = engineSchema();
  DataCache cache;
  for (const auto& unit : allData()) {
    if (unit.needs_folder) continue;  // of the user's
    const bool tokens = unit.input == InputKind::Tokens;
    std::string why;
    if (tokens && (!fixture::installedTokenizer(why) || !fixture::sentencesInstalled())) continue;
    const auto asked = spec({{"data", unit.id}, {"model", tokens ? "lstm" : "cnn"}, {"device", "cpu"}, {"length", 96}});
    ScriptBuilder script(asked, *schema);
    const auto facts = unit.script(script);
    const auto plan = makePlan(asked, cache);
    ASSERT_TRUE(plan.ok()) << unit.id << ": " << plan.error().messages.front().id;
    const auto& data = plan->data;
    EXPECT_EQ(facts.train_count, data->count(Split::Train)) << unit.id;
    EXPECT_EQ(facts.validation_count, data->count(Split::Validation)) << unit.id;
    EXPECT_EQ(facts.evaluation_count, data->count(Split::Test)) << unit.id;
    EXPECT_EQ(facts.shape.kind, data->shape.kind) << unit.id;
    EXPECT_EQ(facts.shape.vocabulary, data->shape.vocabulary) << unit.id;
    EXPECT_EQ(facts.shape.length, data->shape.length) << unit.id;
    EXPECT_EQ(facts.shape.pad, data->shape.pad) << unit.id;
    EXPECT_EQ(facts.shape.channels, data->shape.channels) << unit.id;
    EXPECT_EQ(facts.shape.height, data->shape.height) << unit.id;
    EXPECT_EQ(facts.shape.width, data->shape.width) << unit.id;
    EXPECT_EQ(facts.shape.classes, data->shape.classes) << unit.id;
  }
}

TEST(Script, PlansTheCountsThatTheSessionPlans) {
  DataCache cache;
  for (const auto& keys : std::vector<json>{{{"steps", 7}, {"blocks", 10}},
                                            {{"epochs", 2}, {"batch", 1000}},
                                            {{"epochs", 2}, {"batch", 1000}, {"drop_last", true}, {"blocks", 3}},
                                            {{"warmup", 0}}}) {
    const auto asked = spec(with(keys, {{"data", "synthetic-images"}, {"device", "cpu"}}));
    const auto plan = makePlan(asked, cache);
    const auto ours = scriptPlan(asked);
    ASSERT_TRUE(plan.ok() && ours.ok());
    EXPECT_EQ(ours->steps, plan->steps) << keys;
    EXPECT_EQ(ours->warmup, plan->warmup) << keys;
    EXPECT_EQ(ours->blocks, plan->blocks) << keys;
  }
  const auto large = scriptPlan(spec({{"data", "synthetic-images"}, {"batch", 4097}}));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().messages.front().id, "spec.batch_too_large");
}

TEST(ScriptBuilder, PutsLinesAtTheirIndentationAndDropsWhatNothingFills) {
  const auto asked = spec(json::object());
  const auto schema = engineSchema();
  ScriptBuilder script(asked, *schema);
  script.fill("inner", "\nif x:\n    y()\n");
  script.fill("inner", "z()");
  script.word("name", "f");
  EXPECT_EQ(script.render("def @name@():\n    @inner@\n    @nothing@\n\n    return a @ b\n\n\n\n\nclass C:\n    pass\n"),
            "def f():\n    if x:\n        y()\n    z()\n\n    return a @ b\n\n\nclass C:\n    pass\n");
}

TEST(ScriptBuilder, WritesAnyPathAsAnExpressionOfShortLines) {
  const auto asked = spec(json::object());
  const auto schema = engineSchema();
  ScriptBuilder script(asked, *schema);
  EXPECT_EQ(script.path("/data/a b.txt", 10), "\"/data/a b.txt\"");
  EXPECT_EQ(script.path("", 10), "\"\"");
  EXPECT_EQ(script.path("a\"\\@b", 10), R"("a\x22\x5c\x40b")");
  EXPECT_FALSE(has(script.render("@imports@"), "import os"));
  EXPECT_EQ(script.path("d\xc3\xa9j\xc3\xa0", 10), R"(os.fsdecode(b"d\xc3\xa9j\xc3\xa0"))");
  EXPECT_TRUE(has(script.render("@imports@"), "import os"));
  const auto longest = script.path("/" + std::string(300, 'x'), 10);
  std::string whole;
  for (std::size_t at = 0, end = 0; at < longest.size(); at = end + 1) {
    end = std::min(longest.find('\n', at), longest.size());
    EXPECT_LT(end - at, 95U);
    for (const char c : longest.substr(at, end - at))
      if (c == 'x' || c == '/') whole += c;
  }
  EXPECT_EQ(whole, "/" + std::string(300, 'x'));
  EXPECT_TRUE(longest.starts_with("(\n    \"") && longest.ends_with("\")"));
}

TEST(ScriptBuilder, WritesNumbersAsPythonDoes) {
  EXPECT_EQ(pythonNumber(1), "1.0");
  EXPECT_EQ(pythonNumber(0.001), "0.001");
  EXPECT_EQ(pythonNumber(-2.5), "-2.5");
  EXPECT_TRUE(has(pythonNumber(1e30), "e"));
}

}  // namespace atelier::engine
