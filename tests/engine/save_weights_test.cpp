#include "core/engine/module/save_weights.h"

#include <gtest/gtest.h>

#include "core/engine/module/layers.h"
#include "core/engine/module/load_weights.h"
#include "core/engine/session/plan.h"
#include "installed_memory.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using fixture::TextFolder;

// One tensor under two names, and a buffer.
class Tied final : public Module {
 public:
  Tied() {
    m_linear = add("linear", std::make_shared<Linear>(3, 2));
    m_head = register_parameter("head", m_linear->weight());
    m_count = register_buffer("count", at::full({}, 5, at::kLong));
  }
  std::string kind() const override { return "Tied"; }

 private:
  at::Tensor forward(at::Tensor input) override { return (*m_linear)(std::move(input)); }
  std::shared_ptr<Linear> m_linear;
  at::Tensor m_head, m_count;
};

}  // namespace

TEST(SaveWeights, TheFileHoldsEveryTensorOnceBitForBit) {
  const TextFolder folder;
  at::manual_seed(3);
  const auto model = std::make_shared<Tied>();
  const auto path = folder.path() / "weights.safetensors";
  ASSERT_TRUE(saveWeights(path, *model).ok());
  const auto file = pretrained::SafetensorsFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->tensors().size(), 3U) << "the tied one stands there once";
  EXPECT_EQ((*file)->metadata().at("format"), "pt");
  auto all = model->named_parameters();
  std::size_t compared = 0;
  for (const auto& stored : (*file)->tensors()) {
    if (stored.name == "count") {
      EXPECT_EQ(stored.dtype, "I64");
      continue;
    }
    auto read = at::zeros_like(all[stored.name]);
    ASSERT_TRUE(loadTensor(read, **file, stored).ok()) << stored.name;
    EXPECT_TRUE(at::equal(read, all[stored.name])) << stored.name;
    ++compared;
  }
  EXPECT_EQ(compared, 2U);
}

TEST(SaveWeights, ARunCanBeginWithThem) {
  const TextFolder folder;
  at::manual_seed(77);
  const auto model = fixture::buildModel("cnn", {3, 32, 32, 10});
  (*model)(at::randn({4, 3, 32, 32}));
  const auto path = folder.path() / "weights.safetensors";
  ASSERT_TRUE(saveWeights(path, *model).ok());
  const auto spec = wire::RunSpec::parse(
      *engineSchema(), {{"model", "cnn"}, {"data", "synthetic-images"}, {"device", "cpu"}, {"weights", path.string()}});
  ASSERT_TRUE(spec.ok());
  EXPECT_TRUE(validate(*spec).ok());
}

TEST(SaveWeights, AFolderThatIsNotThereIsToldAndNothingIsThrown) {
  const auto saved = saveWeights("/nowhere/at/all/weights.safetensors", *std::make_shared<Tied>());
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().messages.front().id, "file.not_written");
}

}  // namespace atelier::engine
