#include "core/engine/module/load_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/script/script.h"
#include "core/engine/session/trainer.h"
#include "core/engine/techniques/technique.h"
#include "installed_memory.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;
using nlohmann::json;

struct Stored {
  std::string name, dtype;
  at::Tensor values;
};

// A safetensors file. `shift`: spaces behind the header, which move the data away from any alignment.
std::string safetensors(const std::vector<Stored>& tensors, std::size_t shift = 0) {
  json header = json::object();
  std::string data;
  for (const auto& tensor : tensors) {
    const auto values = tensor.values.contiguous();
    const auto begin = data.size();
    data.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", values.sizes().vec()}, {"data_offsets", {begin, data.size()}}};
  }
  auto text = header.dump() + std::string(shift, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  return length + text + data;
}

std::shared_ptr<const pretrained::SafetensorsFile> open(const std::filesystem::path& file) {
  const auto opened = pretrained::SafetensorsFile::open(file);
  if (!opened.ok()) throw std::runtime_error(opened.error().messages.front().id);
  return *opened;
}

std::string argument(const wire::Message& message, const std::string& name) {
  for (const auto& [key, value] : message.args)
    if (key == name) return value;
  return "";
}

// All tensors of a model as they are, in a file's form.
std::vector<Stored> all(const Module& model) {
  std::vector<Stored> tensors;
  for (const auto& parameter : model.named_parameters())
    tensors.push_back({parameter.key(), "F32", parameter.value().detach()});
  for (const auto& buffer : model.named_buffers())
    tensors.push_back({buffer.key(), buffer.value().scalar_type() == at::kLong ? "I64" : "F32", buffer.value()});
  return tensors;
}

json mlp(const std::filesystem::path& file) {
  return {{"model", "mlp"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"batch", 16},
          {"threads", 1},   {"weights", file.string()}};
}

// An mlp for synthetic-images, drawn from another seed than runs have.
std::shared_ptr<Module> other(const std::string& id = "mlp") {
  at::manual_seed(77);
  return buildModel(id, {3, 32, 32, 10});
}

// A model with one tensor under two names.
class Tied final : public Module {
 public:
  Tied() {
    m_linear = add("linear", std::make_shared<Linear>(3, 2));
    m_head = register_parameter("head", m_linear->weight());
  }
  std::string kind() const override { return "Tied"; }
  const at::Tensor& head() const { return m_head; }

 private:
  at::Tensor forward(at::Tensor input) override { return (*m_linear)(std::move(input)); }
  std::shared_ptr<Linear> m_linear;
  at::Tensor m_head;
};

std::unique_ptr<Technique> technique(const wire::RunSpec& spec, std::vector<wire::Message>& notices) {
  static const Say silent = [](const wire::EventBody&) {};
  for (const auto& unit : allTechniques())
    if (unit.id == "weights") return unit.make({spec, at::kCPU, notices, silent});
  return nullptr;
}

wire::Status valid(const json& keys) {
  return validate(specOf(keys));
}

}  // namespace

TEST(LoadTensor, ConvertsEveryDtypeAlignedOrNot) {
  const TextFolder folder;
  const std::vector<double> values{0, 1, -2, 0.5, 96, -0.25};
  struct Case {
    const char* dtype;
    at::ScalarType type;
  };
  for (const auto& one : {Case{"F64", at::kDouble}, Case{"F32", at::kFloat}, Case{"F16", at::kHalf},
                          Case{"BF16", at::kBFloat16}, Case{"F8_E4M3", at::kFloat8_e4m3fn}, Case{"F8_E5M2", at::kFloat8_e5m2}})
    for (const std::size_t shift : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
      const auto stored = at::tensor(values, at::kDouble).view({2, 3}).to(at::kFloat).to(one.type);
      const auto file = open(folder.write("w.safetensors", safetensors({{"w", one.dtype, stored}}, shift)));
      auto parameter = at::full({2, 3}, 7.0, at::kFloat);
      ASSERT_TRUE(loadTensor(parameter, *file, *file->find("w")).ok()) << one.dtype;
      EXPECT_TRUE(at::equal(parameter, at::tensor(values, at::kFloat).view({2, 3}))) << one.dtype << " shifted by " << shift;
    }
}

