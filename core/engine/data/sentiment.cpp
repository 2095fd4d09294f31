// sentiment: sentences of reviews, editorials and tweets that people rated −4 … 4 (pretrained/sentences.h), as a model's
// tokenizer cuts them; the label says whether the sentence speaks well of something. Ratings nearer to 0 than half a point are
// left out: people disagree about those. Sentences of one review are in one split.
#include <cmath>

#include "core/engine/script/builder.h"
#include "core/engine/script/tokens.h"
#include "core/pretrained/sentences.h"
#include "installed.h"
#include "text_dataset.h"

namespace atelier::engine {
namespace {

constexpr double kLeastRating = 0.5;

// Of the files that the set-up installs; a test counts them again.
struct Counts {
  std::int64_t train, validation, test;
};
constexpr Counts kAll{15568, 1908, 1983}, kReviews{10491, 1249, 1317};

bool isReview(pretrained::Source source) {
  return source == pretrained::Source::Movies || source == pretrained::Source::Products;
}

Split splitFor(const pretrained::Sentence& sentence) {
  switch (pretrained::splitOf(sentence)) {
    case pretrained::Split::Validation:
      return Split::Validation;
    case pretrained::Split::Test:
      return Split::Test;
    case pretrained::Split::Train:
      break;
  }
  return Split::Train;
}

// The session gives token data a tokenizer always.
wire::Result<std::shared_ptr<const Dataset>> load(const DataRequest& request) {
  TORCH_CHECK_VALUE(request.tokenizer, "sentences can't be cut into tokens without a tokenizer");
  const auto sentences = pretrained::readSentences(sentencesFolder());
  if (!sentences.ok()) return sentences.error();
  const bool reviews = request.spec.text("sources") == "reviews";
  std::vector<LabelledText> texts;
  texts.reserve(sentences->size());
  for (const auto& sentence : *sentences)
    if (std::fabs(sentence.rating) >= kLeastRating && (!reviews || isReview(sentence.source)))
      texts.push_back({splitFor(sentence), sentence.text, sentence.rating > 0 ? 1 : 0});
  return std::shared_ptr<const Dataset>(
      std::make_shared<TextDataset>("sentiment", tokenShape(request), texts, *request.tokenizer));
}

constexpr std::string_view kPython = R"py(
def part_of(source: int, sentence: str) -> int:
    """0 to 7: to train on, 8: to validate, 9: to test; sentences of one review stay together."""
    value = 0xCBF29CE484222325  # FNV-1a, 64 bits
    for byte in f"{source}:{sentence.partition('_')[0]}".encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value % 10


def load_data(folder: Path) -> list[Texts]:
    """Token ids, and 1 where a sentence speaks well of something: to train, validate, test on."""
    parts: list[list[tuple[str, bool]]] = [[], [], []]
    for source, name in enumerate(SOURCES):
        with open(folder / f"{name}_GroundTruth.txt", encoding="utf-8") as lines:
            for line in lines:
                sentence, rating, text = line.rstrip("\n").split("\t", 2)
                if abs(float(rating)) >= LEAST_RATING:
                    part = max(0, part_of(source, sentence) - 7)
                    parts[part].append((text, float(rating) > 0))
    return [(tokenise([text for text, _ in part]), torch.tensor([int(good) for _, good in part]))
            for part in parts]
)py";

DataFacts script(ScriptBuilder& script) {
  for (const char* statement : {"import os", "from pathlib import Path"}) script.require(statement);
  const bool reviews = script.text("sources") == "reviews";
  script.constant("SENTENCES", "os.environ.get(\"ATELIER_SENTENCES\") or " + script.path(sentencesFolder().string(), 50));
  script.constant("SOURCES", reviews ? "\"movieReviewSnippets\", \"amazonReviewSnippets\""
                                     : "(\"movieReviewSnippets\", \"amazonReviewSnippets\", \"nytEditorialSnippets\",\n"
                                       "           \"tweets\")");
  script.constant("LEAST_RATING", pythonNumber(kLeastRating), "either way; about milder ones people disagree");
  const auto shape = addTokens(script, TokensFrom::Texts);
  script.define(kPython);
  script.fill("arguments",
              "parser.add_argument(\"--data\", type=Path, default=SENTENCES,\n"
              "                    help=\"folder of the files *_GroundTruth.txt\")");
  script.word("loadArguments", "args.data");
  const auto& counts = reviews ? kReviews : kAll;
  return {shape, counts.train, counts.test, counts.validation};
}

}  // namespace

DataUnit data_sentiment() {
  auto sources = wire::choiceOption("sources", {"all", "reviews"});
  sources.group = "data";
  return {"sentiment", false, load, script, InputKind::Tokens, {sources}};
}

}  // namespace atelier::engine
