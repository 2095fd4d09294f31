#include "core/engine/data/text_dataset.h"

#include <algorithm>
#include <array>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;

TextDataset small(std::int64_t pad = 0) {
  TextDataset::Sets sets;
  sets[0].add(std::vector<std::int32_t>{7, 8, 9}, 1);
  sets[0].add(std::vector<std::int32_t>{5}, 0);
  sets[0].add(std::vector<std::int32_t>{6, std::numeric_limits<std::int32_t>::max()}, 1);
  sets[2].add(std::vector<std::int32_t>{}, 1);
  return {"small", tokens(10, 8, pad), std::move(sets)};
}

std::vector<std::int64_t> values(const at::Tensor& tensor) {
  const auto flat = tensor.contiguous();
  const auto* data = flat.const_data_ptr<std::int64_t>();
  return {data, data + flat.numel()};
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST(TextDataset, PadsToTheLongestOfTheBatch) {
  const auto data = small();
  EXPECT_EQ(data.id, "small");
  EXPECT_EQ(data.count(Split::Train), 3);
  EXPECT_EQ(data.count(Split::Validation), 0);
  EXPECT_EQ(data.count(Split::Test), 1);
  const std::array<std::int64_t, 3> order{1, 0, 2};
  const auto batch = data.batch(Split::Train, order.data(), 3);
  EXPECT_EQ(batch.input.sizes(), at::IntArrayRef({3, 3}));
  EXPECT_EQ(batch.input.scalar_type(), at::kLong);
  EXPECT_EQ(values(batch.input), (Ids{5, 0, 0, 7, 8, 9, 6, 2147483647, 0}));
  EXPECT_EQ(values(batch.target), (Ids{0, 1, 1}));
  const auto alone = data.batch(Split::Train, order.data(), 1);
  EXPECT_EQ(alone.input.sizes(), at::IntArrayRef({1, 1})) << "a batch of short ones is short";
}

TEST(TextDataset, PadsWithTheTokenizersToken) {
  const auto data = small(3);
  const std::array<std::int64_t, 2> order{0, 1};
  EXPECT_EQ(values(data.batch(Split::Train, order.data(), 2).input), (Ids{7, 8, 9, 5, 3, 3}));
}

TEST(TextDataset, AnEmptySequenceIsPaddingAlone) {
  const auto data = small(3);
  const std::int64_t first = 0;
  const auto batch = data.batch(Split::Test, &first, 1);
  EXPECT_EQ(values(batch.input), (Ids{3}));
  EXPECT_EQ(values(batch.target), (Ids{1}));
}

TEST(TextDataset, RefusesASampleOutsideTheSplit) {
  const auto data = small();
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_THROW(data.batch(Split::Train, &bad, 1), c10::Error) << bad;
  const std::int64_t first = 0;
  EXPECT_THROW(data.batch(Split::Validation, &first, 1), c10::Error);
}

TEST(TextDataset, TextsAreCutToTheLengthWithTheirLastTokenKept) {
  const TextFolder folder;
  const auto tokenizer = folder.tokenizer();
  std::string long_text;
  for (int i = 0; i < 1015; ++i) long_text += "a ";  // 1,017 tokens
  const TextDataset data("texts", tokens(tokenizer->size(), 8, tokenizer->pad()),
                         {{Split::Train, long_text, 1}, {Split::Test, "b c", 0}, {Split::Train, "", 0}}, *tokenizer);
  EXPECT_EQ(data.count(Split::Train), 2);
  EXPECT_EQ(data.count(Split::Test), 1);
  const std::array<std::int64_t, 2> order{0, 1};
  EXPECT_EQ(values(data.batch(Split::Train, order.data(), 2).input), (Ids{2, 5, 5, 5, 5, 5, 5, 3, 2, 3, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values(data.batch(Split::Test, order.data(), 1).input), (Ids{2, 6, 7, 3}));
}

// Loader workers make batches at once.
TEST(TextDataset, ThreadsGetTheSameBatches) {
  TextDataset::Sets sets;
  for (std::int32_t i = 0; i < 200; ++i)
    sets[0].add(std::vector<std::int32_t>(static_cast<std::size_t>(1 + i % 17), i + 1), i % 2);
  const TextDataset data("many", tokens(201, 17), std::move(sets));
  std::vector<std::int64_t> order;
  for (std::int64_t i = 199; i >= 0; --i) order.push_back(i);
  const auto expected = data.batch(Split::Train, order.data(), 200);
  std::array<Batch, 4> made;
  std::vector<std::thread> threads;
  for (auto& batch : made)
    threads.emplace_back([&] { batch = data.batch(Split::Train, order.data(), static_cast<std::int64_t>(order.size())); });
  for (auto& thread : threads) thread.join();
  for (const auto& batch : made) {
    EXPECT_TRUE(at::equal(batch.input, expected.input));
    EXPECT_TRUE(at::equal(batch.target, expected.target));
  }
  EXPECT_EQ(expected.target.sum().item<std::int64_t>(), 100);
}

TEST(TokenShape, IsNoLongerThanTheKeyAndTheModelAllow) {
  const auto spec = specOf({{"length", 100}});
  EXPECT_EQ(tokenShape({0, spec, nullptr, 512}).length, 100);
  EXPECT_EQ(tokenShape({0, spec, nullptr, 64}).length, 64);
  EXPECT_EQ(tokenShape({0, spec, nullptr, 0}).length, 100) << "0: the model has no limit";
  const TextFolder folder;
  const auto shape = tokenShape({0, spec, folder.tokenizer(), 64});
  EXPECT_EQ(shape.vocabulary, 9);
  EXPECT_EQ(shape.pad, 0);
  EXPECT_EQ(shape.classes, 2);
  EXPECT_EQ(shape.kind, InputKind::Tokens);
  EXPECT_EQ(tokenShape({0, spec, nullptr, 0}).vocabulary, 30522) << "BERT's, without a tokenizer";
}

}  // namespace atelier::engine