TEST(LoadTensor, KeepsWhatIsNotFinite) {
  const TextFolder folder;
  const auto stored = at::tensor({std::numeric_limits<float>::infinity(), std::nanf(""), -0.0F});
  const auto file = open(folder.write("w.safetensors", safetensors({{"w", "F32", stored}})));
  auto parameter = at::zeros({3});
  ASSERT_TRUE(loadTensor(parameter, *file, *file->find("w")).ok());
  EXPECT_TRUE(std::isinf(parameter[0].item<float>()));
  EXPECT_TRUE(std::isnan(parameter[1].item<float>()));
  EXPECT_TRUE(std::signbit(parameter[2].item<float>()));
}

TEST(LoadTensor, WritesIntoParametersWhateverTheirLayout) {
  const TextFolder folder;
  const auto stored = at::arange(2 * 3 * 2 * 2, at::kFloat).view({2, 3, 2, 2});
  const auto file = open(folder.write("w.safetensors", safetensors({{"w", "F32", stored}})));
  auto parameter = at::zeros({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
  ASSERT_TRUE(loadTensor(parameter, *file, *file->find("w")).ok());
  EXPECT_TRUE(at::equal(parameter, stored));
  EXPECT_EQ(parameter.stride(1), 1);
  auto narrow = at::zeros({2, 3, 2, 2}, at::kBFloat16);
  ASSERT_TRUE(loadTensor(narrow, *file, *file->find("w")).ok());
  EXPECT_TRUE(at::equal(narrow.to(at::kFloat), stored)) << "small integers are exact in bfloat16";
}

TEST(LoadTensor, TakesScalarsAndTensorsWithoutElements) {
  const TextFolder folder;
  const auto file = open(folder.write(
      "w.safetensors", safetensors({{"count", "I64", at::scalar_tensor(41, at::kLong)}, {"none", "F32", at::zeros({0, 3})}})));
  auto count = at::zeros({}, at::kLong), none = at::zeros({0, 3});
  EXPECT_TRUE(loadTensor(count, *file, *file->find("count")).ok());
  EXPECT_EQ(count.item<std::int64_t>(), 41);
  EXPECT_TRUE(loadTensor(none, *file, *file->find("none")).ok());
}

// What was made of the old values must be found out to be old.
TEST(LoadTensor, RaisesTheVersionOfWhatItWrites) {
  const TextFolder folder;
  const auto file =
      open(folder.write("w.safetensors", safetensors({{"w", "F32", at::ones({2})}, {"h", "F16", at::ones({2}, at::kHalf)}})));
  auto parameter = at::zeros({2}).requires_grad_();
  for (const char* name : {"w", "h"}) {
    const auto before = parameter._version();
    ASSERT_TRUE(loadTensor(parameter, *file, *file->find(name)).ok());
    EXPECT_GT(parameter._version(), before) << name;
  }
}

TEST(LoadTensor, RefusesAnotherShapeOrKindOfNumberAndWritesNothing) {
  const TextFolder folder;
  const auto file =
      open(folder.write("w.safetensors", safetensors({{"w", "F32", at::ones({2, 3})}, {"i", "I32", at::ones({2}, at::kInt)}})));
  auto wide = at::zeros({3, 2});
  const auto shape = loadTensor(wide, *file, *file->find("w"));
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.error().messages.front(),
            (wire::Message{"weights.shape", {{"tensor", "w"}, {"wanted", "[3, 2]"}, {"got", "[2, 3]"}}}));
  EXPECT_EQ(wide.sum().item<float>(), 0);
  auto real = at::zeros({2});
  const auto dtype = loadTensor(real, *file, *file->find("i"));
  ASSERT_FALSE(dtype.ok());
  EXPECT_EQ(dtype.error().messages.front().id, "weights.dtype");
  EXPECT_EQ(argument(dtype.error().messages.front(), "supported"), "F32, F64, F16, BF16, F8_E4M3, F8_E5M2");
  auto count = at::zeros({2}, at::kLong);
  EXPECT_TRUE(loadTensor(count, *file, *file->find("i")).ok()) << "an integer may be wider";
  EXPECT_EQ(count.sum().item<std::int64_t>(), 2);
}

TEST(Weights, ARunBeginsWithThoseOfTheFile) {
  const TextFolder folder;
  const auto model = other();
  const auto file = folder.write("w.safetensors", safetensors(all(*model), 3));
  ASSERT_TRUE(valid(mlp(file)).ok());
  DataCache cache;
  Trainer trainer(*makePlan(specOf(mlp(file)), cache), installedMemory());
  EXPECT_TRUE(trainer.notices().empty());
  const auto expected = model->named_parameters();
  for (const auto& parameter : trainer.model().named_parameters())
    EXPECT_TRUE(at::equal(parameter.value(), expected[parameter.key()])) << parameter.key();
  EXPECT_TRUE(std::isfinite(*trainer.step().loss));
}

TEST(Weights, StatisticsOfNormsAreLoadedToo) {
  const TextFolder folder;
  const auto model = other("cnn");
  (*model)(at::randn({8, 3, 32, 32}));
  auto keys = mlp(folder.write("w.safetensors", safetensors(all(*model))));
  keys["model"] = "cnn";
  ASSERT_TRUE(valid(keys).ok());
  DataCache cache;
  Trainer trainer(*makePlan(specOf(keys), cache), installedMemory());
  const auto expected = model->named_buffers();
  for (const auto& buffer : trainer.model().named_buffers())
    EXPECT_TRUE(at::equal(buffer.value(), expected[buffer.key()])) << buffer.key();
}

TEST(Weights, ACounterThatNothingReadsMayBeAbsentStatisticsMayNot) {
  const TextFolder folder;
  auto tensors = all(*other("cnn"));
  std::erase_if(tensors, [](const Stored& tensor) { return tensor.name.ends_with("num_batches_tracked"); });
  auto keys = mlp(folder.write("w.safetensors", safetensors(tensors)));
  keys["model"] = "cnn";
  EXPECT_TRUE(valid(keys).ok());
  std::erase_if(tensors, [](const Stored& tensor) { return tensor.name == "1.1.running_var"; });
  folder.write("w.safetensors", safetensors(tensors));
  const auto refused = valid(keys);
  ASSERT_FALSE(refused.ok());
  ASSERT_EQ(refused.error().messages.size(), 1U);
  EXPECT_EQ(refused.error().messages.front(), (wire::Message{"weights.missing_tensor", {{"tensor", "1.1.running_var"}}}));
}

TEST(Weights, MistakesAreNamedBeforeAnythingRuns) {
  const TextFolder folder;
  auto tensors = all(*other());
  tensors[0].values = at::zeros({256, 784});
  tensors.erase(tensors.begin() + 3);
  const auto refused = valid(mlp(folder.write("w.safetensors", safetensors(tensors))));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(
      refused.error().messages,
      (std::vector<wire::Message>{{"weights.shape", {{"tensor", "1.weight"}, {"wanted", "[256, 3072]"}, {"got", "[256, 784]"}}},
                                  {"weights.missing_tensor", {{"tensor", "3.bias"}}}}));
}

TEST(Weights, AFileThatIsNoneIsNamed) {
  const TextFolder folder;
  const auto missing = valid(mlp(folder.path() / "none.safetensors"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, wire::ExitCode::Usage);
  EXPECT_EQ(missing.error().messages.front().id, "weights.missing");
  const auto damaged = valid(mlp(folder.write("w.safetensors", "not weights at all")));
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().messages.front().id, "weights.damaged");
}

TEST(Weights, AnotherModelsFileGetsAFewMistakesNotHundreds) {
  const TextFolder folder;
  auto keys = mlp(folder.write("w.safetensors", safetensors({{"x", "F32", at::zeros({1})}})));
  keys["model"] = "resnet18";
  const auto refused = valid(keys);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().messages.size(), 5U);
}

