#include "core/pretrained/sentences.h"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "model_files.h"

namespace atelier::pretrained {
namespace {

namespace fs = std::filesystem;

using testing::argument;
using testing::refusedAs;

constexpr const char* kTweets = "tweets_GroundTruth.txt";

class Sentences : public testing::FolderTest {
 protected:
  Sentences() {
    write("movieReviewSnippets_GroundTruth.txt", "1\t2.26666666667\tA splash.\r\n2\t-0.6\tTepid");
    write("amazonReviewSnippets_GroundTruth.txt", "1_1\t-0.9\tno picture\r\n");
    write("nytEditorialSnippets_GroundTruth.txt", "7_12\t0\tThe caf\xC3\xA9 's door\r\n");
    write(kTweets, "1\t-4\t:(\n2\t4\tYay &amp; so\n");
  }
};

Sentence of(Source source, const std::string& id) {
  Sentence sentence;
  sentence.source = source;
  sentence.id = id;
  return sentence;
}

}  // namespace

TEST_F(Sentences, AreReadInTheFilesOrder) {
  const auto read = readSentences(m_folder);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 6U);
  const auto& all = *read;
  EXPECT_EQ(all[0].source, Source::Movies);
  EXPECT_EQ(all[0].id, "1");
  EXPECT_EQ(all[0].rating, 2.26666666667);
  EXPECT_EQ(all[0].text, "A splash.");
  EXPECT_EQ(all[1].text, "Tepid") << "the last line needs no end";
  EXPECT_EQ(all[2].source, Source::Products);
  EXPECT_EQ(all[2].id, "1_1");
  EXPECT_EQ(all[3].source, Source::News);
  EXPECT_EQ(all[3].text, "The caf\xC3\xA9 's door");
  EXPECT_EQ(all[4].source, Source::Tweets);
  EXPECT_EQ(all[4].rating, -4);
  EXPECT_EQ(all[5].text, "Yay &amp; so") << "as it stands in the file";
}

TEST_F(Sentences, ADamagedLineIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases{{"1\t2", "L1: tab"},
                                                               {"1\t2\tgood\n3", "L2: tab"},
                                                               {"1\t2\ta\tb", "L1: tab"},
                                                               {"\t2\tgood", "L1: \"\""},
                                                               {"1\t2\t", "L1: \"\""},
                                                               {"1\t2\t  \r\n", "L1: \"\""},
                                                               {"1\t4.5\tgood", "L1: 4.5 ∉ [−4, 4]"},
                                                               {"1\t-4.01\tgood", "L1: -4.01 ∉ [−4, 4]"},
                                                               {"1\tnan\tgood", "L1: nan ∉ [−4, 4]"},
                                                               {"1\t1,5\tgood", "L1: 1,5 ∉ [−4, 4]"},
                                                               {"1\t\tgood", "L1:  ∉ [−4, 4]"},
                                                               {"1\t2\tgood\n\n2\t2\tgood", "L2: tab"},
                                                               {"1\t2\tgo\xFFod", "L1: UTF-8"},
                                                               {"1\t2\t\xED\xA0\x80", "L1: UTF-8"},
                                                               {"", "0 B"}};
  for (const auto& [content, why] : cases) {
    write(kTweets, content);
    const auto read = readSentences(m_folder);
    ASSERT_EQ(refusedAs(read), "sentences.damaged") << content;
    EXPECT_EQ(argument(read.error(), "file"), (m_folder / kTweets).string());
    EXPECT_EQ(argument(read.error(), "why"), why) << content;
  }
}

TEST_F(Sentences, AMissingFileIsNamed) {
  fs::remove(m_folder / kTweets);
  const auto read = readSentences(m_folder);
  ASSERT_EQ(refusedAs(read), "sentences.missing");
  EXPECT_EQ(argument(read.error(), "file"), (m_folder / kTweets).string());
  fs::create_directory(m_folder / kTweets);
  EXPECT_EQ(refusedAs(readSentences(m_folder)), "sentences.missing") << "a folder of that name";
  EXPECT_EQ(refusedAs(readSentences(m_folder / "nothing")), "sentences.missing");
}

// The remainders were computed by another program.
TEST_F(Sentences, TheSplitIsFnvOfSourceAndReview) {
  EXPECT_EQ(splitOf(of(Source::Movies, "1")), Split::Train);
  EXPECT_EQ(splitOf(of(Source::Movies, "5")), Split::Validation);
  EXPECT_EQ(splitOf(of(Source::Movies, "4")), Split::Test);
  EXPECT_EQ(splitOf(of(Source::Products, "7_1")), Split::Test);
  EXPECT_EQ(splitOf(of(Source::News, "7_1")), Split::Train) << "another source, another review";
  EXPECT_EQ(splitOf(of(Source::Tweets, "7")), Split::Test);
}

TEST_F(Sentences, AReviewStandsOnOneSideWhole) {
  for (int review = 0; review < 500; ++review) {
    const auto name = std::to_string(review);
    const auto whole = splitOf(of(Source::Products, name));
    for (const char* part : {"_1", "_2", "_33", "_1_2", "_"})
      EXPECT_EQ(splitOf(of(Source::Products, name + part)), whole) << name << part;
  }
}

TEST_F(Sentences, TheInstalledOnesAreWholeAndDivided) {
  const fs::path folder = ATELIER_SENTENCES_DIR;
  if (!fs::exists(folder / kTweets)) GTEST_SKIP() << folder << " is not installed";
  const auto read = readSentences(folder);
  ASSERT_TRUE(read.ok()) << refusedAs(read);
  EXPECT_EQ(read->size(), 23703U);
  std::map<Source, int> sources;
  std::map<Split, int> splits;
  std::map<std::string, std::set<Split>> sides;
  int decided = 0;
  for (const auto& sentence : *read) {
    const auto split = splitOf(sentence);
    ++sources[sentence.source];
    ++splits[split];
    sides[std::to_string(static_cast<int>(sentence.source)) + ":" + sentence.id.substr(0, sentence.id.find('_'))].insert(split);
    const bool review = sentence.source == Source::Movies || sentence.source == Source::Products;
    if (review && std::abs(sentence.rating) >= 0.5) ++decided;
  }
  EXPECT_EQ(sources, (std::map<Source, int>{
                         {Source::Movies, 10605}, {Source::Products, 3708}, {Source::News, 5190}, {Source::Tweets, 4200}}));
  EXPECT_EQ(splits, (std::map<Split, int>{{Split::Train, 18956}, {Split::Validation, 2339}, {Split::Test, 2408}}));
  EXPECT_EQ(decided, 13057);
  for (const auto& [review, found] : sides) EXPECT_EQ(found.size(), 1U) << review;
}

}  // namespace atelier::pretrained
