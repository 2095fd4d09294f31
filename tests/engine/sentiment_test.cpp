#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/data/text_dataset.h"
#include "core/engine/session/trainer.h"
#include "core/pretrained/sentences.h"
#include "installed_memory.h"
#include "text_fixture.h"

namespace atelier::engine {
namespace {

using namespace fixture;

const TextDataset& texts(const std::shared_ptr<const Dataset>& data) {
  return dynamic_cast<const TextDataset&>(*data);
}

std::vector<std::int32_t> sequence(const TokenSet& set, std::size_t i) {
  return {set.ids.begin() + set.offsets[i], set.ids.begin() + set.offsets[i + 1]};
}

// Ratings on both sides of what is too near to nothing, from every source.
void writeSentences(const TextFolder& folder) {
  folder.write("movieReviewSnippets_GroundTruth.txt", "1\t2.5\ta\r\n2\t-0.5\tb\r\n3\t0.49\tc\r\n");
  folder.write("amazonReviewSnippets_GroundTruth.txt", "1_1\t-3\tc\r\n1_2\t0.5\td\r\n");
  folder.write("nytEditorialSnippets_GroundTruth.txt", "1_1\t1\ta b\r\n");
  folder.write("tweets_GroundTruth.txt", "1\t-1\tb c\r\n2\t0\ta\r\n");
}

using Labelled = std::set<std::pair<std::vector<std::int32_t>, std::int64_t>>;

// The ids of every sentence that was taken, whatever its split, with its label.
Labelled taken(const TextDataset& data) {
  Labelled all;
  for (const auto split : {Split::Train, Split::Validation, Split::Test}) {
    const auto& set = data.set(split);
    for (std::size_t i = 0; i < set.labels.size(); ++i) all.insert({sequence(set, i), set.labels[i]});
  }
  return all;
}

}  // namespace

TEST(Sentiment, TakesDecidedRatingsOfTheSourcesAskedFor) {
  const TextFolder folder;
  writeSentences(folder);
  const EnvironmentVariable sentences("ATELIER_SENTENCES", folder.path().string());
  const auto tokenizer = folder.tokenizer();
  const auto load = [&](const wire::RunSpec& spec) { return dataUnit("sentiment").load({0, spec, tokenizer, 16}); };
  const auto all = load(specOf({{"sources", "all"}}));
  ASSERT_TRUE(all.ok()) << all.error().messages.front().id;
  // [CLS] 2, [SEP] 3, a 5, b 6, c 7, d 8: ratings of 0.49 and 0 are too near to nothing, ±0.5 is not.
  Labelled expected{{{2, 5, 3}, 1}, {{2, 6, 3}, 0}, {{2, 7, 3}, 0}, {{2, 8, 3}, 1}};
  const auto reviews = load(specOf({{"sources", "reviews"}}));
  ASSERT_TRUE(reviews.ok());
  EXPECT_EQ(taken(texts(*reviews)), expected);
  expected.insert({{2, 5, 6, 3}, 1});
  expected.insert({{2, 6, 7, 3}, 0});
  EXPECT_EQ(taken(texts(*all)), expected);
  EXPECT_EQ((*all)->shape.vocabulary, 9);
  EXPECT_EQ((*all)->shape.length, 16);
}

TEST(Sentiment, SaysWhatIsMissingOrDamaged) {
  const TextFolder folder;
  const auto tokenizer = folder.tokenizer();
  const EnvironmentVariable sentences("ATELIER_SENTENCES", folder.path().string());
  const auto spec = specOf({{"sources", "all"}});
  const auto missing = dataUnit("sentiment").load({0, spec, tokenizer, 0});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().messages.front().id, "sentences.missing");
  writeSentences(folder);
  folder.write("tweets_GroundTruth.txt", "1\tfine\ta\r\n");
  const auto damaged = dataUnit("sentiment").load({0, spec, tokenizer, 0});
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().messages.front().id, "sentences.damaged");
}