TEST(Weights, WhatTheModelDoesNotKnowIsSaid) {
  const TextFolder folder;
  auto tensors = all(*other());
  for (const char* name : {"pooler.weight", "extra.0", "extra.1", "extra.2", "extra.3", "extra.4"})
    tensors.push_back({name, "F32", at::zeros({2})});
  const auto file = folder.write("w.safetensors", safetensors(tensors));
  DataCache cache;
  Trainer trainer(*makePlan(specOf(mlp(file)), cache), installedMemory());
  ASSERT_EQ(trainer.notices().size(), 1U);
  const auto& notice = trainer.notices().front();
  EXPECT_EQ(notice.id, "weights.unused");
  EXPECT_EQ(argument(notice, "count"), "6");
  EXPECT_EQ(argument(notice, "file"), file.string());
  const auto names = argument(notice, "names");
  EXPECT_TRUE(names.ends_with(", …")) << names;
  EXPECT_EQ(std::count(names.begin(), names.end(), ','), 5) << names;
}

// Writers of files leave one of two tied tensors out, either one.
TEST(Weights, ATiedTensorMayStandUnderEitherName) {
  const TextFolder folder;
  const auto values = at::arange(6, at::kFloat).view({2, 3});
  for (const char* name : {"head", "linear.weight"}) {
    const auto file = folder.write("w.safetensors",
                                   safetensors({{name, "F32", values}, {"linear.bias", "F32", at::full({2}, 5, at::kFloat)}}));
    const auto spec = specOf(mlp(file));
    std::vector<wire::Message> notices;
    const auto model = std::make_shared<Tied>();
    technique(spec, notices)->prepareModel(*model);
    EXPECT_TRUE(at::equal(model->head(), values)) << name;
    EXPECT_TRUE(at::equal(model->named_parameters()["linear.weight"], values)) << name;
    EXPECT_TRUE(notices.empty());
  }
}

