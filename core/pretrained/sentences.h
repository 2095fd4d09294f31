// Rated sentences: movie reviews, product reviews, newspaper editorials and tweets with the mean of twenty people's ratings,
// −4 … 4, from vaderSentiment's source archive (MIT). Read from the *_GroundTruth.txt files of the folder that the set-up made.
// Immutable; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/wire/result.h"

namespace atelier::pretrained {

enum class Source { Movies, Products, News, Tweets };

struct Sentence {
  Source source = Source::Movies;
  std::string id;     // as the file says it; "12_3": the third snippet of review 12
  double rating = 0;  // −4 … 4
  std::string text;   // UTF-8
};

// All of them, in the files' order. Fails with sentences.missing {file}, sentences.damaged {file, why}.
wire::Result<std::vector<Sentence>> readSentences(const std::filesystem::path& folder);

enum class Split { Train, Validation, Test };
// Fixed by a hash of the review (the id before "_") and its source alone, about 80 / 10 / 10: sentences of one review never
// stand on both sides, whatever is read, in whatever order.
Split splitOf(const Sentence& sentence);

}  // namespace atelier::pretrained