TEST(Sentiment, TheInstalledSentencesAreTokenisedInUnderASecond) {
  std::string why;
  const auto tokenizer = installedTokenizer(why);
  if (!tokenizer) GTEST_SKIP() << why;
  if (!sentencesInstalled()) GTEST_SKIP() << "the sentences are not installed";
  const auto sentences = pretrained::readSentences(ATELIER_SENTENCES_DIR);
  ASSERT_TRUE(sentences.ok());
  std::vector<LabelledText> all;
  for (const auto& sentence : *sentences) all.push_back({Split::Train, sentence.text, sentence.rating > 0 ? 1 : 0});
  const auto begin = std::chrono::steady_clock::now();
  const TextDataset data("all", tokens(tokenizer->size(), 128), all, *tokenizer);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(data.count(Split::Train), 23'000);
#ifdef NDEBUG
  EXPECT_LT(seconds.count(), 1.0);
#endif
  RecordProperty("seconds", std::to_string(seconds.count()));
}

TEST(Sentiment, TheInstalledSplitsAreAsTheScriptsSay) {
  std::string why;
  const auto tokenizer = installedTokenizer(why);
  if (!tokenizer) GTEST_SKIP() << why;
  if (!sentencesInstalled()) GTEST_SKIP() << "the sentences are not installed";
  struct Case {
    const char* sources;
    std::int64_t train, validation, test;
  };
  for (const auto& one : {Case{"all", 15568, 1908, 1983}, Case{"reviews", 10491, 1249, 1317}}) {
    const auto spec = specOf({{"sources", one.sources}});
    const auto data = dataUnit("sentiment").load({0, spec, tokenizer, 0});
    ASSERT_TRUE(data.ok());
    EXPECT_EQ((*data)->count(Split::Train), one.train) << one.sources;
    EXPECT_EQ((*data)->count(Split::Validation), one.validation) << one.sources;
    EXPECT_EQ((*data)->count(Split::Test), one.test) << one.sources;
    const auto& set = texts(*data).set(Split::Test);
    const auto first = sequence(set, 0);
    EXPECT_EQ(first.front(), tokenizer->find("[CLS]"));
    EXPECT_EQ(first.back(), tokenizer->find("[SEP]"));
  }
}

TEST(SyntheticTokens, DependOnTheSeedAloneAndFillTheLength) {
  const auto spec = specOf({{"length", 32}});
  const auto& unit = dataUnit("synthetic-tokens");
  const auto first = unit.load({3, spec}), again = unit.load({3, spec}), other = unit.load({4, spec});
  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  EXPECT_EQ(texts(*first).set(Split::Train).ids, texts(*again).set(Split::Train).ids);
  EXPECT_NE(texts(*first).set(Split::Train).ids, texts(*other).set(Split::Train).ids);
  EXPECT_EQ((*first)->count(Split::Train), 4096);
  EXPECT_EQ((*first)->count(Split::Validation), 0);
  EXPECT_EQ((*first)->count(Split::Test), 1024);
  const auto& set = texts(*first).set(Split::Train);
  EXPECT_EQ(set.ids.size(), 4096U * 32U);
  for (std::size_t i = 0; i < set.labels.size(); ++i) ASSERT_EQ(set.offsets[i + 1] - set.offsets[i], 32);
}

// The first group's ids are 1 to 16 and the second's 17 to 32, behind the padding 0.
TEST(SyntheticTokens, TheLabelIsTheGroupThatHasMore) {
  const auto spec = specOf({{"length", 24}});
  const auto data = dataUnit("synthetic-tokens").load({1, spec});
  ASSERT_TRUE(data.ok());
  const auto& set = texts(*data).set(Split::Train);
  std::int64_t seconds = 0;
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    int first = 0, second = 0;
    for (const auto id : sequence(set, i)) {
      ASSERT_GT(id, 0) << "no padding within";
      ASSERT_LT(id, 30522);
      first += id <= 16;
      second += id > 16 && id <= 32;
    }
    ASSERT_EQ(set.labels[i], second > first ? 1 : 0) << i;
    seconds += set.labels[i];
  }
  EXPECT_NEAR(static_cast<double>(seconds) / 4096, 0.5, 0.1) << "a tie is the first's, and so it has a few more";
}

TEST(SyntheticTokens, ASmallVocabularyIsNeverLeftAndItsPaddingNeverUsed) {
  const TextFolder folder;
  const auto spec = specOf({{"length", 8}});
  const auto data = dataUnit("synthetic-tokens").load({1, spec, folder.tokenizer(), 4});
  ASSERT_TRUE(data.ok());
  EXPECT_EQ((*data)->shape.length, 4);
  std::set<std::int32_t> seen;
  for (const auto id : texts(*data).set(Split::Train).ids) seen.insert(id);
  EXPECT_EQ(seen, (std::set<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// Its labels can be told from the tokens, and so a model learns them.
TEST(SyntheticTokens, AnLstmLearnsThem) {
  std::string why;
  if (!installedTokenizer(why)) GTEST_SKIP() << why;
  const auto spec = specOf({{"model", "lstm"},
                            {"data", "synthetic-tokens"},
                            {"device", "cpu"},
                            {"length", 32},
                            {"batch", 64},
                            {"learning_rate", 0.01},
                            {"fused", true},
                            {"threads", 2}});
  DataCache cache;
  const auto plan = makePlan(spec, cache);
  ASSERT_TRUE(plan.ok()) << plan.error().messages.front().id;
  Trainer trainer(*plan, installedMemory());
  for (int step = 0; step < 60; ++step) trainer.step();
  const auto evaluation = trainer.evaluate([] { return true; }, Split::Test);
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_GT(evaluation->accuracy, 0.75);
  EXPECT_EQ(evaluation->samples, 1024);
}

}  // namespace atelier::engine