// A file may be replaced between the check and the run.
TEST(Weights, AFileThatChangedMeanwhileIsNotLoadedInPart) {
  const TextFolder folder;
  auto tensors = all(*other());
  tensors.pop_back();
  const auto file = folder.write("w.safetensors", safetensors(tensors));
  const auto spec = specOf(mlp(file));
  std::vector<wire::Message> notices;
  const auto model = buildModel("mlp", {3, 32, 32, 10});
  const auto before = model->named_parameters()["1.weight"].clone();
  EXPECT_THROW(technique(spec, notices)->prepareModel(*model), c10::Error);
  EXPECT_TRUE(at::equal(model->named_parameters()["1.weight"], before));
}

// The check builds the model in a thread of its own: nothing of it is charged to the variant that this thread works for.
TEST(Weights, ValidatingTakesNothingFromAVariantsBudget) {
  const TextFolder folder;
  const auto file = folder.write("w.safetensors", safetensors(all(*other())));
  auto keys = mlp(file);
  DataCache cache;
  Trainer trainer(*makePlan(specOf(keys), cache), installedMemory());
  trainer.activate();
  const auto before = trainer.memory().peak().total;
  keys["model"] = "resnet18";
  EXPECT_FALSE(valid(keys).ok());
  EXPECT_EQ(trainer.memory().peak().total, before);
}

TEST(Weights, TheScriptLoadsThem) {
  const auto script = pytorchScript(specOf(mlp("/tmp/some \"weights\".safetensors")));
  EXPECT_NE(script.find("from safetensors.torch import load_model"), std::string::npos);
  EXPECT_NE(script.find(R"(WEIGHTS = "/tmp/some \x22weights\x22.safetensors")"), std::string::npos);
  EXPECT_NE(script.find("missing, _ = load_model(self.model, WEIGHTS, strict=False)"), std::string::npos);
  EXPECT_EQ(pytorchScript(specOf({{"model", "mlp"}})).find("safetensors"), std::string::npos);
}

}  // namespace atelier::engine
